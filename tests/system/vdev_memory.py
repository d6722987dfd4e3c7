#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ports that share memory with a process at their other end.

    host 10.12.0.1 --- br0 --+-- net_memif       --- testpmd's net_memif
    (a veth)                 +-- net_virtio_user --- testpmd's net_vhost

Traffic passes both ways, with the lengths and checksums that it should have.
"""

from story import add_vdev, check_traffic, serve_iperf, tell

HOST = "10.12.0.1"


def story(lab):
    lab.switch.add_bridge("br0")
    host = lab.host("host", HOST + "/24")
    serve_iperf(host)
    for kind in memif, virtio_user:
        guest = kind(lab)
        check_traffic(lab, guest.ns, "eth0", HOST, host, "eth0")
        lab.switch.vsctl("del-port", "br0", kind.__name__)
        guest.stop()


def memif(lab):
    devargs = f"net_memif0,socket={lab.run_dir}/memif,socket-abstract=no,role="
    add_vdev(lab.switch, "br0", "memif", devargs + "server")
    guest = lab.guest("memif-peer", "10.12.0.5/24", devargs + "client")
    return guest


def virtio_user(lab):
    path = f"{lab.run_dir}/vhost"
    guest = lab.guest("vhost-peer", "10.12.0.6/24", f"net_vhost0,iface={path}")
    add_vdev(lab.switch, "br0", "virtio_user", f"net_virtio_user0,path={path}")
    return guest


# Only files of the memory can be shared, and not one for each page.
tell(story, dpdk=True, dpdk_extra="--single-file-segments")
