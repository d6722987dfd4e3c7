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
The data are first of known flows, then each packet is a flow of its own, for
the slow path.  EF_SECONDS is how long each is looked at; EF_SIDES and EF_DATA
are which of them; EF_TIMES is how often what the PMD can do is offered.
"""

import os
import re
import time

from story import (Lab, TxControl, add_vdev, debian, expect, process, tell,
                   tx_driver)

SECONDS = int(os.environ.get("EF_SECONDS", "20"))
SIDES = os.environ.get("EF_SIDES", "with without debian").split()
TIMES = float(os.environ.get("EF_TIMES", "2"))
TOO_MUCH = 40_000_000
# Data of a few connections, and such of which each packet is a new flow.
DATA = {
    "known": ("", ["actions=ct(table=1)", "table=1,actions=output:c"]),
    "new": (",rx-sources=16777216",
            ["actions=move:NXM_OF_IP_SRC[]->NXM_NX_REG0[],output:c"]),
}
LINKS = ("a1", "b1"), ("a2", "b2")
LAST = os.cpu_count() - 1
OPTIONS = {"dpdk": True, "dpdk_driver": tx_driver(),
           "cpus": {0} if LAST else None,
           "config": [f"pmd-cpu-mask={1 << LAST:x}"]}


def story(lab):
    for data in os.environ.get("EF_DATA", "known new").split():
        for side in SIDES:
            if side == "debian":
                with Lab(debian.find_switch(os.environ["EF_CACHE"]),
                         lab.ovs_dir, **OPTIONS) as other:
                    look_at(other, side, data)
            else:
                look_at(lab, side, data)


def look_at(lab, side, data):
    switch = lab.switch
    controls = set_up(lab, f"{data}-{side}", *DATA[data])
    flood(controls, TOO_MUCH)
    time.sleep(1)
    capacity = max(forwarded_in(switch, 1) for _try in range(4))
    offered = TIMES * capacity
    flood(controls, offered)
    if side == "with":
        switch.vsctl("set", "Open_vSwitch", ".",
                     "other_config:rx-overload-budget=50")
    process.wait_until("links do not come up again", lambda: side != "with"
                       or not down(switch), 20)
    found = measure(switch)
    share = found["forwarded"] / (offered * SECONDS)
    print(f"{data} flows, {side}: offered {offered / 1e6:.3f} Mpps, "
          f"{share:.2f} of it forwarded;\n    {found}", flush=True)
    expect(share < 0.7, f"the PMD keeps up with {share:.2f} of it")
    expect(side != "with" or not any(
        found[name] for name in ("bfd_changes", "bond_down", "lacp_expired",
                                 "seen_down")), "links flap")
    for bridge in "br0", "br1":
        switch.vsctl("del-br", bridge)
    switch.vsctl("remove", "Open_vSwitch", ".", "other_config",
                 "rx-overload-budget")


def set_up(lab, title, devargs, flows):
    switch = lab.switch
    controls = []
    for bridge, end in ("br0", 0), ("br1", 1):
        words = ["add-bond", bridge, f"bond{end}",
                 *(link[end] for link in LINKS), "bond_mode=balance-tcp",
                 "lacp=active", "other_config:lacp-time=fast"]
        for wire, link in enumerate(LINKS):
            path = f"{lab.run_dir}/{title}-{link[end]}"
            words += ["--", "set", "interface", link[end], "type=dpdk",
                      f"options:dpdk-devargs=net_ef_tx_{link[end]},"
                      f"wire={wire},control={path}{devargs}",
                      "options:n_rxq_desc=4096",
                      "bfd:enable=true", "bfd:min_rx=100", "bfd:min_tx=100"]
            if end:
                controls.append(TxControl(path))
        switch.add_bridge(bridge)
        switch.vsctl(*words)
    add_vdev(switch, "br1", "c", "net_ef_tx_c")
    for flow in flows:
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
    with open(switch.log_path(), errors="replace") as f:
        log = f.read()

    def total(pattern, text=lacp):
        return sum(map(int, re.findall(pattern, text)))
    shed = total(r"ovs_rx_overload_drops=(\d+)", ports)
    return {"forwarded": forwarded(switch), "shed": shed,
            "missed": total(r"rx .*drop=(\d+)", ports) - shed,
            "bond_down": len(re.findall("member .*: link state down", log)),
            "main_late_ms": total(r"Unreasonably long (\d+)ms", log),
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
