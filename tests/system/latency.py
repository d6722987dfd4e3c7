#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where packets spend their time in the switch.

    in (net_ef_tx, 20,000 packets a second) --- br0 --- out (net_null)

A batch that is held for 100 us is shown as that in the stage "hold", and not
in "work"; without tx-flush-interval nothing is held.
"""

import json
import time

from story import add_vdev, config_show, expect, port_packets, process
from story import tell, tx_driver

INTERVAL_US = 100
RULE = "must be a number from 0 to 1000000"
STAGES = ["wait", "lookup", "work", "hold", "total"]
COLUMNS = ["p50_ns", "p90_ns", "p99_ns", "p99.9_ns", "max_ns"]


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0")
    add_vdev(switch, "br0", "in", "net_ef_tx0,rx-rate=20000")
    add_vdev(switch, "br0", "out", "net_null0,no-rx=1")
    switch.ofctl("add-flow", "br0", "in_port=in actions=output:out")
    sample(switch, 4)

    hold = [measure(switch, us) for us in (0, INTERVAL_US, 0)]
    print(f"median hold: {hold} ns")
    expect(hold[0] < 20_000 and hold[2] < 20_000, "held without an interval")
    expect(INTERVAL_US * 400 < hold[1] < INTERVAL_US * 3000,
           f"not held for about {INTERVAL_US} us")

    expect("in -> out, class 0" in switch.appctl("dpif-netdev/latency-show",
                                                 "out"), "not in the text")
    for words in [("nosuch",), ("in", "out")]:
        try:
            switch.appctl("dpif-netdev/latency-show", *words)
        except process.RigError as error:
            expect(f"'{words[-1]}':" in str(error), f"no reason: {error}")
        else:
            expect(False, f"{words}: accepted")

    for value in ["-1", "1000001", "1.5", "often", ""]:
        sample(switch, f'"{value}"')
        shown = config_show(switch, "Open_vSwitch", "latency-sample")
        expect(shown["in_force"] == "4" and shown.get("rule") == RULE,
               f"latency-sample={value!r}: {shown}")
    expect(facts(switch)["sample"] == 4, "a refused value is in force")

    # Off is off, at once.
    sample(switch, 0)
    time.sleep(0.2)
    switch.appctl("dpif-netdev/latency-clear")
    time.sleep(0.5)
    shown = facts(switch)
    expect(shown["sample"] == 0 and not shown["pairs"], f"not off: {shown}")


def sample(switch, value):
    switch.vsctl("set", "Open_vSwitch", ".",
                 f"other_config:latency-sample={value}")


def facts(switch, *args):
    return json.loads(switch.appctl("dpif-netdev/latency-show", *args, "json"))


def measure(switch, interval_us):
    """Returns the median of the stage "hold" in ns."""
    switch.vsctl("set", "Open_vSwitch", ".",
                 f"other_config:tx-flush-interval={interval_us}")
    time.sleep(0.2)
    n_before = port_packets(switch, "br0", "out")
    switch.appctl("dpif-netdev/latency-clear")
    time.sleep(2)
    pairs = facts(switch, "in")["pairs"]
    n_sent = port_packets(switch, "br0", "out") - n_before
    expect(len(pairs) == 1, f"not one pair of ports: {pairs}")
    pair = pairs[0]
    stages = pair["stages"]
    n = stages["total"]["n"]
    expect(20 < n_sent / 6 < n < n_sent / 2,
           f"{n} samples of {n_sent} packets, one in 4")
    expect((pair["in"], pair["out"]) == ("in", "out"), f"ports: {pair}")
    expect(stages["wait"]["n"] + pair["n_wait_unknown"] == n, f"wait: {pair}")
    for stage in STAGES:
        values = [stages[stage][column] for column in COLUMNS]
        expect(values == sorted(values), f"{stage} is not in order: {values}")
    expect(1 <= pair["batch"]["p50"] <= 32, f"batches: {pair['batch']}")
    return stages["hold"]["p50_ns"]


tell(story, dpdk=True, dpdk_driver=tx_driver(), noisy=True)
