#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Access ports keep VLANs apart; a trunk carries their tags.

    red1  10.2.0.1 --[tag 100]--+     +--[tag 100]-- 10.2.0.2 red2
                                +-br0-+
    blue1 10.2.0.3 --[tag 200]--+     +--[trunk]---- listener

Hosts see no tags; the listener on the trunk sees red's and blue's.
"""

import os
import re

from story import expect, expect_ping, pcap, ping, process, tell


def story(lab):
    lab.switch.add_bridge("br0")
    red1 = lab.host("red1", "10.2.0.1/24", port=["tag=100"])
    lab.host("red2", "10.2.0.2/24", port=["tag=100"])
    blue1 = lab.host("blue1", "10.2.0.3/24", port=["tag=200"])
    listener = lab.host("listener", port=["trunks=100,200"])
    recording = os.path.join(lab.run_dir, "trunk.pcap")
    listener.start("tcpdump", "-i", "eth0", "-n", "-U", "-Z", "root",
                   "-w", recording)
    process.wait_until("tcpdump does not listen",
                       lambda: os.path.exists(recording))

    expect_ping(red1, "10.2.0.2")
    expect(ping(blue1, "10.2.0.2", count=2) == 0, "blue reaches red")
    # Address resolution is broadcast, hence seen on the trunk.
    process.wait_until("the trunk does not carry both tags",
                       lambda: tags(recording) == {100, 200}, 5)

    lab.switch.vsctl("set", "port", "blue1", "tag=100")
    expect_ping(blue1, "10.2.0.2")
    table = lab.switch.appctl("fdb/show", "br0")
    vlans = set(re.findall(r"^\s*\S+\s+(\d+)\s+\S+:", table, re.M))
    expect("100" in vlans, f"nothing learned in VLAN 100:\n{table}")


def tags(recording):
    """The VLANs of the frames in 'recording'; None for untagged ones."""
    return {int.from_bytes(frame[14:16], "big") & 0xfff
            if frame[12:14] == b"\x81\x00" else None
            for frame in pcap.read(recording)}


tell(story)
