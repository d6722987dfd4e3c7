#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the switch tells of buffers that a driver has.

    in (net_ef_tx, 200,000 packets a second) --- br0 --- out (net_ef_tx)
                                                         control file

With late thresholds many buffers wait in the ring of "out" and go at once: the
number in flight swings, tx-show and an alarm say so, and the values that
tx-show proposes end it.  Buffers that nothing returns are seen within a
second.
"""

import json
import time

from story import TxControl, add_vdev, expect, process, tell, tx_driver

RATE = 200_000
RING = 1024
SEEN_MAX_S = 1


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0")
    control = TxControl(f"{lab.run_dir}/out")
    add_vdev(switch, "br0", "in", f"net_ef_tx0,rx-rate={RATE}",
             # A thread that was not run finds little to catch up with.
             "options:n_rxq_desc=64")
    add_vdev(switch, "br0", "out", f"net_ef_tx1,delay-us=20,cleanup=0,"
             f"control={control.path}", f"options:n_txq_desc={RING}",
             "options:tx-free-thresh=512", "options:tx-rs-thresh=512")
    switch.ofctl("add-flow", "br0", "in_port=in actions=output:out")

    process.wait_until("no swing is seen", lambda: swing(switch) > RING / 4,
                       10)
    process.wait_until("no alarm names the thresholds", lambda: "thresh" in
                       (port(switch)["alarm"] or ""), 20)
    process.wait_until("no alarm in the status", lambda: "tx-alarm" in
                       switch.interface("out", "status"), 10)

    wide, before = swing(switch), port(switch)
    tuned = [before["proposed_free"], before["proposed_rs"]]
    expect(all(tuned), f"nothing is proposed: {before}")
    switch.vsctl("set", "interface", "out",
                 f"options:tx-free-thresh={tuned[0]}",
                 f"options:tx-rs-thresh={tuned[1]}")
    process.wait_until(f"{tuned}: it swings on", lambda: 0 <= swing(switch)
                       < wide / 2, 10)
    process.wait_until("the alarm stays", lambda: not port(switch)["alarm"],
                       30)
    narrow = swing(switch)
    print(f"thresholds 512/512: swing {wide}; {tuned[0]}/{tuned[1]}: "
          f"{narrow}")

    # The wire stands still.
    control.set(stop=1)
    expect_soon("the age of what waits does not grow", lambda: max(
        watch["oldest_us"] for watch in watches(switch)) > 300_000)
    control.set(stop=0)
    expect_soon("what waited is not over", lambda: max(
        watch["oldest_us"] for watch in watches(switch)) < 300_000)

    # Single buffers that never come back.
    lost = n_lost(switch)
    control.set(hold=3)
    expect_soon("no lost buffer is seen", lambda: n_lost(switch) > lost)
    control.set(hold=0)


def port(switch):
    return json.loads(switch.appctl("dpif-netdev/tx-show", "out", "json")
                      )["ports"][0]


def watches(switch):
    return [queue["watch"] for queue in port(switch)["queues"]]


def swing(switch):
    """The widest of a queue within the last full second; -1 if unknown."""
    return max(w["max_in_flight"] - w["min_in_flight"]
               if w["n_windows"] and not w["is_idle"] else -1
               for w in watches(switch))


def n_lost(switch):
    return sum(watch["n_lost"] for watch in watches(switch))


def expect_soon(otherwise, condition):
    began = time.monotonic()
    process.wait_until(otherwise, condition, 5, interval=0.05)
    took = time.monotonic() - began
    print(f"{took:.2f} s until not: {otherwise}")
    expect(took < SEEN_MAX_S + 0.2, f"{otherwise} for {took:.1f} s")


tell(story, dpdk=True, dpdk_driver=tx_driver(), noisy=True)
