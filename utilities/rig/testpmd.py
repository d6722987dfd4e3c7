# SPDX-License-Identifier: Apache-2.0
"""dpdk-testpmd as a guest's kernel and driver: it joins a device that talks to
the switch with a tap device "eth0" in a namespace, as a guest has.

    guest = Guest("vm1", "net_virtio_user0,path=SOCK,server=1", log)
    guest.ns.run("ping", ...)
    guest.stop()                    # Or kill(); start() begins anew.
"""

import os

from . import process


class Guest:
    def __init__(self, ns, vdev, log, address=None, mtu=1500, options=()):
        self.ns = ns
        self.vdev = vdev
        self.log = log
        self.address = address
        self.mtu = mtu
        self.options = list(options)
        self.process = None
        self.start()

    def start(self):
        cpus = sorted(os.sched_getaffinity(0))
        with open(self.log, "a") as log:
            self.process = self.ns.start(
                "dpdk-testpmd", "--no-pci", "--no-telemetry", "--in-memory",
                "--single-file-segments", f"--lcores=0@{cpus[0]},1@{cpus[-1]}",
                f"--vdev={self.vdev}", "--vdev=net_tap0,iface=eth0",
                "--", "--auto-start", "--forward-mode=io",
                "--disable-link-check", "--total-num-mbufs=8192", f"--max-pkt-len={self.mtu + 18}",
                *self.options, stdin=process.subprocess.PIPE, stdout=log,
                stderr=log)
        process.wait_until(f"testpmd of {self.ns.title} makes no tap",
                           self._has_device, 30)
        self.ns.run("ip", "link", "set", "eth0", "mtu", str(self.mtu), "up")
        if self.address:
            self.ns.run("ip", "address", "add", self.address, "dev", "eth0")

    def _has_device(self):
        if self.process.poll() is not None:
            raise process.RigError("testpmd ended:\n"
                                   + process.tail(self.log))
        return "LOWER_UP" in self.ns.run("ip", "link", "show", "eth0",
                                         check=False)

    def is_running(self):
        return self.process.poll() is None

    def stop(self):
        """As asked for at its terminal, whereupon it closes its devices."""
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except process.subprocess.TimeoutExpired:
            process.stop(self.process)

    def kill(self):
        self.process.kill()
        self.process.wait()
