#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A port is deleted and added again by one name, $ROUNDS times (1000), beside
a PMD thread that has no rest.

    flood (net_null) ---> br0 ---> sink (net_null)
                           |
                         again (a link)

A deleted port stays until no thread can see it any more, and its name with
it, so that the main thread has to wait for the PMD thread.  The database is
asked without a process for each change.
"""

import os
import statistics

from story import add_vdev, expect, jsonrpc, netns, tell

ROUNDS = int(os.environ.get("ROUNDS", "1000"))
ROUND_MAX_MS = 20
ALL = "Open_vSwitch"


class Database:
    """Changes, and waits until the switch has made them come true."""

    def __init__(self, path):
        self.connection = jsonrpc.Connection(path)
        self.config = self.connection.call(
            "monitor", ALL, None, {ALL: {"columns": ["cur_cfg"]}})

    def transact(self, *operations):
        results = self.connection.call("transact", ALL, *operations, {
            "op": "mutate", "table": ALL, "where": [],
            "mutations": [["next_cfg", "+=", 1]]}, {
            "op": "select", "table": ALL, "where": [],
            "columns": ["next_cfg"]})
        for result in results:
            expect("error" not in result, f"the database says {result}")
        wanted = results[-1]["rows"][0]["next_cfg"]
        while self.current() < wanted:
            self.config = self.connection.next_notification()[1]

    def current(self):
        return max(row["new"]["cur_cfg"] for row in self.config[ALL].values())


def add(bridge, name):
    return [{"op": "insert", "table": "Interface", "uuid-name": "i",
             "row": {"name": name}},
            {"op": "insert", "table": "Port", "uuid-name": "p",
             "row": {"name": name, "interfaces": ["named-uuid", "i"]}},
            {"op": "mutate", "table": "Bridge",
             "where": [["name", "==", bridge]],
             "mutations": [["ports", "insert", ["named-uuid", "p"]]]}]


def delete(database, bridge, name):
    rows = database.connection.call("transact", ALL, {
        "op": "select", "table": "Port", "where": [["name", "==", name]],
        "columns": ["_uuid"]})[0]["rows"]
    return [{"op": "mutate", "table": "Bridge",
             "where": [["name", "==", bridge]],
             "mutations": [["ports", "delete", rows[0]["_uuid"]]]}]


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0", "fail_mode=secure")
    add_vdev(switch, "br0", "sink", "net_null0,no-rx=1", "ofport_request=2")
    add_vdev(switch, "br0", "flood", "net_null1", "ofport_request=1")
    switch.ofctl("add-flow", "br0", "in_port=1,actions=output:2")
    netns.link(lab.ns, "again", lab.ns, "other-end")
    database = Database(f"{lab.run_dir}/db.sock")
    database.transact(*add("br0", "again"))

    rounds_ms = []
    for _ in range(ROUNDS):
        def again():
            database.transact(*delete(database, "br0", "again"))
            database.transact(*add("br0", "again"))
        rounds_ms.append(switch.time_of(again) * 1e3)
    error = switch.interface("again", "error")
    expect(not error, f"the last one: {error}")
    expect(not switch.log_has("File exists"), "a name was not free")
    report(rounds_ms)


def report(rounds_ms):
    slow = [ms for ms in rounds_ms if ms > ROUND_MAX_MS]
    median = statistics.median(rounds_ms)
    print(f"{ROUNDS} rounds: median {median:.1f} ms, maximum "
          f"{max(rounds_ms):.1f} ms; {len(slow)} took over {ROUND_MAX_MS} ms: "
          + " ".join(f"{ms:.0f}" for ms in sorted(slow)[-10:]))
    expect(median <= ROUND_MAX_MS, "too slow")


tell(story, dpdk=True)
