#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Malformed options of DPDK ports are refused, where they can be seen.

    br0 --- live (net_null), vhost (client)     options change under way
        --- born                                options are bad from the start

At creation the Interface's error column says why, and a better value makes the
port; on a live port status:config-error does, the old value stays in force and
the port stays; evenflow/config-show has it all.
"""

from story import add_vdev, config_show, expect, process, tell

BAD = {
    "live": {
        "n_rxq": ["none", "-1", "0", "1e3", "99999999999999999999"],
        "n_rxq_desc": ["1000", "x", "-512", "65536"],
        "n_txq_desc": ["7", "", "2048k"],
        "dpdk-lsc-interrupt": ["maybe"],
        "rx-steering": ["sideways", "rss+"],
        "dpdk-vf-mac": ["zz:00:00:00:00:00", "00:11:22", "ff:ff:ff:ff:ff:ff"],
        "rx-flow-ctrl": ["perhaps"],
        "tx-flow-ctrl": ["2"],
        "flow-ctrl-autoneg": ["yes please"],
        "dpdk-devargs": ["net_nosuch9", "", ",,,",
                         "0000:zz:00.0", "class=eth,mac=xx", "class=eth",
                         "bus=vdev", "vdev"],
    },
    "vhost": {
        "tx-retries-max": ["many", "-1", "33", "4294967296"],
        "vhost-server-path": ["", "/" + "x" * 300],
    },
}
NOT_FOR_CREATION = {("vhost", "vhost-server-path")}     # Upstream waits.
DEVARGS = "options:dpdk-devargs=net_null0,no-rx=1"


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0")
    add_vdev(switch, "br0", "live", "net_null0,no-rx=1", "options:n_rxq=1")
    switch.add_port("br0", "vhost", "type=dpdkvhostuserclient",
                    f"options:vhost-server-path={lab.run_dir}/v")
    wrong = []
    for port, options in BAD.items():
        for key, values in options.items():
            for value in values:
                for attempt in on_live_port, at_creation:
                    if attempt == at_creation and (
                            port, key) in NOT_FOR_CREATION:
                        continue
                    try:
                        attempt(lab, port, key, value)
                    except process.RigError as error:
                        expect(switch.is_running(), f"{key}={value}: {error}")
                        wrong.append(f"{key}={value[:40]!r}, "
                                     f"{attempt.__name__}: {error}")
    expect(not wrong, f"{len(wrong)} wrong:\n" + "\n".join(wrong))


def on_live_port(lab, port, key, value):
    switch = lab.switch
    old = switch.vsctl("get", "interface", port, "options").strip()
    number = switch.interface(port, "ofport")
    try:
        switch.vsctl("set", "interface", port,
                     f"options:{key}={quoted(value)}")
        expect(switch.interface(port, "ofport") == number,
               f"ofport is {switch.interface(port, 'ofport')}, was {number}")
        refused = config_show(switch, f"Interface {port}", key)
        expect(refused.get("refused") == value and refused.get("rule"),
               f"config-show has {refused}")
        expect(refused["in_force"] != value, "the bad value is in force")
        process.wait_until("status has no config-error", lambda: key in
                           switch.interface(port, "status"), 7)
    finally:
        switch.vsctl("set", "interface", port, f"options={old}")
    expect("refused" not in config_show(switch, f"Interface {port}", key),
           "still refused after a good value")


def at_creation(lab, port, key, value):
    switch = lab.switch
    settings = (["type=dpdk", DEVARGS.replace("null0", "null1")]
                if port == "live" else
                ["type=dpdkvhostuserclient",
                 f"options:vhost-server-path={lab.run_dir}/born"])
    good = [s for s in settings if key not in s]
    try:
        switch.vsctl("add-port", "br0", "born", "--", "set", "interface",
                     "born", *good, f"options:{key}={quoted(value)}",
                     check=False)
        error = switch.interface("born", "error")
        expect(error, "no error")
        expect(switch.interface("born", "ofport") == "-1", "there is a port")
        switch.vsctl("remove", "interface", "born", "options", key)
        switch.vsctl("set", "interface", "born", *settings)
        expect(not switch.interface("born", "error"), "it stays an error")
    finally:
        switch.vsctl("del-port", "br0", "born")


def quoted(value):
    return f'"{value}"'


tell(story, dpdk=True, noisy=True)
