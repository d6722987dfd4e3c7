#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""DPDK's devices over the kernel's, as ports, each with traffic both ways.

    host 10.9.0.1 --- br0 --+-- net_af_packet --- a veth's other end
                            +-- net_pcap      --- another's
                            +-- net_tap       --- the kernel's tap

What comes out at either end has the lengths and checksums that it should.
"""

from story import (add_vdev, check_traffic, expect, netns, serve_iperf, tell)

HOST = "10.9.0.1"


def story(lab):
    lab.switch.add_bridge("br0")
    host = lab.host("host", HOST + "/24")
    serve_iperf(host)
    for kind in af_packet, live_pcap, tap:
        peer, device = kind(lab)
        check_traffic(lab, peer, device, HOST, host, "eth0")
        lab.switch.vsctl("del-port", "br0", kind.__name__)
        ports = lab.switch.appctl("dpif/show")
        expect(f" {kind.__name__} " not in ports,
               f"a port is still there:\n{ports}")


def af_packet(lab):
    return on_veth(lab, "af_packet", "10.9.0.2/24",
                   "net_af_packet0,iface=veth-{0}")


def live_pcap(lab):
    return on_veth(lab, "live_pcap", "10.9.0.3/24",
                   "net_pcap0,rx_iface_in=veth-{0},tx_iface=veth-{0}")


def on_veth(lab, name, address, devargs):
    peer = lab.namespace(name)
    netns.link(lab.ns, f"veth-{name}", peer, "eth0")
    peer.run("ip", "address", "add", address, "dev", "eth0")
    add_vdev(lab.switch, "br0", name, devargs.format(name))
    return peer, "eth0"


def tap(lab):
    # The driver wants as many queues to receive as to send: the switch has
    # one for the PMD thread and one for the others.
    add_vdev(lab.switch, "br0", "tap", "net_tap0,iface=dtap0",
             "options:n_rxq=2")
    lab.ns.run("ip", "address", "add", "10.9.0.4/24", "dev", "dtap0")
    lab.ns.run("ip", "link", "set", "dtap0", "up")
    return lab.ns, "dtap0"


tell(story, dpdk=True)
