#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the switch says about buffers and memory, before and after.

    br0 --- p0 (net_null, plays packets) ---> p1 (net_null)
        --- p2 (net_null), a named pool

memory-plan says what ports will need; with the ports there it says the same of
them.  mempool-show and tx-show tell both forms; wrong arguments are told.
"""

import json
import time

from story import add_vdev, expect, process, tell

PORTS = {
    "p0": [],
    "p1": [],
    "p2": ["options:mempool=ctl", "mtu_request=1000"],
}


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0")
    switch.vsctl("set", "Open_vSwitch", ".",
                 "other_config:mempool-config=ctl:4096")
    txq = pmds(switch) + 1
    expected = plan(switch, f"p0:txq={txq}", f"p1:txq={txq}",
                    f"p2:mtu=1000,mempool=ctl,txq={txq}")
    for number, (name, more) in enumerate(PORTS.items()):
        add_vdev(switch, "br0", name, f"net_null{number},no-rx="
                 f"{int(name != 'p0')}", *more)
    switch.vsctl("set", "interface", "p0", "options:n_rxq=1")
    switch.ofctl("add-flow", "br0", "in_port=p0,actions=output:p1")
    time.sleep(3)
    print_all(switch)

    now = plan(switch)
    expect(now["pools"] == expected["pools"], f"{now}, not {expected}")
    pools = ask(switch, "mempool-show")["pools"]
    for pool in now["pools"]:
        expect(any(all(other[key] == pool[key] for key in (
            "name", "is_named", "socket_id", "buf_size", "n_bufs", "n_ports"))
            for other in pools), f"{pool} is not in {pools}")
    for pool in pools:
        expect(pool["n_free"] + pool["n_in_use"] == pool["n_bufs"], pool)
    ports = ask(switch, "tx-show")["ports"]
    expect([port["name"] for port in ports] == ["p0", "p1", "p2"], ports)
    expect(ask(switch, "tx-show", "p1")["ports"][0]["name"] == "p1", "p1")
    for args, answer in (
            (["tx-show", "p9"], "'p9': DPDK has no such port"),
            (["tx-show", "br0"], "'br0': DPDK has no such port"),
            (["tx-show", "p0", "p1"], "'p1': the last argument must be"),
            (["mempool-show", "p0"], "'p0': the only argument is 'json'"),
            (["memory-plan", "p0:mtu=x"], "'p0:mtu=x': must be a number"),
            (["memory-plan", "p0", "p0"], "'p0': a port must occur once")):
        expect_error(switch, args, answer)


def pmds(switch):
    text = switch.appctl("dpif-netdev/pmd-stats-show")
    return max(text.count("pmd thread numa_id"), 1)


def ask(switch, command, *args):
    return json.loads(switch.appctl(f"dpif-netdev/{command}", *args, "json"))


def plan(switch, *specs):
    return ask(switch, "memory-plan", *specs)


def print_all(switch):
    """For whoever reads the story's log."""
    for command in "mempool-show", "tx-show", "memory-plan":
        print(switch.appctl(f"dpif-netdev/{command}"))


def expect_error(switch, args, answer):
    try:
        text = switch.appctl(f"dpif-netdev/{args[0]}", *args[1:])
    except process.RigError as error:
        expect(answer in str(error), f"{args}: {error}")
    else:
        expect(False, f"{args}: {text}")


tell(story, dpdk=True)
