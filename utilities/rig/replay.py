# SPDX-License-Identifier: Apache-2.0
"""Frames that are replayed from memory, forwarded by one PMD thread.

    pcap (net_pcap, infinite_rx=1) --- bench --- sink

The frames are of 64 bytes.  The sink swallows them (net_null), unless another
device is named.  Scenarios:

  1       one flow; one rule that looks at the input port only
  1000    1,000 UDP flows, for each a rule that gives all of its addresses and
          ports: 1,000 data path flows, exact on the five-tuple, of one mask
  10000   10,000 UDP flows over 4,096 rules for nw_dst/24: 4,096 data path
          flows of one mask, more packet keys than the exact match cache holds
"""

import contextlib
import os
import re
import statistics
import time

from . import pcap, process
from .lab import Lab
from .process import RigError

FRAME_SIZE = 64
SETTLE_S = 2                    # For the caches, once all flows are there.
SINK = "net_null0,no-rx=1"


def net(number):
    """The address of the 'number'th /24 of 16.0.0.0/4."""
    return (16 << 24) + (number << 8)


def dotted(address):
    return ".".join(str(address >> shift & 255) for shift in (24, 16, 8, 0))


class Scenario:
    """'tuples' are (src, dst, sport, dport); 'rules' matches; 'n_flows' is
    how many flows the data path has when it is settled."""

    def __init__(self, name, tuples, rules, n_flows):
        self.name = name
        self.frames = [pcap.udp_frame(*t, size=FRAME_SIZE) for t in tuples]
        self.rules = rules
        self.n_flows = n_flows


def make_scenarios():
    src = 10 << 24
    one = [(src + 1, net(0) + 1, 1000, 2000)]
    exact = [(src + i, net(i) + 1, 1000 + i, 2000 + i) for i in range(1000)]
    # Strides that are odd visit the rules evenly, not one after another.
    routed = [(src + i, net(i * 1237 % 4096) + 1 + i // 4096, 1000 + i % 50000,
               2000) for i in range(10000)]
    return [
        Scenario("1", one, ["in_port=1"], 1),
        Scenario("1000", exact, [
            f"in_port=1,udp,nw_src={dotted(s)},nw_dst={dotted(d)},"
            f"tp_src={sp},tp_dst={dp}" for s, d, sp, dp in exact], 1000),
        Scenario("10000", routed, [
            f"in_port=1,ip,nw_dst={dotted(net(i))}/24" for i in range(4096)],
            4096),
    ]


def choose_scenarios(names):
    """All of them, or those of 'names'."""
    chosen = [s for s in make_scenarios() if not names or s.name in names]
    if not chosen:
        raise RigError("no such scenario")
    return chosen


def attach(lab, frames, rules, sink=SINK):
    """Gives the lab's switch the bridge "bench" with 'rules' (lines of
    ovs-ofctl) and the ports "pcap", 1, which replays the frames, and "sink",
    2."""
    recording = os.path.join(lab.run_dir, "bench.pcap")
    rule_file = os.path.join(lab.run_dir, "bench.rules")
    pcap.write(recording, frames)
    with open(rule_file, "w") as f:
        f.writelines(f"{rule}\n" for rule in rules)
    switch = lab.switch
    switch.add_bridge("bench", "fail_mode=secure")
    switch.ofctl("add-flows", "bench", rule_file)
    switch.add_port("bench", "sink", "type=dpdk", "ofport_request=2",
                    f"options:dpdk-devargs={sink}")
    switch.add_port("bench", "pcap", "type=dpdk", "ofport_request=1",
                    "options:dpdk-devargs=net_pcap0,"
                    f"rx_pcap={recording},infinite_rx=1")


class Replay:
    """A switch that forwards the frames of a scenario, for as long as it is
    entered.

    'ovs' is the Open vSwitch tree; 'sink' the devargs of the other port;
    'lab_options' go to Lab.
    """

    def __init__(self, binary, ovs, scenario, sink=SINK, **lab_options):
        self.scenario = scenario
        self.sink = sink
        cpus = sorted(os.sched_getaffinity(0))
        self.lab = Lab(binary, ovs, dpdk=True, cpus=cpus[:-1] or cpus,
                       config=[f"pmd-cpu-mask={1 << cpus[-1]:#x}"],
                       **lab_options)
        self._undo = contextlib.ExitStack()

    def __enter__(self):
        with contextlib.ExitStack() as undo:
            undo.enter_context(self.lab)
            self.switch = self.lab.switch
            attach(self.lab, self.scenario.frames,
                   [f"{match},actions=output:2"
                    for match in self.scenario.rules], self.sink)
            process.wait_until("the data path flows did not settle",
                               self._is_settled, 60, 0.5)
            time.sleep(SETTLE_S)
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *error):
        return self._undo.__exit__(*error)

    def _is_settled(self):
        """All flows are there and the slow path's limit is above them."""
        limit = re.search(r"flows +: \(current (\d+)\).* \(limit (\d+)\)",
                          self.switch.appctl("upcall/show"))
        return (limit and int(limit[2]) > self.scenario.n_flows
                and int(limit[1]) == self.scenario.n_flows)

    def measure(self, seconds):
        """Returns (packets per second, cycles per packet)."""
        before = time.monotonic()
        self.switch.appctl("dpif-netdev/pmd-stats-clear")
        cleared = time.monotonic()
        time.sleep(seconds)
        asked = time.monotonic()
        stats = self.switch.pmd_stats()
        # Either command took effect at some moment while it ran.
        elapsed = (asked + time.monotonic() - before - cleared) / 2
        packets = stats.get("packets received", 0)
        if not packets:
            raise RigError("the PMD thread received nothing")
        for what in "miss with success upcall", "miss with failed upcall":
            if stats.get(what, 0) > packets / 1000:
                raise RigError(f"not settled: {what}: {stats[what]:.0f}")
        return packets / elapsed, stats["avg cycles per packet"]


# --- Figures ---------------------------------------------------------------

def spread(values):
    """Half the distance of the quartiles, in percent of the median."""
    if len(values) < 2:
        return 0.0
    low, middle, high = statistics.quantiles(values, n=4)
    return 50 * (high - low) / middle


def tell_side(side, results):
    """One line; 'results' has (packets per second, cycles per packet)."""
    pps, cycles = zip(*results)
    print(f"  {side:3} median {statistics.median(pps) / 1e6:7.3f} Mpps  "
          f"{statistics.median(cycles):7.1f} cycles/packet  "
          f"spread +-{spread(pps):.1f} %  "
          f"[{min(pps) / 1e6:.3f} .. {max(pps) / 1e6:.3f}]")


def tell_ratio(a, b, pairs):
    """One line; 'pairs' has such a pair of a, and one of b."""
    ratios = [x[0] / y[0] for x, y in pairs]
    cycles = [y[1] / x[1] for x, y in pairs]
    print(f"  {a}/{b} median {statistics.median(ratios):.3f} in packets per "
          f"second (by cycles {statistics.median(cycles):.3f})  "
          f"spread +-{spread(ratios):.1f} %  "
          f"[{min(ratios):.3f} .. {max(ratios):.3f}]", flush=True)
