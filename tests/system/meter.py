#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A meter limits what passes, to the rate that it says.

    left 10.5.0.1 --- br0 (meter on left's UDP) --- 10.5.0.2 right

UDP of 40 Mbit/s is cut to the meter's 10, later to 20; TCP is left alone.
"""

import re

from story import expect, expect_ping, expect_tcp, iperf, serve_iperf, tell

OFFERED = "40M"


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0")
    left = lab.host("left", "10.5.0.1/24")
    right = lab.host("right", "10.5.0.2/24")
    serve_iperf(right)
    expect_ping(left, "10.5.0.2")
    rate = udp_rate(left)
    expect(rate > 36, f"without a meter only {rate:.1f} Mbit/s pass")

    switch.ofctl("-O", "OpenFlow13", "add-meter", "br0", meter(10))
    switch.ofctl("-O", "OpenFlow13", "add-flow", "br0",
                 "priority=9,udp,in_port=left,actions=meter:1,normal")
    for limit in 10, 20:
        switch.ofctl("-O", "OpenFlow13", "mod-meter", "br0", meter(limit))
        rate = udp_rate(left)
        expect(0.85 * limit < rate < 1.15 * limit,
               f"{limit} Mbit/s are allowed, {rate:.1f} pass")
    stats = switch.ofctl("-O", "OpenFlow13", "meter-stats", "br0")
    bands = re.search(r"bands:\s*0: packet_count:(\d+)", stats)
    expect(bands and int(bands[1]) > 1000, f"nothing dropped:\n{stats}")
    dropped = switch.appctl("coverage/read-counter", "datapath_drop_meter")
    expect(int(dropped) >= int(bands[1]), f"{dropped.strip()} drops counted")
    expect_tcp(left, "10.5.0.2")


def meter(mbps):
    """A burst of a tenth of a second: small beside what is measured."""
    return (f"meter=1,kbps,burst,stats,band=type=drop,rate={mbps * 1000},"
            f"burst_size={mbps * 100}")


def udp_rate(host):
    """What arrives, in Mbit/s with all headers."""
    end = iperf(host, "10.5.0.2", "--udp", "--bitrate", OFFERED, "--length",
                "1400", seconds=4)["sum"]
    arrived = end["packets"] - end["lost_packets"]
    return arrived * (1400 + 42) * 8 / end["seconds"] / 1e6


tell(story)
