# SPDX-License-Identifier: Apache-2.0
"""What the stories share.

A story is a program: its docstring starts with a drawing of the topology, its
function tells what happens, and tell() runs it in a lab of its own.  It exits
with 0 if all came true; otherwise it says what did not.  The switch and the
Open vSwitch tree with the tools come from the environment: EF_SWITCH and
EF_OVS, which tests/system/run sets; so does EF_CACHE, a directory for what is
to be fetched.  The rig's modules come by this one, which
knows where they are.
"""

import json
import os
import re
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../../utilities"))

from rig import checksum, debian, jsonrpc, netns    # noqa: E402,F401
from rig import pcap, process                       # noqa: E402,F401
from rig.capture import Capture                     # noqa: E402,F401
from rig.lab import Lab                             # noqa: E402
from rig.process import Interrupted, RigError       # noqa: E402


def tell(story, noisy=False, **lab_options):
    """Runs story(lab) and exits.  Only a 'noisy' one may make the switch
    complain in its log."""
    process.catch_signals()
    try:
        with Lab(os.environ["EF_SWITCH"], os.environ["EF_OVS"],
                 **lab_options) as lab:
            story(lab)
            expect(lab.switch.is_running(), "the switch has ended by itself")
            if not noisy:
                expect_quiet_log(lab.switch)
    except RigError as error:
        print(error)
        sys.exit(1)
    except Interrupted as interrupted:
        sys.exit(128 + interrupted.signum)
    sys.exit(0)


def another(lab, **lab_options):
    """A second switch, in a namespace of its own, which ends with 'lab'."""
    other = Lab(os.environ["EF_SWITCH"], os.environ["EF_OVS"], **lab_options)
    other.__enter__()
    lab.defer(other.__exit__, None, None, None)
    return other


def expect(condition, otherwise):
    if not condition:
        raise RigError(otherwise)


def expect_quiet_log(switch):
    """No story makes the switch complain of an error, but for EAL's ways, for
    a link that was taken down, and for what upstream's says too when it is
    asked to end with connections tracked."""
    fine = re.compile(r"\|dpdk\||Network is down|left allocated when ofproto")
    with open(switch.log_path(), errors="replace") as f:
        bad = [line for line in f if re.search(r"\|(ERR|EMER)\|", line)
               and not fine.search(line)]
    expect(not bad, "in the switch's log:\n" + "".join(bad[:10]))


def add_vdev(switch, bridge, name, devargs, *more):
    switch.add_port(bridge, name, "type=dpdk",
                    f"options:dpdk-devargs={devargs}", *more)


def tx_driver():
    """The driver of net_ef_tx, for EAL's "-d"; see tests/dpdk-driver."""
    path = os.path.join(os.path.dirname(os.environ["EF_SWITCH"]),
                        "../tests/dpdk-driver/net_ef_tx.so")
    if not os.path.exists(path):
        print("not there: make tests/dpdk-driver/net_ef_tx.so")
        sys.exit(1)
    return os.path.realpath(path)


class TxControl:
    """The control file of a net_ef_tx device, made by its "control=PATH"."""
    NAMES = ("delay_us", "rate", "hold", "stop", "rx_rate", "rx_size",
             "n_held")

    def __init__(self, path):
        self.path = path

    def set(self, **values):
        with open(self.path, "r+b", buffering=0) as f:
            for name, value in values.items():
                os.pwrite(f.fileno(), struct.pack("=I", value),
                          4 * self.NAMES.index(name))

    def get(self, name):
        with open(self.path, "rb") as f:
            return struct.unpack_from("=I", f.read(),
                                      4 * self.NAMES.index(name))[0]


def config_show(switch, scope, key):
    """What evenflow/config-show says of a key: "in_force", "refused" and
    "rule", the latter two only if a value was refused."""
    settings = json.loads(switch.appctl("evenflow/config-show", "json"))
    return settings.get(scope, {}).get(key, {})


# --- Traffic ---------------------------------------------------------------

def ping(host, address, count=3, size=None, interval=0.2):
    """Pings, with 'size' bytes of payload that must not be fragmented, and
    returns how many answers came."""
    argv = ["ping", "-n", "-c", str(count), "-i", str(interval), "-W", "1"]
    if size is not None:
        argv += ["-s", str(size), "-M", "do"]
    out = host.run(*argv, address, check=False)
    found = re.search(r"(\d+) received", out)
    return int(found[1]) if found else 0


def expect_ping(host, address, **kwargs):
    """All but the first, which may fall to address resolution, come back."""
    count = kwargs.setdefault("count", 3)
    got = ping(host, address, **kwargs)
    expect(got >= count - 1, f"{host.title} pings {address}: {got} of {count} "
           f"answered {kwargs}")


def serve_iperf(host, *options):
    host.start("iperf3", "--server", *options)
    process.wait_until("iperf3 does not listen",
                       lambda: ":5201" in host.run("ss", "-Htln"))


def iperf(host, address, *options, seconds=2):
    """What iperf3 measured, as its JSON says under "end"."""
    out = host.run("iperf3", "--client", address, "--json", "--time",
                   str(seconds), *options, timeout=seconds + 30)
    return json.loads(out)["end"]


def expect_tcp(host, address, *options):
    rate = iperf(host, address, *options)["sum_received"]["bits_per_second"]
    expect(rate > 10e6, f"TCP from {host.title} to {address}: only {rate:.0f} "
           "bit/s")


def port_packets(switch, bridge, port, direction="tx"):
    out = switch.ofctl("dump-ports", bridge, port)
    return int(re.search(rf"{direction} pkts=(\d+)", out)[1])


def check_traffic(lab, host, device, address, peer, peer_device,
                  sizes=(0, 1, 57, 1471), least=200):
    """Pings of several sizes, TCP and UDP both ways between 'host' and 'peer',
    which has 'address' and serves iperf3; whatever either device receives has
    the right lengths and checksums."""
    paths = [os.path.join(lab.run_dir, f"{ns.title}-{dev}.pcap")
             for ns, dev in ((host, device), (peer, peer_device))]
    for path in paths:
        if os.path.exists(path):
            os.unlink(path)
    with Capture(host, device, paths[0]) as there, \
            Capture(peer, peer_device, paths[1]) as here:
        for size in sizes:
            expect_ping(host, address, size=size, interval=0.05)
        for options in (("--bitrate", "100M"),
                        ("--udp", "--bitrate", "5M", "--length", "333")):
            end = iperf(host, address, "--bidir", *options, seconds=1)
            bits = [end[name]["bits_per_second"] for name in
                    ("sum_received", "sum_received_bidir_reverse")]
            expect(min(bits) > 2e6, f"{host.title} and {address} exchange "
                   f"{bits} bit/s {options}")
    there.check(least)
    here.check(least)
