#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A port whose consumer stops takes nothing from the others.

    a (pool "small") --- br0 --- stuck     the wire stands still after a while
    b (pool "other") --- br0 --- c         loses nothing

All are net_ef_tx.  The ring of "stuck" is longer than the pool of "a": its
buffers all end there, and "a" receives no more.
"""

import json
import re
import time

from story import TxControl, add_vdev, expect, process, tell, tx_driver

SMALL = 2048
STUCK_S = 3


def story(lab):
    switch = lab.switch
    switch.vsctl("set", "Open_vSwitch", ".", "other_config:mempool-config="
                 f'"small:{SMALL},other:16384"')
    switch.add_bridge("br0")
    stuck, b = (TxControl(f"{lab.run_dir}/{name}") for name in ("stuck", "b"))
    add_vdev(switch, "br0", "stuck", f"net_ef_tx1,control={stuck.path}",
             "options:n_txq_desc=4096")
    add_vdev(switch, "br0", "c", "net_ef_tx3")
    add_vdev(switch, "br0", "a", "net_ef_tx0,rx-rate=50000",
             "options:mempool=small", "options:n_rxq_desc=256")
    add_vdev(switch, "br0", "b", f"net_ef_tx2,control={b.path}",
             "options:mempool=other", "options:n_rxq_desc=4096")
    switch.ofctl("add-flow", "br0", "in_port=a actions=output:stuck")
    switch.ofctl("add-flow", "br0", "in_port=b actions=output:c")
    process.wait_until("nothing passes", lambda: packets(switch, "stuck", "tx")
                       > 1000, 10)

    before = [packets(switch, "b", "rx"), packets(switch, "c", "tx")]
    stuck.set(stop=1)
    b.set(rx_rate=20000)
    process.wait_until("the small pool does not run out", lambda: pool(
        switch, "small")["n_free"] < 100, 20)
    received = packets(switch, "a", "rx")
    time.sleep(STUCK_S)
    # A packet may still have come with the last buffer.
    expect(packets(switch, "a", "rx") - received < SMALL,
           "a receives without buffers")
    b.set(rx_rate=0)
    time.sleep(0.5)
    came = packets(switch, "b", "rx") - before[0]
    went = packets(switch, "c", "tx") - before[1]
    lost = packets(switch, "b", "rx", "drop") + packets(switch, "c", "tx",
                                                        "drop")
    expect(came >= 20000 * STUCK_S, f"b received only {came} packets")
    expect(came == went and not lost,
           f"{came} came to b, {went} went from c, {lost} lost")

    # It goes on where it stopped.
    stuck.set(stop=0)
    sent = packets(switch, "stuck", "tx")
    process.wait_until("the port does not recover", lambda: packets(
        switch, "stuck", "tx") > sent + 10000, 10)
    print(f"{came} packets passed a port that was stuck for {STUCK_S} s")


def packets(switch, port, direction, what="pkts"):
    out = switch.ofctl("dump-ports", "br0", port)
    line = re.search(rf"{direction} (pkts=.*)", out)[1]
    return int(re.search(rf"{what}=(\d+)", line)[1])


def pool(switch, name):
    pools = json.loads(switch.appctl("dpif-netdev/mempool-show", "json"))
    return next(p for p in pools["pools"] if p["name"] == name)


tell(story, dpdk=True, dpdk_driver=tx_driver())
