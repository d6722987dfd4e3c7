#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Connection tracking lets one side call and hides it behind an address.

    inside 10.4.0.1 --- br0 (ct, source NAT to 10.4.0.100) --- 10.4.0.2 outside

Inside reaches outside and is seen as 10.4.0.100; outside cannot begin.
"""

import os
import re
import time

from story import (expect, expect_ping, expect_tcp, ping, process, serve_iperf,
                   tell)

MAC_INSIDE = "02:00:00:00:04:01"
RULES = """
priority=10,arp,actions=normal
priority=5,in_port=inside,ip,ct_state=-trk,actions=ct(table=1,zone=7,nat)
priority=5,in_port=outside,ip,ct_state=-trk,actions=ct(table=1,zone=7,nat)
table=1,in_port=inside,ip,ct_state=+trk+new,actions=\
ct(commit,zone=7,nat(src=10.4.0.100)),output:outside
table=1,in_port=inside,ip,ct_state=+trk+est,actions=output:outside
table=1,in_port=outside,ip,ct_state=+trk+est,actions=output:inside
table=1,priority=0,actions=drop
"""


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0", "fail_mode=secure")
    inside = lab.host("inside", "10.4.0.1/24")
    outside = lab.host("outside", "10.4.0.2/24")
    inside.run("ip", "link", "set", "eth0", "address", MAC_INSIDE)
    # Nobody answers for the address that inside hides behind.
    outside.run("ip", "neighbour", "replace", "10.4.0.100", "lladdr",
                MAC_INSIDE, "dev", "eth0")
    for rule in RULES.strip().splitlines():
        switch.ofctl("add-flow", "br0", rule)

    expect(ping(outside, "10.4.0.1", count=2) == 0, "outside may begin")
    expect_ping(inside, "10.4.0.2")
    server_log = os.path.join(lab.run_dir, "iperf3.log")
    serve_iperf(outside, "--forceflush", "--logfile", server_log)
    expect_tcp(inside, "10.4.0.2", "--parallel", "3")

    entries = switch.appctl("dpctl/dump-conntrack", "zone=7")
    tcp = re.findall(r"^tcp,orig=\(src=10\.4\.0\.1,.*reply=\(src=10\.4\.0\.2,"
                     r"dst=10\.4\.0\.100,", entries, re.M)
    expect(len(tcp) >= 4, f"connections are not tracked:\n{entries}")
    log = process.tail(server_log, 99)
    callers = set(re.findall(r"from (\S+), port", log))
    expect(callers == {"10.4.0.100"}, f"outside is called by {callers}")

    # Right after traffic a connection may come back, with upstream's binary
    # as well: perhaps a packet that is still under way makes it anew.
    time.sleep(1)
    switch.appctl("dpctl/flush-conntrack", "zone=7")
    entries = switch.appctl("dpctl/dump-conntrack", "zone=7")
    expect("sport=5201" not in entries and "dport=5201" not in entries,
           f"the zone was not flushed:\n{entries}")


tell(story)
