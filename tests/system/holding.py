#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Batches under load, and none without.

    pcap (net_pcap, replays 64 flows) --- br0 --- out0 ... out7 (net_null)
    slow (net_ef_tx, 20,000 packets a second) --- out0

The PMD gets more than it can do: with a target batches grow, and so does what
it forwards.  A port that gets few packets sends them as they come, whatever
the target is.
"""

import os
import time

from story import add_vdev, expect, pcap, process, tell, tx_driver

N_PORTS = 8
N_FLOWS = 64
SRC = 10 << 24
DST = 16 << 24


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0", "fail_mode=secure")
    for i in range(N_PORTS):
        add_vdev(switch, "br0", f"out{i}", f"net_null{i},no-rx=1")
        switch.ofctl("add-flow", "br0", f"udp,tp_dst={2000 + i},"
                     f"actions=output:out{i}")
    frames = [pcap.udp_frame(SRC + i, DST + i, 1000, 2000 + i % N_PORTS,
                             size=64) for i in range(N_FLOWS)]
    recording = os.path.join(lab.run_dir, "flows.pcap")
    pcap.write(recording, frames)
    add_vdev(switch, "br0", "pcap",
             f"net_pcap0,rx_pcap={recording},infinite_rx=1")
    process.wait_until("the flows are not there", lambda: "current 8)" in
                       switch.appctl("upcall/show"), 30)

    at_once = measure(switch, "0")
    expect(at_once < 8, f"batches of {at_once} without a target")
    held = measure(switch, "200")
    expect(held > 3 * at_once, f"batches of {held} with a target of 200 us, "
           f"{at_once} without")
    again = measure(switch, "0")
    expect(again < 8, f"batches of {again} after the target went")
    few(switch)


def few(switch):
    """Nothing else is there: a packet goes as it comes."""
    switch.vsctl("del-port", "br0", "pcap")
    add_vdev(switch, "br0", "slow", "net_ef_tx0,rx-rate=20000")
    switch.ofctl("add-flow", "br0", "in_port=slow,actions=output:out0")
    time.sleep(1)
    as_they_come = measure(switch, "0")
    held = measure(switch, "10000")
    expect(held < 2 * as_they_come, f"batches of {held} at 20,000 packets a "
           f"second, which come by {as_they_come}")


def measure(switch, target_us):
    """The size of batches that are sent, with this target."""
    switch.vsctl("set", "Open_vSwitch", ".",
                 f"other_config:latency-target={target_us}")
    time.sleep(0.5)
    switch.appctl("dpif-netdev/pmd-stats-clear")
    time.sleep(1)
    return switch.pmd_stats()["avg. packets per output batch"]


tell(story, dpdk=True, dpdk_driver=tx_driver(), noisy=True)
