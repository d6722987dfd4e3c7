# SPDX-License-Identifier: Apache-2.0
"""ovsdb-server and ovs-vswitchd in a private directory and namespace.

The Open vSwitch tree (which Evenflow's build has in its "ovs" directory)
brings the tools; the switch may be any ovs-vswitchd.
"""

import os
import re
import shlex
import subprocess
import time

from . import process
from .process import RigError


class Switch:
    def __init__(self, binary, ovs_dir, run_dir, ns):
        self.binary = os.path.abspath(binary)
        self.ovs_dir = os.path.abspath(ovs_dir)
        self.run_dir = run_dir
        self.ns = ns
        self.db = None
        self.daemon = None
        self.env = dict(
            os.environ, OVS_RUNDIR=run_dir, OVS_LOGDIR=run_dir,
            OVS_DBDIR=run_dir, OVS_SYSCONFDIR=run_dir,
            RUNTIME_DIRECTORY=run_dir, PATH=self.path())
        for path in self.binary, self._tool("ovsdb/ovsdb-server"):
            if not os.access(path, os.X_OK):
                raise RigError(f"{path} does not exist")

    def path(self):
        """PATH with the tools of the tree first."""
        own = [self._tool(d) for d in ("utilities", "ovsdb")]
        return ":".join(own + [os.environ.get("PATH", "/usr/sbin:/usr/bin")])

    def _tool(self, name):
        return os.path.join(self.ovs_dir, name)

    def log_path(self, name="ovs-vswitchd"):
        return os.path.join(self.run_dir, f"{name}.log")

    # --- Start and stop ---------------------------------------------------

    def start_db(self):
        db = os.path.join(self.run_dir, "conf.db")
        self._run("ovsdb/ovsdb-tool", "create", db,
                  self._tool("vswitchd/vswitch.ovsschema"))
        self.db = self._start(
            self._tool("ovsdb/ovsdb-server"), "ovsdb-server", db,
            f"--remote=punix:{self.run_dir}/db.sock")
        self._await("ovsdb-server", self.db, "db.sock")
        self.vsctl("--no-wait", "init")

    def start(self, dpdk_extra=None, cpus=None, config=()):
        """Starts the switch; with 'dpdk_extra' it is given to DPDK, which is
        never to look at PCI devices.  'cpus' are for all but PMD threads;
        'config' has more "other_config" settings."""
        settings = list(config)
        if dpdk_extra is not None:
            settings += ["dpdk-init=try",
                         f"dpdk-extra=--no-pci --no-telemetry {dpdk_extra}"]
        for setting in settings:
            key, value = setting.split("=", 1)
            self.vsctl("--no-wait", "set", "Open_vSwitch", ".",
                       f'other_config:{key}="{value}"')
        self.restart(cpus)

    def launch(self, *options, db=None, cpus=None):
        """Starts the program on the database, or on another one at 'db', and
        does not wait until it serves."""
        self.daemon = self._start(
            self.binary, "ovs-vswitchd", *options,
            db or f"unix:{self.run_dir}/db.sock", cpus=cpus)
        self._await("ovs-vswitchd", self.daemon, "ovs-vswitchd.pid")

    def restart(self, cpus=None):
        """Starts the switch on the database as it is."""
        self.launch(cpus=cpus)
        self.await_service()

    def await_service(self):
        """Returns when the switch has done all that the database asks for."""
        setting = process.start(
            [self._tool("utilities/ovs-vsctl"),
             f"--timeout={60 * process.patience}", "set", "Open_vSwitch",
             ".", f"external_ids:rig={self.daemon.pid}"],
            env=self.env)
        try:
            process.wait_until(
                "ovs-vsctl does not end", lambda: setting.poll() is not None
                or self.daemon.poll() is not None, 70, interval=0.02)
            if self.daemon.poll() is not None or setting.returncode:
                raise self.failure("ovs-vswitchd", "it does not serve")
        finally:
            process.stop(setting)

    def _start(self, program, name, *args, cpus=None):
        with open(os.path.join(self.run_dir, f"{name}.out"), "a") as out:
            return self.ns.start(
                program, *args, "-vconsole:off", f"--pidfile={name}.pid",
                f"--log-file={name}.log", env=self.env, cpus=cpus,
                cwd=self.run_dir, stdout=out, stderr=out)

    def _await(self, name, child, file_name):
        def is_there():
            if child.poll() is not None:
                raise self.failure(name, f"exit status {child.returncode}")
            return os.path.exists(os.path.join(self.run_dir, file_name))
        process.wait_until(f"{name} did not come up", is_there, 60)

    def failure(self, name, why):
        """An error with the end of the daemon's log and output."""
        ends = [process.tail(f"{self.run_dir}/{name}.{suffix}")
                for suffix in ("log", "out")]
        child = self.daemon if name == "ovs-vswitchd" else self.db
        if child and child.poll() is not None:
            name += f" (exit status {child.returncode})"
        return RigError("\n".join([f"{name} failed: {why}"] + ends))

    def exit(self, cleanup=False):
        """Asks the switch to end; with 'cleanup' it removes its devices."""
        args = ["--cleanup"] if cleanup else []
        try:
            self.appctl("exit", *args, timeout=20)
            self.daemon.wait(20)
        except (RigError, subprocess.TimeoutExpired):
            pass
        process.stop(self.daemon)
        self.daemon = None

    def close(self):
        if self.daemon and self.daemon.poll() is None:
            self.exit(cleanup=True)
        if self.db:
            process.stop(self.db)

    def is_running(self):
        return self.daemon is not None and self.daemon.poll() is None

    # --- Tools ------------------------------------------------------------

    def _run(self, tool, *args, **kwargs):
        return process.run([self._tool(tool), *args], env=self.env, **kwargs)

    @staticmethod
    def _timeout():
        return f"--timeout={30 * process.patience}"

    def vsctl(self, *args, **kwargs):
        return self._run("utilities/ovs-vsctl", self._timeout(), *args,
                         **kwargs)

    def ofctl(self, *args, **kwargs):
        return self._run("utilities/ovs-ofctl", self._timeout(), *args,
                         **kwargs)

    def appctl(self, *args, **kwargs):
        # Named after the program, which may be called differently.
        name = os.path.basename(self.binary)
        target = f"{self.run_dir}/{name}.{self.daemon.pid}.ctl"
        return self._run("utilities/ovs-appctl", self._timeout(), "--target",
                         target, *args, **kwargs)

    def add_bridge(self, name, *more):
        """Adds a bridge of our data path; 'more' has "column=value"s."""
        self.vsctl("add-br", name, "--", "set", "bridge", name,
                   "datapath_type=netdev", *more)

    def add_port(self, bridge, name, *more, port=()):
        """'more' are the interface's settings, 'port' the port's."""
        words = ["add-port", bridge, name, *port]
        if more:
            words += ["--", "set", "interface", name, *more]
        self.vsctl(*words)
        error = self.interface(name, "error")
        if error:
            raise RigError(f"port {name}: {error}")

    def interface(self, name, column):
        value = self.vsctl("get", "interface", name, column).strip()
        return "" if value == "[]" else value.strip('"')

    def statistics(self, name):
        """What the database has; the switch writes it every five seconds."""
        return {key: int(value) for key, value in re.findall(
            r"([^{ ]+)=(\d+)", self.interface(name, "statistics"))}

    def time_of(self, ask):
        """Seconds that the switch takes for what ask() has it do, without
        those for which its main thread was ready and got no processor."""
        before, waited = time.monotonic(), self._waited_s()
        ask()
        return time.monotonic() - before - (self._waited_s() - waited)

    def _waited_s(self):
        with open(f"/proc/{self.daemon.pid}/schedstat") as f:
            return int(f.read().split()[1]) / 1e9

    def stalls(self, longer_ms):
        """Lines of the log on rounds of the main loop that used so much
        processor time; not those that had to wait for a processor."""
        return [line for line in self.warnings() for found in re.findall(
            r"Unreasonably long \d+ms poll interval \((\d+)ms user, "
            r"(\d+)ms system\)", line) if sum(map(int, found)) > longer_ms]

    def resident_kb(self):
        with open(f"/proc/{self.daemon.pid}/status") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read())[1])

    def dpdk_is_up(self):
        return self.vsctl("get", "Open_vSwitch", ".",
                          "dpdk_initialized").strip() == "true"

    def pmd_stats(self):
        """The counters of all PMD threads together, by name."""
        stats = {}
        for block in self.appctl("dpif-netdev/pmd-stats-show").split(
                "pmd thread ")[1:]:
            for name, value in re.findall(r"^  ([^:\n]+): ([0-9.]+)",
                                          block.split("main thread")[0],
                                          re.M):
                stats[name] = stats.get(name, 0) + float(value)
        return stats

    def log_has(self, text):
        with open(self.log_path(), errors="replace") as f:
            return text in f.read()

    def warnings(self):
        """The lines of its log that tell of trouble."""
        with open(self.log_path(), errors="replace") as f:
            return [line.rstrip() for line in f
                    if re.search(r"\|(WARN|ERR|EMER)\|", line)]

    def shell_words(self):
        """What a user types to have the tools talk to this switch."""
        return (f"export OVS_RUNDIR={shlex.quote(self.run_dir)}",
                f"PATH={shlex.quote(self._tool('utilities'))}:$PATH")
