#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OVN over two of our switches, which are restarted under traffic.

              ls0 ---------- lr0 ---------- ls1
             /   \\                           |
          vm1     vm2                       vm3
       10.21.0.1  10.21.0.2              10.22.0.3
          |           \\                    /
        [hv1]-----Geneve, DPDK ports-----[hv2]      EF_RESTARTS times each

Two hosts reach each other on a switch and through the router, what is denied
is dropped, a load balancer balances; after a restart all comes back by itself.
"""

import os
import re
import sys
import time

from story import (add_vdev, another, expect, expect_ping, expect_tcp, netns,
                   ping, process, serve_iperf, tell)
from rig.ovn import Ovn

RESTARTS = int(os.environ.get("EF_RESTARTS", 1))
OUTAGE_MAX_S = 15
VMS = {"vm1": ("ls0", "10.21.0.1"), "vm2": ("ls0", "10.21.0.2"),
       "vm3": ("ls1", "10.22.0.3")}
VIP = "10.30.0.100"             # By way of the router.
# Says its name to whoever connects.
ANSWER = """
import socket, sys
server = socket.create_server(("", 80))
while True:
    with server.accept()[0] as peer:
        peer.sendall(sys.argv[1].encode())
"""


def story(lab):
    other = another(lab, dpdk=True)
    netns.link(lab.ns, "wire", other.ns, "wire", 1600)
    ovn = Ovn(lab, os.environ["EF_CACHE"])
    for n, hv in (1, lab), (2, other):
        hv.switch.add_bridge("br-phy")
        add_vdev(hv.switch, "br-phy", "uplink", "net_af_packet0,iface=wire")
        hv.ns.run("ip", "address", "add", f"172.33.0.{n}/24", "dev", "br-phy")
        hv.ns.run("ip", "link", "set", "br-phy", "up")
        ovn.join(hv, f"hv{n}", f"172.33.0.{n}")
    vms = network(ovn, {"vm1": lab, "vm2": other, "vm3": other})
    vm1, vm3 = vms["vm1"], vms["vm3"]
    for vm in "vm2", "vm3":
        address = VMS[vm][1]
        process.wait_until(f"{vm} is not reached", lambda a=address: ping(
            vm1, a, count=1) == 1)
        serve_iperf(vms[vm])
        expect_ping(vm1, address, size=1372)
        expect_tcp(vm1, address)

    ovn.nbctl("acl-add", "ls0", "from-lport", "1000", 'inport == "vm1" && '
              "ip4.dst == 10.22.0.3 && icmp4", "drop")
    ovn.sync()
    expect(ping(vm1, "10.22.0.3") == 0, "the ACL does not drop")
    expect_ping(vm3, "10.21.0.2")
    ovn.nbctl("acl-del", "ls0")
    balance(ovn, vms)
    expect_tcp(vm1, VIP)

    for n in range(RESTARTS):
        for hv in lab, other:
            for end in "exit", "kill":
                restart(hv.switch, end, vm1)
    expect_ping(vm1, "10.22.0.3")
    expect_tcp(vm1, VIP)


def balance(ovn, vms):
    """Connections to one address are shared by two hosts."""
    for name in "vm2", "vm3":
        vms[name].start(sys.executable, "-c", ANSWER, name)
    ovn.nbctl("lb-add", "lb0", f"{VIP}:80", "10.21.0.2:80,10.22.0.3:80", "tcp")
    ovn.nbctl("lb-add", "lb0", f"{VIP}:5201", "10.22.0.3:5201", "tcp")
    ovn.nbctl("ls-lb-add", "ls0", "lb0")
    ovn.sync()
    answers = [vms["vm1"].run("nc", "-w2", "-d", VIP, "80", check=False)
               for _ in range(20)]
    expect(set(answers) == {"vm2", "vm3"}, f"answers to {VIP}: {answers}")


def network(ovn, homes):
    """Two switches and a router between them; hosts with a port each."""
    for n, ls in (21, "ls0"), (22, "ls1"):
        ovn.add_routed_switch(ls, "lr0", f"02:00:00:00:{n}:fe",
                              f"10.{n}.0.254/24")
    vms = {}
    for name, (ls, address) in VMS.items():
        _, net, _, last = address.split(".")
        vms[name] = ovn.add_host(homes[name], ls, name, address,
                                 f"02:00:00:00:{net}:0{last}")
        vms[name].run("ip", "route", "add", "default", "via",
                      f"10.{net}.0.254")
    ovn.sync()
    return vms


def restart(switch, end, vm):
    """Restarts 'switch' while 'vm' pings and prints how long that was in
    vain."""
    pings = vm.start("ping", "-D", "-n", "-i", "0.02", "10.21.0.2",
                     stdout=process.subprocess.PIPE, text=True)
    time.sleep(1)
    if end == "kill":
        switch.daemon.kill()
        switch.daemon.wait()
    else:
        switch.exit()
    switch.restart()
    process.wait_until("traffic does not come back", lambda: ping(
        vm, "10.21.0.2", count=1) == 1, OUTAGE_MAX_S)
    time.sleep(1)
    pings.send_signal(process.signal.SIGINT)
    times = [float(t) for t in re.findall(
        r"^\[([0-9.]+)\] \d+ bytes from", pings.communicate(timeout=10)[0],
        re.M)]
    outage = max(b - a for a, b in zip(times, times[1:]))
    print(f"outage {outage:.2f} s after {end} of {switch.ns.title}")
    expect(outage < OUTAGE_MAX_S, "too long")


tell(story, dpdk=True)
