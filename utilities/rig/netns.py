# SPDX-License-Identifier: Apache-2.0
"""Network namespaces, each held by a process that sleeps.

"ip netns add" would leave a mount behind and could meet a namespace of the
same name; these have no names and vanish with their process.
"""

import os

from . import process


class Namespace:
    def __init__(self, title):
        self.title = title
        outside = os.readlink("/proc/self/ns/net")
        self.holder = process.start(["unshare", "--net", "sleep", "infinity"])
        self.pid = self.holder.pid
        self.children = []
        try:
            process.wait_until(
                f"a network namespace for {title}",
                lambda: self._is_apart(outside), interval=0.01)
            self.run("ip", "link", "set", "lo", "up")
            self._no_ipv6()
        except BaseException:
            self.close()
            raise

    def _is_apart(self, outside):
        if self.holder.poll() is not None:
            raise process.RigError("network namespaces cannot be had: "
                                   "unshare --net failed")
        try:
            return os.readlink(f"/proc/{self.pid}/ns/net") != outside
        except OSError:
            return False

    def _no_ipv6(self):
        """Neighbour discovery would only add packets nobody asked for."""
        self.run("sh", "-c", "for f in all default; do "
                 "p=/proc/sys/net/ipv6/conf/$f/disable_ipv6; "
                 "test ! -w $p || echo 1 > $p; done", check=False)

    def enter(self):
        """The words to put before a command."""
        return ["nsenter", f"--net=/proc/{self.pid}/ns/net", "--"]

    def run(self, *argv, **kwargs):
        return process.run(self.enter() + list(argv), **kwargs)

    def start(self, *argv, **kwargs):
        child = process.start(self.enter() + list(argv), **kwargs)
        self.children.append(child)
        return child

    def close(self):
        """Ends what runs inside, and the namespace."""
        for child in reversed(self.children):
            process.stop(child, 3)
        process.stop(self.holder)


def link(ns1, name1, ns2, name2, mtu=1500):
    """Joins two namespaces by a pair of devices.

    Checksum and segmentation offloads are off: a switch in user space sees
    the frames as they are and must find them complete and within the MTU."""
    ns1.run("ip", "link", "add", name1, "mtu", str(mtu), "type", "veth",
            "peer", "name", name2, "mtu", str(mtu), "netns", str(ns2.pid))
    for ns, name in (ns1, name1), (ns2, name2):
        ns.run("ethtool", "-K", name, "tx", "off", "sg", "off", "tso", "off",
               "gso", "off", "gro", "off")
        ns.run("ip", "link", "set", name, "up")
