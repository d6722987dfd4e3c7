#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Classes of a port: urgent packets do not wait with bulk traffic.

    bulk   (net_ef_tx, receives 20,000 packets a second) --- br0 --- out
    urgent (net_ef_tx, receives  1,000 packets a second) ---         net_ef_tx

With an interval of half a second all packets of "out" wait for each other;
those of queue 1, which has a target of 0, leave after each receive batch.
"""

import time

from story import add_vdev, expect, process, tell, tx_driver

INTERVAL_US = 500000


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0")
    switch.vsctl("set", "Open_vSwitch", ".",
                 f"other_config:tx-flush-interval={INTERVAL_US}")
    add_vdev(switch, "br0", "out", "net_ef_tx0")
    add_vdev(switch, "br0", "urgent", "net_ef_tx1,rx-rate=1000")
    switch.ofctl("add-flow", "br0",
                 "in_port=urgent,actions=set_queue:1,output:out")
    alone = batch_size(switch)
    expect(alone > 20, f"batches of {alone} although all packets wait")

    add_queue(switch)
    process.wait_until("the urgent class still waits",
                       lambda: batch_size(switch) < 2, 10)
    rejected(switch)

    # Beside bulk traffic: each class has its batches.
    add_vdev(switch, "br0", "bulk", "net_ef_tx2,rx-rate=20000")
    switch.ofctl("add-flow", "br0", "in_port=bulk,actions=output:out")
    before = queue_packets(switch)
    mixed = batch_size(switch, 3)
    # 1,000 batches of 1 and 20,000 / 32 of 32.
    expect(8 < mixed < 20, f"batches of {mixed} with two classes")
    n = queue_packets(switch) - before
    expect(n > 1000, f"{n} packets of the class in 3 s")

    switch.vsctl("--", "clear", "port", "out", "qos")
    process.wait_until("the class is still there",
                       lambda: batch_size(switch) > 20, 10)


def add_queue(switch):
    switch.vsctl("set", "port", "out", "qos=@q", "--", "--id=@q", "create",
                 "QoS", "type=egress-batching", "queues:1=@u", "--",
                 "--id=@u", "create", "Queue",
                 "other_config:latency-target=0")


def rejected(switch):
    """A value that breaks the rule leaves the class as it was."""
    queue = switch.vsctl("--columns=_uuid", "--bare", "list", "Queue").strip()
    switch.vsctl("set", "Queue", queue, "other_config:latency-target=never")
    process.wait_until("nothing is logged", lambda: switch.log_has(
        "'latency-target=never': must be a number from 0 to 10000"), 5)
    expect(batch_size(switch) < 2, "a refused value took effect")
    switch.vsctl("set", "Queue", queue, "other_config:latency-target=0")


def batch_size(switch, seconds=1):
    """Of what is sent in a while."""
    switch.appctl("dpif-netdev/pmd-stats-clear")
    time.sleep(seconds)
    return switch.pmd_stats()["avg. packets per output batch"]


def queue_packets(switch):
    text = switch.ofctl("queue-stats", "br0", "out", "1")
    return int(text.split("pkts=")[1].split(",")[0])


tell(story, dpdk=True, dpdk_driver=tx_driver(), noisy=True)
