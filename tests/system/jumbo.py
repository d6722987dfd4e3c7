#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Frames of 9,000 bytes through DPDK ports, in one buffer and in many.

    host  10.14.0.1 --- veth ------------+
    guest 10.14.0.2 --- vhost -----------+-br0-- net_af_packet, MTU 1500 small
    user  10.14.0.3 --- net_virtio_user -+

The guest has buffers of 2 kB, so that its frames come in, and are to go out,
in pieces.  What is too large for a port is dropped there, never cut.
"""

from story import (Capture, add_vdev, check_traffic, expect, expect_ping,
                   netns, ping, process, serve_iperf, tell)

MTU = 9000
SIZES = 0, 1472, 2000, 2020, 4001, MTU - 29, MTU - 28
PIECES = ["--mbuf-size=2176"]


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0")
    host = lab.host("host", "10.14.0.1/24", mtu=MTU)
    serve_iperf(host)
    path = f"{lab.run_dir}/vhost"
    switch.add_port("br0", "vhost", "type=dpdkvhostuserclient",
                    f"options:vhost-server-path={path}", f"mtu_request={MTU}")
    guest = lab.guest("guest", "10.14.0.2/24",
                      f"net_virtio_user0,path={path},server=1,mrg_rxbuf=1",
                      mtu=MTU, options=PIECES).ns
    path = f"{lab.run_dir}/user"
    user = lab.guest("user", "10.14.0.3/24", f"net_vhost0,iface={path}",
                     mtu=MTU, options=["--mbuf-size=9728"]).ns
    add_vdev(switch, "br0", "virtio", f"net_virtio_user1,path={path}",
             f"mtu_request={MTU}")
    for ns in guest, user:
        process.wait_until("a guest is not reached",
                           lambda ns=ns: ping(ns, "10.14.0.1", count=1) == 1)
        check_traffic(lab, ns, "eth0", "10.14.0.1", host, "eth0", SIZES)
        expect(ping(ns, "10.14.0.1", size=MTU - 27, count=1) == 0,
               "a frame larger than the MTU passed")
    for size in SIZES:
        expect_ping(guest, "10.14.0.3", size=size, interval=0.05)
    too_large(lab, guest)
    smaller_and_back(switch, guest)


def too_large(lab, guest):
    """Frames for a port with a smaller MTU end there."""
    small = lab.namespace("small")
    netns.link(lab.ns, "veth-small", small, "eth0", MTU)
    small.run("ip", "address", "add", "10.14.0.4/24", "dev", "eth0")
    add_vdev(lab.switch, "br0", "small", "net_af_packet0,iface=veth-small")
    with Capture(small, "eth0", f"{lab.run_dir}/small.pcap") as capture:
        expect_ping(guest, "10.14.0.4", size=1472)
        for size in 2000, 4000, MTU - 28:
            expect(ping(guest, "10.14.0.4", size=size, count=2) == 0,
                   f"{size} bytes passed a port for 1500")
        expect_ping(guest, "10.14.0.4", size=1472)
    capture.check()
    expect(max(map(len, capture.frames())) <= 1518, "a large frame came out")


def smaller_and_back(switch, guest):
    """The MTU of a live port may change."""
    for mtu in 1500, MTU:
        switch.vsctl("set", "interface", "vhost", f"mtu_request={mtu}")
        expect(switch.interface("vhost", "mtu") == str(mtu), "not set")
        process.wait_until(
            f"MTU {mtu} does not pass", lambda size=mtu - 28: ping(
                guest, "10.14.0.1", count=1, size=size) == 1)


# A limit, since otherwise the switch takes gigabytes for a pool of such
# frames, and while it takes them the guest's messages wait.
tell(story, dpdk=True, memory_mb=1536,
     dpdk_extra="--single-file-segments --socket-limit=768")
