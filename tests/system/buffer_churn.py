#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MTU changes and port re-creations with traffic, EF_CHURN rounds (30).

    in  --- br0 --- out     net_ef_tx: each receives 50,000 packets a second,
                            for the other; completion takes a millisecond, so
                            that there always are buffers in the rings

Nothing crashes; no buffer stays away when the ports are gone, and no pool.
"""

import json
import os

from story import add_vdev, expect, process, tell, tx_driver

ROUNDS = int(os.environ.get("EF_CHURN", 30))
MTUS = (1500, 3000, 2000, 4500)
PORTS = {"in": 0, "out": 1}
# Pools in use, those that wait for their last buffers, and one that is kept
# for a port that comes back.
POOLS_MAX = 8


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0")
    for name in PORTS:
        add(switch, name)
    switch.ofctl("add-flow", "br0", "in_port=in actions=output:out")
    switch.ofctl("add-flow", "br0", "in_port=out actions=output:in")
    for n in range(ROUNDS):
        name = list(PORTS)[n // 2 % 2]
        if n % 2:
            switch.vsctl("del-port", "br0", name)
            add(switch, name)
        else:
            mtu = MTUS[n // 2 % len(MTUS)]
            switch.vsctl("set", "interface", name, f"mtu_request={mtu}")
        expect(switch.is_running(), f"the switch died in round {n}")
        if n % 10 == 0:
            check(switch, n)
    check(switch, ROUNDS)
    for name in PORTS:
        switch.vsctl("del-port", "br0", name)
    process.wait_until("buffers are missing or pools stay",
                       lambda: not any(p["n_in_use"] or p["n_ports"]
                                       for p in pools(switch)), 30)
    print(f"{ROUNDS} rounds, {len(pools(switch))} pools are kept, all of "
          "their buffers are home")


def add(switch, name):
    add_vdev(switch, "br0", name, f"net_ef_tx{PORTS[name]},rx-rate=50000,"
             "delay-us=1000", "options:n_rxq_desc=512",
             f"ofport_request={PORTS[name] + 1}")


def pools(switch):
    return json.loads(switch.appctl("dpif-netdev/mempool-show",
                                    "json"))["pools"]


def check(switch, n):
    now = pools(switch)
    expect(len(now) <= POOLS_MAX, f"round {n}: {len(now)} pools: {now}")
    for pool in now:
        expect(pool["n_free"] + pool["n_in_use"] == pool["n_bufs"],
               f"round {n}: {pool}")
    for name in PORTS:
        check_traffic(switch, name)


def check_traffic(switch, name):
    def sent():
        return int(switch.ofctl("dump-ports", "br0", name).split(
            "tx pkts=")[1].split(",")[0])

    before = sent()
    process.wait_until(f"nothing goes through {name}",
                       lambda: sent() > before + 100, 10)


tell(story, dpdk=True, dpdk_driver=tx_driver(),
     config=("per-port-memory=true",))
