#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A guest connects and goes, again and again, while all is looked at.

    guest [testpmd] --- vhost-user client --- br0 --- host 10.16.0.1
     goes EF_CHURN times, every             statistics of every port,
     second time killed                     in a loop, each in a second

Nothing dies, and nobody who asks waits for a guest.
"""

import os
import threading

from story import expect, ping, process, tell

ROUNDS = int(os.environ.get("EF_CHURN", 20))
ANSWER_MAX_S = 1
COMMANDS = ("dpif-netdev/pmd-stats-show", "dpif-netdev/pmd-rxq-show",
            "dpctl/show -s", "netdev-dpdk/get-mempool-info", "coverage/show")


class Reader(threading.Thread):
    """Asks for everything there is until told to stop."""

    def __init__(self, switch):
        super().__init__()
        self.switch = switch
        self.over = threading.Event()
        self.n_answers = 0
        self.slow = []
        self.error = None

    def run(self):
        asks = [lambda words=c.split(): self.switch.appctl(*words)
                for c in COMMANDS]
        asks.append(lambda: self.switch.ofctl("dump-ports", "br0"))
        asks.append(lambda: self.switch.statistics("vhost"))
        try:
            while not self.over.is_set():
                for ask, name in zip(asks, COMMANDS + ("ports", "database")):
                    took = self.switch.time_of(ask)
                    self.n_answers += 1
                    if took > ANSWER_MAX_S:
                        self.slow.append(f"{name}: {took:.1f} s")
        except process.RigError as error:
            self.error = error


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0")
    lab.host("host", "10.16.0.1/24")
    path = f"{lab.run_dir}/vhost"
    switch.add_port("br0", "vhost", "type=dpdkvhostuserclient",
                    f"options:vhost-server-path={path}")
    reader = Reader(switch)
    reader.start()
    try:
        guest = lab.guest("guest", "10.16.0.2/24",
                          f"net_virtio_user0,path={path},server=1")
        for n in range(ROUNDS):
            process.wait_until(f"no connection in round {n}", lambda: ping(
                guest.ns, "10.16.0.1", count=1) == 1)
            (guest.kill if n % 2 else guest.stop)()
            expect(switch.is_running(), f"the switch died in round {n}")
            expect(not reader.error, f"round {n}: {reader.error}")
            guest.start()
    finally:
        reader.over.set()
        reader.join()
    print(f"{ROUNDS} rounds, {reader.n_answers} answers")
    expect(not reader.slow, "slow answers:\n" + "\n".join(reader.slow[:9]))
    expect(reader.n_answers > 10, "hardly any answers")


tell(story, dpdk=True)
