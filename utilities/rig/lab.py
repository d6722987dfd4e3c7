# SPDX-License-Identifier: Apache-2.0
"""A switch in a namespace of its own, with hosts around it.

    with Lab(binary, ovs_dir) as lab:
        lab.switch.add_bridge("br0")
        left = lab.host("left", "10.0.0.1/24")
        right = lab.host("right", "10.0.0.2/24")
        left.run("ping", "-c", "3", "10.0.0.2")
"""

import contextlib
import os
import shutil
import tempfile

from . import hugepages, netns, process, testpmd
from .process import RigError
from .switch import Switch

# One pool of buffers of the largest size that the switch asks for fits.
MEMORY_MB = 1024
LEAST_MEMORY_MB = 256
NO_HUGE_MB = 512


class Lab:
    def __init__(self, binary, ovs_dir, dpdk=False, no_huge=False, cpus=None,
                 config=(), dpdk_extra="", memory_mb=MEMORY_MB,
                 dpdk_driver=None):
        self.binary = binary
        self.ovs_dir = ovs_dir
        self.dpdk = dpdk
        self.no_huge = no_huge
        self.cpus = cpus
        self.config = config
        # Whatever the memory is, unlike dpdk_extra.
        # EAL has the switch's directory for its own.
        self.load = (f"-d {os.path.abspath(dpdk_driver)} " if dpdk_driver
                     else "")
        self.dpdk_extra = dpdk_extra
        self.memory_mb = memory_mb
        self.memory = "no DPDK"
        self._undo = contextlib.ExitStack()

    def __enter__(self):
        with contextlib.ExitStack() as undo:
            with process.shielded():
                self.run_dir = tempfile.mkdtemp(prefix="evenflow-")
                undo.callback(shutil.rmtree, self.run_dir, ignore_errors=True)
            self.ns = netns.Namespace("the switch")
            undo.callback(self.ns.close)
            self._start(undo)
            self._undo = undo.pop_all()
        return self

    def __exit__(self, _type, error, _traceback):
        try:
            if isinstance(error, RigError):
                raise self._with_log(error)
        finally:
            self._undo.close()

    def _with_log(self, error):
        """The error, with the end of the log if the switch is gone, or what
        the switch has warned of."""
        if self.switch.daemon and not self.switch.is_running():
            return self.switch.failure("ovs-vswitchd", str(error))
        warnings = self.switch.warnings()
        if not warnings:
            return error
        return RigError("\n".join([str(error), "The switch's last warnings:"]
                                  + warnings[-8:]))

    def _start(self, undo):
        if not os.path.exists("/dev/net/tun"):
            raise RigError("/dev/net/tun is not there: bridges in user space "
                           "need it (modprobe tun, or bind /dev)")
        if self.dpdk:
            pages = 0
            if not self.no_huge:
                pages, added = undo.enter_context(
                    hugepages.borrowed(self.memory_mb, LEAST_MEMORY_MB))
            if pages:
                self.memory = (f"{pages} MB of huge pages"
                               + (f", {added} of them borrowed"
                                  if added else ""))
                if self._try_dpdk(undo, f"{self.load}--in-memory "
                                  f"{self.dpdk_extra}"):
                    return
            self.memory = "no huge pages (--no-huge): slower"
            # Legacy, since the switch else adds --in-memory, which EAL does
            # not want together with --no-huge.
            if not self._try_dpdk(
                    undo, f"{self.load}--no-huge --legacy-mem "
                    f"-m {NO_HUGE_MB}"):
                raise self.switch.failure("ovs-vswitchd",
                                           "DPDK does not start")
        else:
            self._new_switch(undo)
            self.switch.start(cpus=self.cpus, config=self.config)

    def _new_switch(self, undo):
        for name in os.listdir(self.run_dir):
            path = os.path.join(self.run_dir, name)
            if os.path.isdir(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)
        self.switch = Switch(self.binary, self.ovs_dir, self.run_dir, self.ns)
        undo.callback(self.switch.close)
        self.switch.start_db()

    def _try_dpdk(self, undo, extra):
        """Starts a switch; if DPDK does not come up in it, ends it again."""
        self._new_switch(undo)
        try:
            self.switch.start(extra, self.cpus, self.config)
            if self.switch.dpdk_is_up():
                return True
        except RigError:
            pass                # EAL may also take the process with it.
        failed = self.switch
        failed.close()
        return False

    def defer(self, function, *args):
        """Calls function(*args) when the lab is closed."""
        self._undo.callback(function, *args)

    def namespace(self, title):
        ns = netns.Namespace(title)
        self._undo.callback(ns.close)
        return ns

    def host(self, title, address=None, bridge="br0", mtu=1500, port=(),
             interface=()):
        """A namespace with a device "eth0", attached to 'bridge' by a port
        called like the host."""
        host = self.namespace(title)
        self.plug(host, title, "eth0", mtu)
        self.switch.add_port(bridge, title, *interface, port=port)
        if address:
            host.run("ip", "address", "add", address, "dev", "eth0")
        return host

    def guest(self, title, address, vdev, **kwargs):
        """A namespace whose "eth0" leads through testpmd's 'vdev'."""
        return testpmd.Guest(self.namespace(title), vdev,
                             os.path.join(self.run_dir, f"{title}.log"),
                             address, **kwargs)

    def plug(self, ns, port_name, device, mtu=1500):
        """A pair of devices between the switch's namespace and 'ns'."""
        netns.link(self.ns, port_name, ns, device, mtu)
