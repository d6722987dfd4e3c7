# SPDX-License-Identifier: Apache-2.0
"""dpdk-testpmd as a guest's driver: it joins a device that talks to the switch
with a pair of devices in a namespace, one end of which is the guest's "eth0".
(net_tap would do but for frames over 1,522 bytes.)

    guest = Guest("vm1", "net_virtio_user0,path=SOCK,server=1", log)
    guest.ns.run("ping", ...)
    guest.stop()                    # Or kill(); start() begins anew.

With "server=1", net_virtio_user waits for the switch before all else: add the
switch's port first.
"""

import os
import re

from . import netns, process


class Guest:
    def __init__(self, ns, vdev, log, address=None, mtu=1500, queues=1,
                 options=()):
        self.ns = ns
        self.vdev = vdev
        self.log = log
        self.options = list(options)
        self.tail = "rx_iface_in=driver,tx_iface=driver"
        self.process = None
        netns.link(ns, "driver", ns, "eth0", mtu)
        if queues == 2:         # What eth0 sends is all received on one.
            netns.link(ns, "idle", ns, "idle2")
            self.tail += ",rx_iface_in=idle,tx_iface=driver"
            self.options += ["--rxq=2", "--txq=2"]
        if address:
            ns.run("ip", "address", "add", address, "dev", "eth0")
        self.start()

    def start(self):
        # What a killed one leaves behind, and what would stop the next.
        for path in re.findall(r"path=([^,]+),server=1", self.vdev):
            if os.path.exists(path):
                os.unlink(path)
        cpus = sorted(os.sched_getaffinity(0))
        with open(self.log, "w") as log:
            self.process = self.ns.start(
                "stdbuf", "-oL", "dpdk-testpmd", "--no-pci", "--no-telemetry",
                "--in-memory", "--single-file-segments",
                f"--lcores=0@{cpus[0]},1@{cpus[-1]}", f"--vdev={self.vdev}",
                f"--vdev=net_pcap0,{self.tail}", "--", "--auto-start",
                "--forward-mode=io", "--disable-link-check",
                "--total-num-mbufs=8192",
                *self.options, stdin=process.subprocess.PIPE, stdout=log,
                stderr=log)
        try:
            process.wait_until(f"testpmd of {self.ns.title} does not start",
                               self._is_up, 30)
        except process.RigError as error:
            raise process.RigError(f"{error}\n{process.tail(self.log)}"
                                   ) from error

    def _is_up(self):
        if not self.is_running():
            raise process.RigError("testpmd ended")
        log = process.tail(self.log, 999)
        if "probe failed" in log:
            raise process.RigError("testpmd lacks a device")
        return "Press enter to exit" in log

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
