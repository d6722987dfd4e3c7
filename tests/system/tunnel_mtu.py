#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tunnels over DPDK ports, at several MTUs.

    host 10.19.0.1 --- br0 [vxlan]        [vxlan0 10.19.0.2] peer, its kernel
                            :                 :
                  172.31.0.1 br-phy - vhost - eth0 172.31.0.2

    host 10.20.0.1 --- br1 [geneve]       [geneve] br1 --- far 10.20.0.2
                            :                 :        of another switch
                 172.32.0.1 br-far - vhost - br-far 172.32.0.2

The inner MTU is the outer one less what the tunnel takes; frames that just fit
pass whole, and inner and outer checksums are right.
"""

from story import (another, check_traffic, expect, ping, process,
                   serve_iperf, tell)

OVERHEAD = 50                   # Ethernet, IPv4, UDP and 8 bytes of either.
MTUS = 9000, 1500, 1400         # The largest first: its buffers serve all.


def story(lab):
    switch = lab.switch
    path = f"{lab.run_dir}/peer"
    underlay(lab, "br-phy", "172.31.0.1/24", "uplink",
             "type=dpdkvhostuserclient", f"options:vhost-server-path={path}",
             "mtu_request=9000")
    peer = lab.guest("peer", "172.31.0.2/24", mtu=9000,
                     vdev=f"net_virtio_user0,path={path},server=1",
                     options=["--mbuf-size=9728"])
    peer.ns.run("ip", "link", "add", "vxlan0", "type", "vxlan", "id", "42",
                "remote", "172.31.0.1", "dstport", "4789", "dev", "eth0")
    peer.ns.run("ip", "address", "add", "10.19.0.2/24", "dev", "vxlan0")
    peer.ns.run("ip", "link", "set", "vxlan0", "up")
    serve_iperf(peer.ns)
    host = overlay(lab, "br0", "host", "10.19.0.1/24", "vxlan", "172.31.0.2")
    for mtu, csum in (*((m, False) for m in MTUS), (1500, True)):
        switch.vsctl("set", "interface", "uplink", f"mtu_request={mtu}", "--",
                     "set", "interface", "vxlan", f"options:csum={csum}")
        for ns, device, value in (
                (peer.ns, "eth0", mtu), (peer.ns, "vxlan0", mtu - OVERHEAD),
                (lab.ns, "br-phy", mtu), (host, "eth0", mtu - OVERHEAD)):
            ns.run("ip", "link", "set", device, "mtu", str(value))
        full_frames(lab, host, "10.19.0.2", peer.ns, mtu)
    peer.stop()

    other = another(lab, dpdk=True, memory_mb=1024, dpdk_extra=OPTIONS)
    underlay(lab, "br-far", "172.32.0.1/24", "far", "type=dpdkvhostuser",
             "mtu_request=9000")
    underlay(other, "br-far", "172.32.0.2/24", "far", "type=dpdk",
             "options:dpdk-devargs=net_virtio_user0,"
             f"path={lab.run_dir}/far", "mtu_request=9000")
    near = overlay(lab, "br1", "near", "10.20.0.1/24", "geneve", "172.32.0.2")
    far = overlay(other, "br1", "far-host", "10.20.0.2/24", "geneve",
                  "172.32.0.1")
    serve_iperf(far)
    for mtu in MTUS:
        for each, ns in (lab, near), (other, far):
            each.switch.vsctl("set", "interface", "far", f"mtu_request={mtu}")
            each.ns.run("ip", "link", "set", "br-far", "mtu", str(mtu))
            ns.run("ip", "link", "set", "eth0", "mtu", str(mtu - OVERHEAD))
        full_frames(lab, near, "10.20.0.2", far, mtu)
    flows = switch.appctl("dpctl/dump-flows")
    expect("tnl_pop" in flows and "tnl_push" in flows,
           f"the tunnel is not the data path's:\n{flows}")


def underlay(lab, bridge, address, port, *interface):
    lab.switch.add_bridge(bridge)
    lab.ns.run("ip", "address", "add", address, "dev", bridge)
    lab.ns.run("ip", "link", "set", bridge, "up")
    lab.switch.add_port(bridge, port, *interface)


def overlay(lab, bridge, title, address, kind, remote):
    lab.switch.add_bridge(bridge)
    host = lab.host(title, address, bridge, mtu=9000)
    lab.switch.add_port(bridge, kind, f"type={kind}", "options:key=42",
                        f"options:remote_ip={remote}")
    return host


def full_frames(lab, host, address, peer, mtu):
    process.wait_until(f"nothing passes at MTU {mtu}",
                       lambda: ping(host, address, count=1) == 1)
    inner = mtu - OVERHEAD
    check_traffic(lab, host, "eth0", address, peer, "eth0",
                  sizes=(0, 57, inner - 29, inner - 28))


OPTIONS = "--single-file-segments --socket-limit=768"
tell(story, dpdk=True, memory_mb=1536, dpdk_extra=OPTIONS)
