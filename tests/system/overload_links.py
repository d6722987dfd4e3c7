#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Links whose frames come among twice the data that the PMD can forward.

             +-- a1 ~~~~ b1 --+
    br0 bond=+                +=bond br1 --- c
             +-- a2 ~~~~ b2 --+
                     data

All are net_ef_tx, polled by one PMD; wires join a1 and b1, a2 and b2.  Over
each go LACP, a frame a second, and BFD, ten a second; of either three may be
missing.  They come to b1 and b2 among data for c.

With rx-overload-budget nothing flaps.  Beside it the switch without it, and
Debian's, of which nothing is expected but that the data is too much for them.
EF_SECONDS is how long each is looked at, EF_SIDES which of them are.
"""

import os
import re
import time

from story import (Lab, TxControl, add_vdev, debian, expect, process, tell,
                   tx_driver)

SECONDS = int(os.environ.get("EF_SECONDS", "20"))
SIDES = os.environ.get("EF_SIDES", "with without debian").split()
TOO_MUCH = 40_000_000
LINKS = ("a1", "b1"), ("a2", "b2")
LAST = os.cpu_count() - 1
OPTIONS = {"dpdk": True, "dpdk_driver": tx_driver(),
           "cpus": {0} if LAST else None,
           "config": [f"pmd-cpu-mask={1 << LAST:x}"]}


def story(lab):
    for side in SIDES:
        if side == "debian":
            with Lab(debian.find_switch(os.environ["EF_CACHE"]), lab.ovs_dir,
                     **OPTIONS) as other:
                look_at(other, side)
        else:
            look_at(lab, side)


def look_at(lab, side):
    switch = lab.switch
    controls = set_up(lab, side)
    flood(controls, TOO_MUCH)
    time.sleep(1)
    capacity = max(forwarded_in(switch, 1) for _try in range(4))
    flood(controls, 2 * capacity)
    if side == "with":
        switch.vsctl("set", "Open_vSwitch", ".",
                     "other_config:rx-overload-budget=50")
    process.wait_until("links do not come up again", lambda: side != "with"
                       or not down(switch), 20)
    found = measure(switch)
    share = found["forwarded"] / (2 * capacity * SECONDS)
    print(f"{side}: offered {2 * capacity / 1e6:.2f} Mpps, {share:.2f} of it "
          f"forwarded;\n    {found}", flush=True)
    expect(share < 0.7, f"{side}: the PMD keeps up with {share:.2f} of it")
    expect(side != "with" or not (found["bfd_changes"] or found["seen_down"]
                                  or found["lacp_expired"]), "links flap")
    for bridge in "br0", "br1":
        switch.vsctl("del-br", bridge)
    switch.vsctl("remove", "Open_vSwitch", ".", "other_config",
                 "rx-overload-budget")


def set_up(lab, side):
    switch = lab.switch
    controls = []
    for bridge, end in ("br0", 0), ("br1", 1):
        words = ["add-bond", bridge, f"bond{end}",
                 *(link[end] for link in LINKS), "bond_mode=balance-tcp",
                 "lacp=active", "other_config:lacp-time=fast"]
        for wire, link in enumerate(LINKS):
            path = f"{lab.run_dir}/{side}-{link[end]}"
            words += ["--", "set", "interface", link[end], "type=dpdk",
                      f"options:dpdk-devargs=net_ef_tx_{link[end]},"
                      f"wire={wire},control={path}",
                      "options:n_rxq_desc=4096",
                      "bfd:enable=true", "bfd:min_rx=100", "bfd:min_tx=100"]
            if end:
                controls.append(TxControl(path))
        switch.add_bridge(bridge)
        switch.vsctl(*words)
    add_vdev(switch, "br1", "c", "net_ef_tx_c")
    for flow in "actions=ct(table=1)", "table=1,actions=output:c":
        switch.ofctl("add-flow", "br1", f"udp,tp_dst=9,{flow}")
    process.wait_until("links do not come up", lambda: not down(switch), 30)
    return controls


def flood(controls, rate):
    for control in controls:
        control.set(rx_rate=round(rate / len(controls)))


def forwarded(switch):
    out = switch.ofctl("dump-ports", "br1", "c")
    return int(re.search(r"tx pkts=(\d+)", out)[1])


def forwarded_in(switch, seconds):
    """Packets a second."""
    before, start = forwarded(switch), time.monotonic()
    time.sleep(seconds)
    return (forwarded(switch) - before) / (time.monotonic() - start)


def down(switch):
    """What is not as it should be, of four ends each."""
    state = {
        "BFD": switch.appctl("bfd/show").count("Local Session State: up"),
        "LACP": len(re.findall("member: .*: current",
                               switch.appctl("lacp/show"))),
        "bond": len(re.findall("member .*: enabled",
                               switch.appctl("bond/show"))),
        "OVSDB": switch.vsctl("--columns=name", "find", "interface",
                              "bfd_status:state=up", "lacp_current=true",
                              "bfd_status:forwarding=true").count("name")}
    return [name for name, n_good in state.items() if n_good < 4]


def counters(switch):
    """What has happened; each BFD session counts its ups and downs."""
    ports = switch.ofctl("-OOpenFlow14", "dump-ports", "br1")
    bfd = switch.vsctl("--columns=bfd_status", "list", "interface")
    lacp = switch.appctl("lacp/show-stats")

    def total(pattern, text=lacp):
        return sum(map(int, re.findall(pattern, text)))
    shed = total(r"ovs_rx_overload_drops=(\d+)", ports)
    return {"forwarded": forwarded(switch), "shed": shed,
            "missed": total(r"rx .*drop=(\d+)", ports) - shed,
            "bfd_changes": total(r'flap_count="(\d+)', bfd),
            "lacp_expired": total(r"Link Expired: (\d+)"),
            "lacp_sent": total(r"member: a\d:\s+TX PDUs: (\d+)"),
            "lacp_came": total(r"member: b\d:\s+TX.*\s+RX PDUs: (\d+)")}


def measure(switch):
    """What happens within SECONDS."""
    before, seen = counters(switch), {}
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for name in down(switch):
            seen[name] = seen.get(name, 0) + 1
        time.sleep(0.2)
    found = {name: n - before[name] for name, n in counters(switch).items()}
    return {**found, "seen_down": seen}


tell(story, **OPTIONS)
