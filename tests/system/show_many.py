#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every show command, EF_SHOW times, beside traffic.

    left 10.17.0.1 --- br0 --- 10.17.0.2 right
                        |
                  vdev (net_null)

Each answers, none makes the switch stand still, and its memory does not grow.
"""

import os
import re

from story import (add_vdev, expect, expect_ping, process, tell)

ROUNDS = int(os.environ.get("EF_SHOW", 3))
ANSWER_MAX_S = 1
STALL_MAX_MS = 100
GROWTH_MAX_KB = 20000
# What prints and takes no argument that we would have to know.
SHOWS = re.compile(r"^  (\S*(?:show|list|dump|stats|info|get-\S*)\S*)", re.M)
NOT_SHOWS = re.compile(r"clear|set|list-commands|log-set|upcall/|vlog|"
                       r"dump-flows-|ofproto/|fdb/|mdb/|bundle|memory/")
WITH = {"fdb/show": ["br0"], "mdb/show": ["br0"], "upcall/show": [],
        "memory/show": [], "dpctl/dump-flows": ["-m"], "vlog/list": []}


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0")
    left = lab.host("left", "10.17.0.1/24")
    lab.host("right", "10.17.0.2/24")
    add_vdev(switch, "br0", "vdev", "net_null0,no-rx=1")
    expect_ping(left, "10.17.0.2")
    left.start("ping", "-n", "-i", "0.2", "10.17.0.2")
    commands = {name: [] for name in SHOWS.findall(
        switch.appctl("list-commands")) if not NOT_SHOWS.search(name)}
    commands.update(WITH)
    answers = {name: works(switch, name, args)
               for name, args in commands.items()}
    commands = {name: commands[name] for name, good in answers.items() if good}
    expect(len(commands) > 25, f"only {sorted(commands)} answer")

    stalls = switch.stalls(STALL_MAX_MS)
    slowest = (0, None)
    for n in range(ROUNDS):
        for name, args in commands.items():
            took = switch.time_of(lambda c=(name, *args): switch.appctl(*c))
            slowest = max(slowest, (took, name))
        if n == ROUNDS // 10:
            before = switch.resident_kb()
    grown = switch.resident_kb() - before
    print(f"{len(commands)} commands, {ROUNDS} times; slowest {slowest[1]} "
          f"with {slowest[0]:.2f} s; grown by {grown} kB")
    expect(slowest[0] < ANSWER_MAX_S, "too slow")
    expect(grown < GROWTH_MAX_KB, "memory grows")
    stalls = switch.stalls(STALL_MAX_MS)[len(stalls):]
    expect(not stalls, "stalls:\n" + "\n".join(stalls[:9]))
    expect_ping(left, "10.17.0.2")


def works(switch, name, args):
    """Whether the command is one that answers without more arguments."""
    try:
        switch.appctl(name, *args)
        return True
    except process.RigError:
        expect(switch.is_running(), f"{name} ended the switch")
        return False


tell(story, dpdk=True)
