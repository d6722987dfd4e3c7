#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands are answered while the main thread commits large bundles.

    ovs-ofctl --bundle, 50,000 rules, again and again --- br0

Meanwhile rcu/show is asked for ten times a second and answers within 100 ms;
a command of the main thread waits, but its answer is the right one.
"""

import json
import os
import socket
import statistics
import threading
import time

from story import expect, tell

RULES, TRIES, TRY_S = 50000, 3, 5
ANSWER_MAX_S = 0.1
BUSY_MIN_S = 0.05   # Of the main thread, for a bundle.
ASKED = {"rcu/show": ([], "grace periods: "),
         "fdb/show": (["br0"], " port  VLAN  MAC")}


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0")
    rules = os.path.join(lab.run_dir, "rules")
    with open(rules, "w") as f:
        f.writelines(f"table=1,udp,nw_dst=10.{n >> 16}.{n >> 8 & 255}."
                     f"{n & 255},actions=drop\n" for n in range(RULES))
    slowest = {name: [] for name in ASKED}
    for _ in range(TRIES):
        until = time.monotonic() + TRY_S
        asking = [threading.Thread(target=ask_often, args=(
            switch, until, name, slowest[name])) for name in ASKED]
        for thread in asking:
            thread.start()
        n = 0
        while time.monotonic() < until:
            switch.ofctl("-O", "OpenFlow14", "--bundle", "add-flows", "br0",
                         rules)
            n += 1
        for thread in asking:
            thread.join()
        print(f"{n} bundles; slowest answers: " + ", ".join(
            f"{name} {times[-1] * 1000:.0f} ms"
            for name, times in slowest.items()))
    typical = {name: statistics.median(times)
               for name, times in slowest.items()}
    expect(typical["rcu/show"] < ANSWER_MAX_S, f"too slow: {slowest}")
    expect(typical["fdb/show"] > BUSY_MIN_S, "the main thread was not busy")
    flows = switch.ofctl("dump-aggregate", "br0", "table=1")
    expect(f"flow_count={RULES}" in flows, flows)


def ask_often(switch, until, name, slowest):
    """Asks over one connection, ten times a second, and adds the longest time
    of an answer, infinity if one is wrong, to 'slowest'."""
    args, begins = ASKED[name]
    request = json.dumps({"id": 0, "method": name, "params": args}).encode()
    path = f"{os.path.basename(switch.binary)}.{switch.daemon.pid}.ctl"
    worst = 0
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(30)
        client.connect(os.path.join(switch.run_dir, path))
        while time.monotonic() < until:
            began = time.monotonic()
            client.sendall(request)
            text = client.recv(65536)
            while text.count(b"{") > text.count(b"}"):
                text += client.recv(65536) or b"}}"
            took = time.monotonic() - began
            good = f'"result":"{begins}' in text.decode()
            worst = max(worst, took if good else float("inf"))
            time.sleep(max(0, 0.1 - took))
    slowest.append(worst)


tell(story)
