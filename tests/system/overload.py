#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A PMD that gets more than it can handle, and what it loses.

    in (net_ef_tx, 1.4 times what the PMD --- br0 --- out (net_ef_tx)
        can do; one packet of 50 is an ARP request)

The ring of "in" runs full.  Without rx-overload-budget ARP is lost at the
device as all else; with it hardly any, and what is shed is counted.
"""

import re
import time

from story import TxControl, add_vdev, expect, process, tell, tx_driver

TOO_MANY = 50_000_000
OVERLOAD = 1.4
INTERVAL = 50
SECONDS = 3


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0", "fail_mode=secure")
    switch.ofctl("add-flow", "br0", "arp actions=output:2")
    switch.ofctl("add-flow", "br0", "udp actions=output:2")
    add_vdev(switch, "br0", "out", "net_ef_tx1", "ofport_request=2")
    control = TxControl(f"{lab.run_dir}/in")
    add_vdev(switch, "br0", "in", f"net_ef_tx0,rx-rate={TOO_MANY},"
             f"rx-arp={INTERVAL},control={control.path}",
             "options:n_rxq_desc=4096",
             "ofport_request=1")
    process.wait_until("nothing passes", lambda: arps(switch) > 1000, 10)

    before = arps(switch)
    time.sleep(SECONDS)
    control.set(rx_rate=round(OVERLOAD * INTERVAL / SECONDS
                              * (arps(switch) - before)))
    time.sleep(1)

    without = measure(switch)
    expect(without < 0.9, f"the PMD keeps up: {without:.3f} of ARP passes")
    expect("ovs_rx_overload_drops" not in statistics(switch),
           "data is shed although that is off")
    switch.vsctl("set", "open_vswitch", ".",
                 "other_config:rx-overload-budget=50")
    process.wait_until("no data is shed", lambda: statistics(switch).get(
        "ovs_rx_overload_drops", 0) > 1000, 10)
    with_budget = measure(switch)
    expect(with_budget > 1 - (1 - without) / 2,
           f"{with_budget:.3f} of ARP passes, {without:.3f} without")
    expect(statistics(switch)["ovs_rx_priority_packets"] > 1000,
           "ARP is not counted")
    switch.vsctl("remove", "open_vswitch", ".", "other_config",
                 "rx-overload-budget")
    time.sleep(1)
    again = measure(switch)
    expect(again < 1 - (1 - with_budget) * 1.5,
           f"{again:.3f} of ARP passes when it is off again")
    print(f"of the ARP requests passed: {without:.3f} without, "
          f"{with_budget:.3f} with, {again:.3f} without")


def measure(switch):
    """Which part of the ARP requests that came was forwarded."""
    before = arrived(switch), arps(switch)
    time.sleep(SECONDS)
    after = arrived(switch), arps(switch)
    return (after[1] - before[1]) * INTERVAL / (after[0] - before[0])


def arps(switch):
    """Forwarded, by the data path's own count."""
    flows = switch.appctl("dpctl/dump-flows")
    return sum(map(int, re.findall(r"eth_type\(0x0806\).*packets:(\d+)",
                                   flows)))


def statistics(switch):
    out = switch.vsctl("get", "interface", "in", "statistics")
    return {name: int(n) for name, n in re.findall(r"(\w+)=(\d+)", out)}


def arrived(switch):
    """Received or lost at the device; what is shed was received."""
    out = switch.ofctl("-OOpenFlow14", "dump-ports", "br0", "in")
    rx = dict(re.findall(r"(\w+)=(\d+)", re.search(r"rx .*", out)[0]))
    shed = re.search(r"ovs_rx_overload_drops=(\d+)", out)
    return int(rx["pkts"]) + int(rx["drop"]) - (int(shed[1]) if shed else 0)


tell(story, dpdk=True, dpdk_driver=tx_driver())
