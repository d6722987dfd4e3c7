# SPDX-License-Identifier: Apache-2.0
"""Borrows huge pages from the kernel and gives them back.

DPDK runs with "--in-memory", so neither a mount of hugetlbfs nor a file is
needed.  What was added is subtracted again, rather than an old value written
back: somebody else may have changed the number meanwhile.
"""

import contextlib
import glob

from . import process

SIZE_KB = 2048
BASE = f"/sys/kernel/mm/hugepages/hugepages-{SIZE_KB}kB"


def _read(name):
    with open(f"{BASE}/{name}") as f:
        return int(f.read())


def _free():
    return _read("free_hugepages") - _read("resv_hugepages")


def _add(n):
    """Changes the number of pages by 'n'; returns what came of it."""
    before = _read("nr_hugepages")
    with open(f"{BASE}/nr_hugepages", "w") as f:
        f.write(str(max(0, before + n)))
    return _read("nr_hugepages") - before


def _available_kb():
    with open("/proc/meminfo") as f:
        for line in f:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1])
    return 0


@contextlib.contextmanager
def borrowed(megabytes, least_megabytes):
    """Yields (free megabytes, pages added) with at least 'least_megabytes'
    free, or (0, 0) where they cannot be had.

    DPDK wants memory on the node at hand and the kernel spreads pages over
    all nodes, so each node is to have that much; half of what the machine
    has left is the limit."""
    nodes = len(glob.glob("/sys/devices/system/node/node[0-9]*")) or 1
    free = added = 0
    try:
        # No signal may come between a change and our knowing of it.
        with process.shielded():
            try:
                wanted = megabytes * nodes * 1024 // SIZE_KB
                limit = _available_kb() // 2 // SIZE_KB
                lacking = min(wanted - _free(), limit)
                if lacking > 0:
                    added = _add(lacking)
                free = _free() * SIZE_KB // 1024
                if free < least_megabytes * nodes:
                    free = 0
                    added += _add(-added)
            except (OSError, ValueError):
                free = 0
        yield free, added
    finally:
        if added > 0:
            _add(-added)
