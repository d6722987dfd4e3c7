#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pools of buffers from the database: good values, and bad ones.

    br0 --- first (net_null, pool "a"; its cache size decides)
        --- live (net_null, pool "a", two rx queues)
        --- born (net_null)                 options are bad from the start

A value that breaks a rule is an error at creation and refused on a live port,
which keeps the pool it has; a good one is in force, and mempool-show knows.
"""

import json

from story import add_vdev, config_show, expect, process, tell

NAME = "a pool's name must be 1 to 20 letters, digits, '-', '_' or '.'"
LIST = "must be a list of QUEUE:NAME"
FORM = "must be auto, a number or a list of CORE:N"
SIZE = "a size must be a number from 0 to 4096"
HALF = "may add up to half of the pool's buffers at most"
POOLS = {"mempool-config": "a:16384,b:2048"}
BASE = {"mempool": "a", "mempool-rxq": "1:b", "mempool-cache-size": "512",
        "n_rxq": "2"}
# What is set beside BASE, and the rule for each key that breaks one.
TABLE = [
    ({"mempool": ""}, {"mempool": NAME}),
    ({"mempool": "a b"}, {"mempool": NAME}),
    ({"mempool": "x" * 21}, {"mempool": NAME}),
    ({"mempool-rxq": "b"}, {"mempool-rxq": LIST}),
    ({"mempool-rxq": "-1:b"}, {"mempool-rxq": LIST}),
    ({"mempool-rxq": "1:"}, {"mempool-rxq": NAME}),
    ({"mempool-rxq": "1:b,1:a"},
     {"mempool-rxq": "a queue must not occur twice"}),
    ({"mempool-rxq": "9999:b"},
     {"mempool-rxq": "a queue must be a number below 1024"}),
    ({"mempool-cache-size": "many"}, {"mempool-cache-size": FORM}),
    ({"mempool-cache-size": "4097"}, {"mempool-cache-size": SIZE}),
    ({"mempool-cache-size": "0:1,0:2"},
     {"mempool-cache-size": "a core must not occur twice"}),
    ({"mempool-cache-size": "256"},
     {"mempool-cache-size": "Interface 'first' has decided on 512"}),
    ({"mempool": "c"}, {}),
    ({"mempool-rxq": "0:b,7:c"}, {}),
]
# Of other_config, likewise.
SWITCH_TABLE = [
    ("mempool-cache-size", "lots", FORM),
    ("mempool-cache-size", "5000", SIZE),
    ("mempool-cache-size", "1:", SIZE),
    ("mempool-cache-size", "1024", None),
    ("mempool-cache-size", "2048", HALF),
    ("mempool-cache-size", "0:256,1:512", None),
    ("mempool-config", "a", "must be a list of NAME:N"),
    ("mempool-config", "a:2048,a:2048", "a pool must not occur twice"),
    ("mempool-config", "a:100",
     "a number of buffers must be from 512 to 2000000"),
    ("mempool-config", "a:16384,b:4096", None),
    ("tx-telemetry", "maybe", "must be 'true' or 'false'"),
    ("tx-telemetry", "false", None),
    ("rx-overload-budget", "51", "must be a number from 0 to 50"),
    ("rx-overload-budget", "-1", "must be a number from 0 to 50"),
    ("rx-overload-budget", "3", None),
]


def story(lab):
    switch = lab.switch
    switch.vsctl("set", "open_vswitch", ".", *words(POOLS, "other_config"))
    switch.add_bridge("br0")
    add_vdev(switch, "br0", "first", "net_null0", *words(BASE))
    add_vdev(switch, "br0", "live", "net_null1", *words(BASE))
    for change, rules in TABLE:
        on_live_port(switch, {**BASE, **change}, rules)
        at_creation(switch, {**BASE, **change}, rules)
    for key, value, rule in SWITCH_TABLE:
        on_switch(switch, key, value, rule)
    expect(pool_of(switch, "b")["n_bufs"] == 2048, "a pool that is in use "
           "has another size")


def words(options, column="options"):
    return [f'{column}:{key}="{value}"' for key, value in options.items()]


def pool_of(switch, name):
    pools = json.loads(switch.appctl("dpif-netdev/mempool-show", "json"))
    return next((pool for pool in pools["pools"] if pool["name"] == name
                 and not pool["is_waiting"]), None)


def on_live_port(switch, options, rules):
    switch.vsctl("set", "interface", "live", *words(BASE))
    number = switch.interface("live", "ofport")
    switch.vsctl("set", "interface", "live", *words(options))
    for key, value in options.items():
        shown = config_show(switch, "Interface live", key)
        rule = rules.get(key)
        expect(rule in shown["rule"] if rule else "rule" not in shown,
               f"{options}: {key}: {shown} instead of {rule!r}")
        expect(shown["in_force"] == (BASE[key] if rule else value),
               f"{options}: {key}: {shown}")
    process.wait_until(f"{options}: config-error is not {rules}", lambda: all(
        rule in switch.interface("live", "status").replace("\\", "")
        for rule in rules.values()), 7)
    expect(switch.interface("live", "ofport") == number, "another port")
    expect(pool_of(switch, "a" if rules else options["mempool"])["n_ports"],
           f"{options}: the pool has no port")


def at_creation(switch, options, rules):
    # What only the state of others forbids is no error of the port's.
    switch.vsctl("add-port", "br0", "born", "--", "set", "interface", "born",
                 "type=dpdk", "options:dpdk-devargs=net_null2",
                 *words(options), check=False)
    error = switch.interface("born", "error").replace("\\", "")
    expect(all(rule in error for rule in rules.values())
           and bool(rules) == bool(error.strip("[]")),
           f"{options}: error is {error!r}")
    switch.vsctl("del-port", "br0", "born")


def on_switch(switch, key, value, rule):
    before = config_show(switch, "Open_vSwitch", key).get("in_force")
    switch.vsctl("set", "open_vswitch", ".",
                 *words({key: value}, "other_config"))
    shown = config_show(switch, "Open_vSwitch", key)
    expect(rule in shown["rule"] if rule else "rule" not in shown,
           f"{key}={value}: {shown}")
    expect(shown["in_force"] == (before if rule else value),
           f"{key}={value}: {shown} instead of {before!r}")


tell(story, dpdk=True, noisy=True)
