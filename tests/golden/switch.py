# SPDX-License-Identifier: Apache-2.0
"""A switch with dummy devices in a directory of its own.

    with Switch(vswitchd, tools) as switch:
        switch.vsctl("add-port", "br0", "p0")
        print(switch.appctl("dpif-netdev/pmd-stats-show"))

Nothing outside the directory is touched, and both daemons end with the
"with" block; the kernel ends them if this process is killed.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
import time

PR_SET_PDEATHSIG = 1


class SwitchError(Exception):
    """The switch, or a tool, did not do what it was told."""


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Switch:
    def __init__(self, vswitchd, tools, schema=None, args=()):
        self.vswitchd = os.path.abspath(vswitchd)
        self.tools = os.pathsep.join(map(os.path.abspath,
                                         tools.split(os.pathsep)))
        self.schema = schema or self.find_schema()
        self.args = list(args)
        self.daemons = []
        self.dir = None

    def __enter__(self):
        self.dir = tempfile.mkdtemp(prefix="ef-golden-")
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *unused):
        self.stop()

    def find_schema(self):
        places = ["/usr/share/openvswitch"]
        for tool in self.tools.split(os.pathsep):
            places += [tool, os.path.join(tool, "../vswitchd"),
                       os.path.join(tool, "../share/openvswitch")]
        for place in places:
            path = os.path.join(place, "vswitch.ovsschema")
            if os.path.exists(path):
                return path
        raise SwitchError("vswitch.ovsschema not found, use --schema")

    def path(self, name):
        return os.path.join(self.dir, name)

    def environment(self):
        env = dict(os.environ, LC_ALL="C", TZ="UTC")
        env["PATH"] = self.tools + os.pathsep + env.get("PATH", "")
        for name in "RUN", "LOG", "DB", "SYSCONF":
            env["OVS_%sDIR" % name] = self.dir
        return env

    def spawn(self, *command):
        log = open(self.path(os.path.basename(command[0]) + ".err"), "w")
        with log:
            self.daemons.append(subprocess.Popen(
                command, cwd=self.dir, env=self.environment(),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, preexec_fn=die_with_parent))

    def run(self, *command, check=True):
        """Returns what 'command' printed on both outputs."""
        done = subprocess.run(command, cwd=self.dir, env=self.environment(),
                              stdin=subprocess.DEVNULL, timeout=60,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if check and done.returncode:
            raise SwitchError("%s: %s" % (" ".join(command), done.stdout))
        return done.stdout

    def vsctl(self, *args):
        return self.run("ovs-vsctl", "--timeout=30",
                        "--db=unix:" + self.path("db.sock"), *args)

    def ofctl(self, *args):
        return self.run("ovs-ofctl", *args)

    def appctl(self, *args, check=True):
        out = self.run("ovs-appctl", "--timeout=30",
                       "-t", self.path("vs.ctl"), *args, check=check)
        return out.replace(self.dir, "DIR")

    def wait(self, what, condition, timeout_s=30):
        deadline = time.monotonic() + timeout_s
        while not condition():
            for daemon in self.daemons:
                if daemon.poll() is not None:
                    raise SwitchError("%s ended: %s"
                                      % (daemon.args[0], self.stderr()))
            if time.monotonic() > deadline:
                raise SwitchError("timeout, waiting for " + what)
            time.sleep(0.05)

    def stderr(self):
        text = ""
        for name in sorted(os.listdir(self.dir)):
            if name.endswith(".err"):
                with open(self.path(name), errors="replace") as log:
                    text += log.read()
        return text[-2000:]

    def start(self):
        self.run("ovsdb-tool", "create", self.path("conf.db"), self.schema)
        self.spawn("ovsdb-server", self.path("conf.db"), "-vconsole:off",
                   "--remote=punix:" + self.path("db.sock"),
                   "--unixctl=" + self.path("db.ctl"))
        self.wait("ovsdb-server",
                  lambda: os.path.exists(self.path("db.sock")))
        self.vsctl("--no-wait", "init")
        self.spawn(self.vswitchd, "unix:" + self.path("db.sock"),
                   "-vconsole:off", "--log-file=" + self.path("vs.log"),
                   "--unixctl=" + self.path("vs.ctl"), "--enable-dummy",
                   "--disable-system", "--disable-system-route", *self.args)
        self.wait("ovs-vswitchd",
                  lambda: os.path.exists(self.path("vs.ctl")))

    def stop(self):
        for daemon in reversed(self.daemons):
            if daemon.poll() is None:
                daemon.terminate()
                try:
                    daemon.wait(10)
                except subprocess.TimeoutExpired:
                    daemon.kill()
                    daemon.wait()
        self.daemons = []
        if self.dir:
            shutil.rmtree(self.dir, ignore_errors=True)
            self.dir = None
