# SPDX-License-Identifier: Apache-2.0
"""Tests of the process: command line, daemon, log, control socket.

Environment: OVS_DIR, a built Open vSwitch with the tools.
"""

import os
import pwd
import re
import signal
import subprocess
import time

import tap

PROGRAM = os.path.abspath("vswitchd/ovs-vswitchd")
OVS = os.environ["OVS_DIR"]
PEER = os.path.join(OVS, "vswitchd", "ovs-vswitchd")


def is_sanitized():
    """Sanitizers refuse mlockall() and turn crashes into exits."""
    with open(PROGRAM, "rb") as f:
        text = f.read()
    return b"__asan_init" in text or b"__tsan_init" in text


def output(*command, status=0, **kwargs):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60,
                          **kwargs)
    assert done.returncode == status, (command, done.stdout)
    return done.stdout


class Daemons:
    """An ovsdb-server, and a switch with dummy devices, in 'tmp'."""

    def __init__(self, tmp, *options, user=None):
        self.tmp = tmp
        self.env = dict(os.environ, OVS_RUNDIR=tmp, OVS_LOGDIR=tmp,
                        OVS_DBDIR=tmp, OVS_SYSCONFDIR=tmp,
                        OVS_SYSLOG_METHOD="null")
        self.options = options
        self.user = user

    def tool(self, name, *arguments):
        folder = "ovsdb" if name.startswith("ovsdb") else "utilities"
        return output(os.path.join(OVS, folder, name), *arguments,
                      env=self.env, cwd=self.tmp)

    def __enter__(self):
        self.tool("ovsdb-tool", "create", "conf.db",
                  os.path.join(OVS, "vswitchd", "vswitch.ovsschema"))
        self.tool("ovsdb-server", "--detach", "--no-chdir", "--pidfile",
                  "--log-file", "--remote=punix:db.sock", "conf.db")
        self.tool("ovs-vsctl", "--no-wait", "init")
        if self.user:
            for name in (".", *os.listdir(self.tmp)):
                os.chown(os.path.join(self.tmp, name), self.user.pw_uid,
                         self.user.pw_gid)
        self.said = output(PROGRAM, "--detach", "--no-chdir", "--pidfile",
                           "--log-file", "--enable-dummy=override",
                           "--disable-system", *self.options, env=self.env,
                           cwd=self.tmp)
        self.pid = int(self.read("ovs-vswitchd.pid"))
        return self

    def __exit__(self, *error):
        for name in ("ovs-vswitchd.pid", "ovsdb-server.pid"):
            try:
                os.kill(int(self.read(name)), signal.SIGTERM)
            except (FileNotFoundError, ProcessLookupError, ValueError):
                pass

    def read(self, name):
        with open(os.path.join(self.tmp, name)) as f:
            return f.read()

    def appctl(self, *arguments):
        return self.tool("ovs-appctl", *arguments)

    def status(self, key):
        with open(f"/proc/{self.pid}/status") as f:
            return re.search(rf"^{key}:\s*(.*)$", f.read(), re.M)[1]

    def wait_for_end(self):
        for _ in range(300):
            try:
                os.kill(self.pid, 0)
            except ProcessLookupError:
                return
            time.sleep(0.1)
        raise AssertionError("the switch does not end")


def test_version(tmp):
    ours = output(PROGRAM, "--version").splitlines()
    peer = output(PEER, "--version").splitlines()
    assert ours[:len(peer)] == peer, ours
    assert len(ours) == len(peer) + 1
    assert re.fullmatch(r"Evenflow \d+\.\d+\.\d+", ours[-1])
    assert [i for i, line in enumerate(ours) if "Open vSwitch" in line] == [0]


def long_options(text):
    return set(re.findall(r"--[a-z][a-z-]+", text))


def test_help_names_upstreams_options(tmp):
    missing = (long_options(output(PEER, "--help"))
               - long_options(output(PROGRAM, "--help")))
    assert not missing, missing


def test_wrong_command_lines(tmp):
    output(PROGRAM, "a", "b", status=1)
    output(PROGRAM, "--no-such-option", status=1)
    output(PROGRAM, "--dpdk", status=1)
    output(PROGRAM, "--unixctl", status=1)


def test_daemon(tmp):
    with Daemons(tmp) as switch:
        assert "venflow" not in switch.said, switch.said
        log = switch.read("ovs-vswitchd.log")
        assert "|evenflow|INFO|Evenflow " in log
        assert f", program {os.path.realpath(PROGRAM)}\n" in log
        assert switch.status("Name") == "ovs-vswitchd"
        version = switch.appctl("version").splitlines()
        assert version[0].startswith("ovs-vswitchd (Open vSwitch) ")
        assert version[0].split()[-1] == output(PEER, "-V").split()[3]

        switch.tool("ovs-vsctl", "add-br", "br0")
        assert switch.tool("ovs-vsctl", "list-br") == "br0\n"
        memory = switch.appctl("memory/show")
        assert re.search(r"\bhandlers:\d+.* ports:\d+", memory), memory
        switch.appctl("exit")
        switch.wait_for_end()
        assert not os.path.exists(os.path.join(tmp, "ovs-vswitchd.pid"))


def test_exit_with_cleanup(tmp):
    with Daemons(tmp) as switch:
        switch.tool("ovs-vsctl", "add-br", "br0")
        switch.appctl("exit", "--cleanup")
        switch.wait_for_end()


def test_sigterm(tmp):
    with Daemons(tmp) as switch:
        os.kill(switch.pid, signal.SIGTERM)
        switch.wait_for_end()


def test_unixctl(tmp):
    path = os.path.join(tmp, "control")
    with Daemons(tmp, "--unixctl=" + path) as switch:
        assert "br0" not in switch.appctl("-t", path, "dpif/show")


def test_mlockall(tmp):
    if is_sanitized():
        raise tap.Skip("sanitizer")
    with Daemons(tmp, "--mlockall") as switch:
        log = switch.read("ovs-vswitchd.log")
        locked = int(switch.status("VmLck").split()[0])
        assert locked > 0 or "cannot lock memory" in log
        # Threads' stacks alone would be 8 MB each if every page came in.
        resident = int(switch.status("VmRSS").split()[0])
        mapped = int(switch.status("VmSize").split()[0])
        assert resident < mapped / 2, (resident, mapped)


def test_user(tmp):
    if os.geteuid():
        raise tap.Skip("not root")
    user = pwd.getpwnam("nobody")
    os.chmod(tmp, 0o755)
    with Daemons(tmp, "--user=nobody:nogroup", user=user) as switch:
        assert switch.status("Uid").split()[0] == str(user.pw_uid)
        # It may still configure the network and lock memory, but no more.
        effective = int(switch.status("CapEff"), 16)
        assert effective & 1 << 12, "CAP_NET_ADMIN"
        assert not effective & 1 << 21, "CAP_SYS_ADMIN"
        switch.tool("ovs-vsctl", "add-br", "br0")


def test_monitor_restarts_it(tmp):
    if is_sanitized():
        raise tap.Skip("sanitizer")
    with Daemons(tmp, "--monitor") as switch:
        # The monitor starts another only after a crash.
        os.kill(switch.pid, signal.SIGSEGV)
        for _ in range(300):
            try:
                if int(switch.read("ovs-vswitchd.pid")) != switch.pid:
                    break
            except (FileNotFoundError, ValueError):
                pass
            time.sleep(0.1)
        else:
            raise AssertionError("no other switch")
        switch.appctl("exit")


tap.main(globals())
