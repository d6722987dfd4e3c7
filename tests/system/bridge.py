#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A bridge joins two hosts.

    left 10.1.0.1 --- br0 --- 10.1.0.2 right

Frames of every size pass, TCP passes both ways at once, and the data path
knows the flows while they last.
"""

from story import (expect, expect_ping, expect_tcp, ping, serve_iperf, tell)


def story(lab):
    lab.switch.add_bridge("br0")
    left = lab.host("left", "10.1.0.1/24")
    right = lab.host("right", "10.1.0.2/24")

    for size in 0, 1, 56, 1000, 1472:
        expect_ping(left, "10.1.0.2", size=size)
    expect(ping(left, "10.1.0.2", size=1473, count=1) == 0,
           "a frame larger than the MTU passed")

    serve_iperf(right)
    expect_tcp(left, "10.1.0.2", "--parallel", "4")
    expect_tcp(left, "10.1.0.2", "--reverse")

    flows = lab.switch.appctl("dpctl/dump-flows")
    expect("eth_type(0x0800)" in flows, f"no IP flow:\n{flows}")
    table = lab.switch.appctl("fdb/show", "br0")
    expect(len(table.splitlines()) >= 3, f"not both are learned:\n{table}")


tell(story)
