#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A tunnel to the kernel's own VXLAN device, at two MTUs.

    host 10.3.0.1 --- br0 [vxlan]      [vxlan0 10.3.0.2] peer
                           :                :
                 172.31.0.1 br-phy ------- eth0 172.31.0.2

The inner MTU is the outer one less 50; frames that just fit pass whole.
"""

from story import expect, expect_ping, expect_tcp, serve_iperf, tell

OVERHEAD = 50                   # Ethernet, IPv4, UDP and VXLAN headers.


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0")
    switch.add_bridge("br-phy")
    peer = lab.host("peer", "172.31.0.2/24", bridge="br-phy", mtu=9000)
    host = lab.host("host", "10.3.0.1/24", mtu=9000 - OVERHEAD)
    lab.ns.run("ip", "address", "add", "172.31.0.1/24", "dev", "br-phy")
    lab.ns.run("ip", "link", "set", "br-phy", "up")
    switch.add_port("br0", "vxlan", "type=vxlan", "options:key=42",
                    "options:remote_ip=172.31.0.2")
    peer.run("ip", "link", "add", "vxlan0", "type", "vxlan", "id", "42",
             "remote", "172.31.0.1", "dstport", "4789", "dev", "eth0")
    peer.run("ip", "address", "add", "10.3.0.2/24", "dev", "vxlan0")
    peer.run("ip", "link", "set", "vxlan0", "up")
    serve_iperf(peer)

    for mtu in 1500, 9000:
        set_mtu(lab, host, peer, mtu)
        # The payload of a ping is the IP packet less 28 bytes.
        for size in 56, mtu - OVERHEAD - 28:
            expect_ping(host, "10.3.0.2", size=size)
            expect_ping(peer, "10.3.0.1", size=size)
        expect_tcp(host, "10.3.0.2")
        expect_tcp(host, "10.3.0.2", "--reverse")
    flows = switch.appctl("dpctl/dump-flows")
    expect("tnl_pop" in flows and "tnl_push" in flows,
           f"the tunnel is not the data path's:\n{flows}")


def set_mtu(lab, host, peer, mtu):
    for ns, device, value in ((lab.ns, "peer", mtu), (peer, "eth0", mtu),
                              (lab.ns, "host", mtu - OVERHEAD),
                              (host, "eth0", mtu - OVERHEAD),
                              (peer, "vxlan0", mtu - OVERHEAD)):
        ns.run("ip", "link", "set", device, "mtu", str(value))


tell(story)
