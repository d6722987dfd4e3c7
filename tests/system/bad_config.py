#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Malformed other_config of DPDK and RCU is refused, and the switch goes on.

    left 10.18.0.1 --- br0 --- 10.18.0.2 right

What DPDK starts with: the switch runs without DPDK, and says why in its log
and in evenflow/config-show.  What else there is: the default is in force.
Each round is a start of the switch on a database with bad values.
"""

from story import config_show, expect, expect_ping, process, tell

# DPDK must never look for devices of the machine.
SAFE = "--no-pci --no-telemetry --in-memory"
# With each of these alone, DPDK cannot start.
FATAL = {
    "dpdk-lcore-mask": ["0xzz", "0", "-1"],
    "dpdk-socket-mem": ["lots", "99999999", "1,2,x"],
    "dpdk-socket-limit": ["none", "-5"],
    "dpdk-hugepage-dir": ["/nowhere/at/all"],           # With legacy memory.
    "dpdk-extra": [SAFE + " --no-such-option", SAFE + " -l 9999",
                   SAFE + " --vdev=net_nosuch0", SAFE + " -c zz"],
    "dpdk-init": ["perhaps"],
}
# These leave DPDK alone; all are bad at once.
OTHERS = {
    "vhost-sock-dir": "x" * 300,
    "vhost-iommu-support": "maybe",
    "vhost-postcopy-support": "maybe",
    "per-port-memory": "maybe",
    "shared-mempool-config": "9000:x,,zz",
    "emc-insert-inv-prob": "often",
    "pmd-auto-lb": "maybe",
    "pmd-auto-lb-load-threshold": "101",
    "pmd-cpu-mask": "0xzz",
    "pmd-maxsleep": "a while",
    "pmd-perf-metrics": "2",
    "pmd-rxq-assign": "fair",
    "pmd-rxq-isolate": "perhaps",
    "rcu-max-pending": "0",
    "rcu-stall-ms": "-1",
    "smc-enable": "yes",
    "tx-flush-interval": "1e3",
}


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0")
    left = lab.host("left", "10.18.0.1/24")
    lab.host("right", "10.18.0.2/24")
    expect_ping(left, "10.18.0.2")
    wrong = []
    for key, values in FATAL.items():
        for value in values:
            try:
                start_with(switch, {key: value})
                expect(not switch.dpdk_is_up(), "DPDK is up")
                expect_refused(switch, key, value)
                expect_ping(left, "10.18.0.2")
            except process.RigError as error:
                wrong.append(f"{key}={value}: {str(error)[:400]}")
    try:
        start_with(switch, OTHERS)
        expect(switch.dpdk_is_up(), "DPDK is not up")
        expect_ping(left, "10.18.0.2")
        for key, value in OTHERS.items():
            expect_refused(switch, key, value)
            expect(config_show(switch, "Open_vSwitch", key)["in_force"]
                   != value, f"{key}: the bad value is in force")
    except process.RigError as error:
        wrong.append(f"{', '.join(OTHERS)}: {error}")
    expect(not wrong, f"{len(wrong)} wrong:\n" + "\n".join(wrong))


def start_with(switch, settings):
    """Starts the switch with 'settings' beside what a start needs."""
    if switch.is_running():
        switch.exit()
    else:
        process.stop(switch.daemon)
    settings = {"dpdk-init": "true", "dpdk-extra": SAFE, **settings}
    if "dpdk-hugepage-dir" in settings:
        settings["dpdk-extra"] = SAFE.replace("--in-memory", "--legacy-mem")
    switch.vsctl("--no-wait", "clear", "Open_vSwitch", ".", "other_config",
                 "--", "set", "Open_vSwitch", ".", *[
                     f'other_config:{key}="{value}"'
                     for key, value in settings.items()])
    switch.restart()


def expect_refused(switch, key, value):
    found = config_show(switch, "Open_vSwitch", key)
    expect(found.get("refused") == value and found.get("rule"),
           f"config-show has {found} for {key}")
    expect(switch.log_has(key), f"the log does not mention {key}")


tell(story, dpdk=True, noisy=True)
