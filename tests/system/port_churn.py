#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ports of one name come and go $ROUNDS times (50) beside traffic.

    left 10.8.0.1 --- br0 --- 10.8.0.2 right
                       |
                     churn (a link), vdev (of DPDK)

Each time the name is free again and the port works; nothing piles up, and
the traffic of others never stops.
"""

import os
import re

from story import expect, expect_ping, netns, process, tell

ROUNDS = int(os.environ.get("ROUNDS", "50"))
# Ports' names, counters and hash tables that grow once.
GROWTH_MAX_KB = 2048


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0")
    left = lab.host("left", "10.8.0.1/24")
    lab.host("right", "10.8.0.2/24")
    expect_ping(left, "10.8.0.2")
    netns.link(lab.ns, "churn", lab.ns, "other-end")
    pings = left.start("ping", "-n", "-i", "0.2", "10.8.0.2",
                       stdout=process.subprocess.PIPE, text=True)

    for n in range(ROUNDS):
        switch.add_port("br0", "churn")
        expect(int(switch.interface("churn", "ofport")) > 0, "no ofport")
        switch.vsctl("del-port", "br0", "churn")
        if n == ROUNDS // 5:
            before = switch.resident_kb()
    grown = switch.resident_kb() - before
    expect(grown < GROWTH_MAX_KB, f"memory grows by {grown} kB")
    for _ in range(ROUNDS):
        switch.add_port("br0", "vdev", "type=dpdk",
                        "options:dpdk-devargs=net_null7,no-rx=1")
        expect(int(switch.interface("vdev", "ofport")) > 0, "no ofport")
        switch.vsctl("del-port", "br0", "vdev")

    ports = switch.appctl("dpif/show")
    expect("churn" not in ports and "vdev" not in ports,
           f"a deleted port is still there:\n{ports}")
    rxqs = switch.appctl("dpif-netdev/pmd-rxq-show")
    expect("vdev" not in rxqs, f"a deleted port is polled:\n{rxqs}")

    pings.send_signal(process.signal.SIGINT)
    out = pings.communicate(timeout=10)[0]
    sent, got = map(int, re.search(
        r"(\d+) packets transmitted, (\d+) received", out).groups())
    # One or two may still be on their way.
    expect(got >= sent - 2, f"only {got} of {sent} pings answered")
    expect_ping(left, "10.8.0.2")


tell(story, dpdk=True)
