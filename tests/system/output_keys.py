#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Latency targets and batches from the database: good values and bad ones.

    br0 --- live (net_ef_tx, receives 10,000 packets a second)
        --- born (net_null)             options are there from the start

A bad value is refused with its rule, and what was in force stays, traffic
too; without one before, that is the default.  A bad rx-burst is an error of a
new port.
"""

from story import add_vdev, config_show, expect, process, tell, tx_driver

TARGET = "must be a number from 0 to 10000"
BATCH = "must be a number from 1 to 32"
PERCENT = "must be a number from 1 to 100"
# Key, a good value, values that break the rule.
OF_SWITCH = [
    ("latency-target", "25", TARGET, ["-1", "10001", "", "1.5", "soon"]),
    ("tx-watermark", "50", PERCENT, ["0", "101", "50%", "-3", ""]),
]
OF_PORT = [
    ("other_config:latency-target", "0", TARGET, ["-1", "10001", "20us"]),
    ("other_config:output-batch", "16", BATCH, ["0", "33", "-16", "all"]),
    ("options:rx-burst", "8", BATCH, ["0", "33", "1e1", ""]),
]


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0")
    add_vdev(switch, "br0", "live", "net_ef_tx0,rx-rate=10000")
    switch.ofctl("add-flow", "br0", "in_port=live actions=in_port")
    for key, good, rule, bad in OF_SWITCH:
        def write(value, key=key):
            switch.vsctl("set", "Open_vSwitch", ".",
                         f'other_config:{key}="{value}"')

        check(switch, "Open_vSwitch", key, write, good, rule, bad)
    for key, good, rule, bad in OF_PORT:
        def write(value, key=key):
            switch.vsctl("set", "interface", "live", f'{key}="{value}"')

        check(switch, "Interface live", key.split(":")[1], write, good, rule,
              bad)
        for value in bad:
            at_creation(switch, key, value, rule)


def check(switch, scope, key, write, good, rule, bad):
    write(good)
    shown = config_show(switch, scope, key)
    expect(shown["in_force"] == good and "rule" not in shown,
           f"{key}={good}: {shown}")
    for value in bad:
        write(value)
        shown = config_show(switch, scope, key)
        expect(shown["in_force"] == good and shown.get("rule") == rule,
               f"{key}={value!r}: {shown}")
    write(good)
    expect("rule" not in config_show(switch, scope, key),
           f"{key}: the refusal stays")
    before = n_sent(switch)
    process.wait_until(f"{key}: nothing is sent any more",
                       lambda: n_sent(switch) > before + 100, 5)


def n_sent(switch):
    return int(switch.ofctl("dump-ports", "br0", "live").split("tx pkts=")[1]
               .split(",")[0])


def at_creation(switch, key, value, rule):
    switch.vsctl("add-port", "br0", "born", "--", "set", "interface", "born",
                 "type=dpdk", "options:dpdk-devargs=net_null0,no-rx=1",
                 f'{key}="{value}"', check=False)
    error = switch.interface("born", "error")
    if key.startswith("options:"):
        expect(rule in error, f"{key}={value!r}: error is {error!r}")
    else:
        shown = config_show(switch, "Interface born", key.split(":")[1])
        expect(not error and shown.get("rule") == rule
               and not shown.get("in_force"), f"{key}={value!r}: {shown}")
    switch.vsctl("del-port", "br0", "born")


tell(story, dpdk=True, dpdk_driver=tx_driver(), noisy=True)
