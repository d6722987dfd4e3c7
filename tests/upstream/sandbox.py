# SPDX-License-Identifier: Apache-2.0
"""One test of upstream's system suites, alone on what looks like a machine
without PCI devices.

The test gets namespaces of its own for processes, mounts and devices, a fresh
/run, an empty /sys/bus/pci/devices and a mount of hugetlbfs.  So DPDK has no
device of the machine to probe, "pkill -f" in a test finds nobody else's
processes, and whatever the test leaves behind (taps named br0 or ovs-netdev,
for whose end the next test would wait for ever) goes with the namespaces: when
the test is over, or when we end what ENTER started.
"""

import os
import subprocess
import sys

ENTER = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child",
         "--mount-proc", sys.executable, "-B", os.path.abspath(__file__)]
SET_UP = """
umount -a -t hugetlbfs 2> /dev/null
set -e
mount -t tmpfs run /run
mkdir /run/lock /run/netns /run/hugepages
mount -t hugetlbfs hugepages /run/hugepages
mount -t sysfs sysfs /sys
mount -t tmpfs no-pci /sys/bus/pci/devices
ip link set lo up
"""


def be_init(argv):
    """The first process of the namespace: every orphan there is its child,
    and a dead one that nobody waits for would look alive to the tests."""
    subprocess.run(["sh", "-c", SET_UP], check=True)
    main_pid = os.spawnvp(os.P_NOWAIT, argv[0], argv)
    while True:
        pid, status = os.wait()
        if pid == main_pid:
            return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(be_init(sys.argv[1:]))
