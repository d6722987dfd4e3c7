#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ports without a peer: a ring, and files.

    host  10.13.0.1 --- br0 --+-- net_ring: out and in again
    other 10.13.0.7 ----+     +-- net_pcap: plays a file, records the answers

What comes out at either end has the lengths and checksums that it should.
"""

import re

from story import (add_vdev, check_traffic, checksum, expect, pcap,
                   port_packets, process, serve_iperf, tell)

HOST = "10.13.0.1"
PLAYED_MAC = "02:00:00:00:13:08"


def story(lab):
    lab.switch.add_bridge("br0")
    host = lab.host("host", HOST + "/24")
    serve_iperf(host)
    recording(lab, host)
    ring(lab, host)


def mac_of(host):
    return re.search("link/ether (\\S+)",
                     host.run("ip", "link", "show", "eth0"))[1]


def packed(mac):
    return bytes.fromhex(mac.replace(":", ""))


def ring(lab, host):
    """Out at the ring and in again, then to the other host."""
    other = lab.host("other", "10.13.0.7/24")
    # It has as many rings as there are queues; the switch sends on two.
    add_vdev(lab.switch, "br0", "ring", "net_ring0", "options:n_rxq=2")
    for rule in ("in_port=host,actions=ring", "in_port=other,actions=ring",
                 f"in_port=ring,dl_src={mac_of(other)},actions=host",
                 "priority=9,in_port=ring,actions=other"):
        lab.switch.ofctl("add-flow", "br0", rule)
    check_traffic(lab, other, "eth0", HOST, host, "eth0")


def recording(lab, host):
    """A file of pings is played, again and again, to the host, whose answers
    go to a file."""
    asked, answered = (f"{lab.run_dir}/{n}.pcap" for n in ("ask", "answer"))
    host.run("ip", "neighbour", "replace", "10.13.0.8", "lladdr",
             PLAYED_MAC, "dev", "eth0")
    macs = packed(mac_of(host)), packed(PLAYED_MAC)
    pcap.write(asked, [pcap.ping_frame(*macs, "10.13.0.8", HOST, n, 60 + n)
                       for n in range(100)])
    add_vdev(lab.switch, "br0", "recording", "net_pcap1,"
             f"rx_pcap={asked},infinite_rx=1,tx_pcap={answered}")
    process.wait_until("the pings are not answered", lambda: port_packets(
        lab.switch, "br0", "recording") >= 1000)
    lab.switch.vsctl("del-port", "br0", "recording")
    frames = [f for f in pcap.read(answered) if f[23] == 1 and f[34] == 0]
    sizes = {len(f) for f in frames}
    expect(50 < len(sizes) and sizes <= set(range(60, 160)),
           f"the answers do not have the pings' sizes but {sizes}")
    wrong = [f for f in frames if checksum.faults(f)]
    expect(not wrong, f"{len(wrong)} wrong answers, {wrong[:1]}")


tell(story, dpdk=True)
