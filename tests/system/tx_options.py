#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Transmit thresholds from the database: good values, bad ones, and those
that only the driver refuses.

    br0 --- live (net_ef_tx, receives 10,000 packets a second)
        --- born (likewise)                 options are bad from the start

A value that breaks a rule is an error at creation and refused on a live port;
one that the driver refuses leaves the port with its last good set, which
forwards on; a good one is in force.
"""

from story import add_vdev, config_show, expect, process, tell, tx_driver

NUMBER = "must be driver or a number from 1"
BELOW = "must be below the size of the ring, n_txq_desc"
REFUSED = "the driver refused: Invalid argument"
BASE = {"tx-free-thresh": "128", "tx-rs-thresh": "32", "n_txq_desc": "1024"}
# What is set beside BASE, and the rule for each key that breaks one.
TABLE = [
    ({"tx-free-thresh": "0"}, {"tx-free-thresh": NUMBER}),
    ({"tx-free-thresh": "-1"}, {"tx-free-thresh": NUMBER}),
    ({"tx-free-thresh": "x"}, {"tx-free-thresh": NUMBER}),
    ({"tx-rs-thresh": ""}, {"tx-rs-thresh": NUMBER}),
    ({"tx-rs-thresh": "3.5"}, {"tx-rs-thresh": NUMBER}),
    ({"tx-free-thresh": "1024"}, {"tx-free-thresh": BELOW}),
    ({"tx-rs-thresh": "99999999999"}, {"tx-rs-thresh": BELOW}),
    ({"tx-free-thresh": "1021"}, {"tx-free-thresh": REFUSED}),
    ({"tx-rs-thresh": "33"}, {"tx-rs-thresh": REFUSED}),
    ({"tx-rs-thresh": "256"}, {"tx-rs-thresh": REFUSED}),
    ({"tx-rs-thresh": "48", "n_txq_desc": "512"},
     {"tx-rs-thresh": REFUSED, "n_txq_desc": REFUSED}),
    ({"tx-free-thresh": "1020"}, {}),
    ({"tx-free-thresh": "200", "n_txq_desc": "256"}, {}),
    ({"tx-free-thresh": "driver", "tx-rs-thresh": "16"}, {}),
]


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0")
    add_vdev(switch, "br0", "live", "net_ef_tx0,rx-rate=10000",
             *words(BASE))
    switch.ofctl("add-flow", "br0", "in_port=live actions=in_port")
    for change, rules in TABLE:
        on_live_port(switch, {**BASE, **change}, rules)
        at_creation(switch, {**BASE, **change}, rules)


def words(options):
    return [f'options:{key}="{value}"' for key, value in options.items()]


def expect_rules(switch, port, options, rules):
    for key, value in options.items():
        shown = config_show(switch, f"Interface {port}", key)
        expect(shown.get("rule") == rules.get(key), f"{options}: {key}: "
               f"{shown} instead of {rules.get(key)!r}")
        if key not in rules:
            expect(shown["in_force"] == value, f"{options}: {key}: {shown}")
    process.wait_until(f"{options}: config-error is not {rules}", lambda: all(
        rule in switch.interface(port, "status") for rule in rules.values())
        and bool(rules) == ("config-error" in switch.interface(port, "status"))
        , 7)


def on_live_port(switch, options, rules):
    switch.vsctl("set", "interface", "live", *words(BASE))
    number = switch.interface("live", "ofport")
    switch.vsctl("set", "interface", "live", *words(options))
    expect_rules(switch, "live", options, rules)
    for key in rules:
        shown = config_show(switch, "Interface live", key)
        expect(shown["in_force"] == BASE[key], f"{options}: {key}: {shown}")
    expect(switch.interface("live", "ofport") == number, "another port")
    before = n_sent(switch)
    process.wait_until(f"{options}: nothing is sent any more",
                       lambda: n_sent(switch) > before + 100, 5)


def n_sent(switch):
    return int(switch.ofctl("dump-ports", "br0", "live").split("tx pkts=")[1]
               .split(",")[0])


def at_creation(switch, options, rules):
    broken = [rule for rule in rules.values() if rule != REFUSED]
    switch.vsctl("add-port", "br0", "born", "--", "set", "interface", "born",
                 "type=dpdk", "options:dpdk-devargs=net_ef_tx1",
                 *words(options), check=False)
    error = switch.interface("born", "error")
    expect(all(rule in error for rule in broken) and bool(broken)
           == bool(error), f"{options}: error is {error!r}")
    if not broken:
        expect(int(switch.interface("born", "ofport")) > 0, "no port")
    switch.vsctl("del-port", "br0", "born")


tell(story, dpdk=True, dpdk_driver=tx_driver(), noisy=True)
