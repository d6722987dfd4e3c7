#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Either side of a vhost port goes and comes back.

    guest 10.15.0.2 [testpmd, two queues] --- vhost-user client --- br0
                                                                     |
                                                       host 10.15.0.1

The switch asks for the guest again within a second, and the guest waits for
the switch.  A port counts what its present guest has sent and received.
"""

import time

from story import (check_traffic, expect, ping, port_packets, process,
                   serve_iperf, tell)

# A second between the switch's attempts; the rest is for pings and a slow
# machine.
BACK_MAX_S = 3


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0")
    host = lab.host("host", "10.15.0.1/24")
    serve_iperf(host)
    path = f"{lab.run_dir}/vhost"
    switch.add_port("br0", "vhost", "type=dpdkvhostuserclient",
                    f"options:vhost-server-path={path}", "options:n_rxq=2")
    guest = lab.guest(
        "guest", "10.15.0.2/24",
        f"net_virtio_user0,path={path},server=1,queues=2",
        queues=2)
    expect_back(guest, "at first")
    check_traffic(lab, guest.ns, "eth0", "10.15.0.1", host, "eth0")
    expect_counted(switch)

    for end in guest.stop, guest.kill:
        end()
        process.wait_until("the link stays up", lambda: switch.interface(
            "vhost", "link_state") == "down", 10)
        expect(ping(guest.ns, "10.15.0.1", count=1) == 0, "a dead guest pings")
        guest.start()
        expect_back(guest, f"after {end.__name__} of the guest")
    # OpenFlow's statistics: the database's may still be of the guest before.
    before = port_packets(switch, "br0", "vhost", "rx")
    check_traffic(lab, guest.ns, "eth0", "10.15.0.1", host, "eth0")
    now = port_packets(switch, "br0", "vhost", "rx")
    expect(now > before, f"statistics stand still: {before}, {now} packets")
    expect_counted(switch)

    for end in switch.exit, kill:
        (end if end != kill else lambda: kill(switch))()
        switch.restart()
        expect_back(guest, f"after {end.__name__} of the switch")
        expect(guest.is_running(), "the guest has died")
    check_traffic(lab, guest.ns, "eth0", "10.15.0.1", host, "eth0")


def kill(switch):
    switch.daemon.kill()
    switch.daemon.wait()


def expect_back(guest, when):
    began = time.monotonic()
    process.wait_until(f"no connection {when}", lambda: ping(
        guest.ns, "10.15.0.1", count=1, size=100) == 1, 20)
    took = time.monotonic() - began
    print(f"{took:.1f} s to the first answer {when}")
    expect(took < BACK_MAX_S, f"{took:.1f} s without answers {when}")


def expect_counted(switch):
    """The queues' counters add up to the port's."""
    process.wait_until(
        "the queues' counters are missing",
        lambda: "rx_q1_good_packets" in switch.statistics("vhost"))
    stats = switch.statistics("vhost")
    for way in "rx", "tx":
        queues = [stats[f"{way}_q{q}_good_packets"] for q in (0, 1)]
        expect(sum(queues) <= stats[f"{way}_packets"] + 100 and sum(queues),
               f"{way}: queues {queues}, port {stats[f'{way}_packets']}")
    return stats


tell(story, dpdk=True)
