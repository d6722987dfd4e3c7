#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A balance-tcp bond spreads connections over two links, and survives one.

                  +-- a1 ------ b1 --+
    left --- br0 =+   (LACP bonds)   += br1 --- right
                  +-- a2 ------ b2 --+

    10.6.0.1                            10.6.0.2
"""

from story import (expect, expect_ping, expect_tcp, netns, ping, port_packets,
                   process, serve_iperf, tell)

ENDS = (("br0", "bond0", "a"), ("br1", "bond1", "b"))


def story(lab):
    switch = lab.switch
    for link in "1", "2":
        netns.link(lab.ns, f"a{link}", lab.ns, f"b{link}")
    for bridge, bond, end in ENDS:
        switch.add_bridge(bridge)
        switch.vsctl("add-bond", bridge, bond, f"{end}1", f"{end}2",
                     "bond_mode=balance-tcp", "lacp=active",
                     "other_config:lb-output-action=true",
                     "other_config:lacp-time=fast")
    left = lab.host("left", "10.6.0.1/24", bridge="br0")
    right = lab.host("right", "10.6.0.2/24", bridge="br1")
    for _bridge, bond, _end in ENDS:
        process.wait_until(
            f"{bond} does not negotiate",
            lambda: "lacp_status: negotiated"
            in switch.appctl("bond/show", bond), 30)
    process.wait_until("the bond does not pass pings",
                       lambda: ping(left, "10.6.0.2", count=1) == 1)
    show = switch.appctl("dpif-netdev/bond-show")
    expect(show.count("bucket") >= 2 * 256,
           f"the data path does not have both bonds:\n{show[:500]}")

    serve_iperf(right)
    before = [port_packets(switch, "br0", p) for p in ("a1", "a2")]
    expect_tcp(left, "10.6.0.2", "--parallel", "16")
    sent = [port_packets(switch, "br0", port) - n
            for port, n in zip(("a1", "a2"), before)]
    expect(min(sent) > 100, f"links a1, a2 took {sent} packets")
    flows = switch.appctl("dpctl/dump-flows")
    expect("lb_output" in flows, f"no flow hands over to the bond:\n{flows}")

    lab.ns.run("ip", "link", "set", "a1", "down")
    process.wait_until("the bond does not survive a link",
                       lambda: ping(left, "10.6.0.2", count=1) == 1)
    expect_ping(left, "10.6.0.2")
    expect_tcp(left, "10.6.0.2", "--parallel", "4")


tell(story)
