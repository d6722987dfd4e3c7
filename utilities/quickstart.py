# SPDX-License-Identifier: Apache-2.0
"""The part of quickstart that comes after installing and building.

usage: quickstart.py [--keep | --stop] [--no-huge] BUILD-DIRECTORY

A worker process does everything and cleans up after itself; the process in
front only passes signals on and waits.  With --keep the worker stays when the
screen is printed, until --stop sends it TERM, which it answers by the same
clean-up as ever.
"""

import argparse
import json
import os
import re
import signal
import sys
import time

from rig import pcap, process
from rig.lab import Lab
from rig.process import Interrupted, RigError

LEFT, RIGHT = "10.0.0.1", "10.0.0.2"
SECONDS = 3
N_FRAMES = 512                  # Recorded frames that are replayed.
FRAME_MAX = 1514                # What fits an MTU of 1500.
RULES = (                       # (what it is, how OpenFlow matches it)
    ("ARP", "arp"),
    ("ping", "icmp"),
    ("iperf3, data", "tcp,tp_dst=5201"),
    ("iperf3, acknowledgements", "tcp,tp_src=5201"),
)


def say(text=""):
    print(text, flush=True)


def makefile_variable(build, name):
    with open(os.path.join(build, "Makefile")) as f:
        for line in f:
            found = re.match(rf"{name} = (.*)", line)
            if found:
                return found[1].strip()
    raise RigError(f"{build}/Makefile does not define {name}")


class Quickstart:
    def __init__(self, build, no_huge):
        self.binary = os.path.join(build, "vswitchd/ovs-vswitchd")
        self.ovs_dir = makefile_variable(build, "OVS_DIR")
        cpus = sorted(os.sched_getaffinity(0))
        self.pmd_cpu = cpus[-1]
        self.lab = Lab(self.binary, self.ovs_dir, dpdk=True, no_huge=no_huge,
                       cpus=cpus[:-1] or cpus,
                       config=[f"pmd-cpu-mask={1 << self.pmd_cpu:#x}"])

    def tell_versions(self):
        first, *rest = process.run([self.binary, "--version"]).splitlines()
        own = [line for line in rest if line.startswith("Evenflow")]
        dpdk = [line for line in rest if line.startswith("DPDK")]
        say(", ".join([own[0] if own else "Not Evenflow", *dpdk,
                       "Open vSwitch " + first.split()[-1]]))
        say(f"PMD thread on CPU {self.pmd_cpu}; {self.lab.memory}")

    # --- Two namespaces through the switch --------------------------------

    def join_namespaces(self):
        self.lab.switch.add_bridge("br0")
        self.left = self.lab.host("left", f"{LEFT}/24")
        self.right = self.lab.host("right", f"{RIGHT}/24")
        self.right.start("iperf3", "--server")
        process.wait_until(
            "iperf3 does not listen",
            lambda: ":5201" in self.right.run("ss", "-Htln"))

    def ping(self):
        out = self.left.run("ping", "-c", "20", "-i", "0.05", RIGHT)
        sent, got = re.search(r"(\d+) packets transmitted, (\d+) received",
                              out).groups()
        mean = re.search(r"rtt [^=]*= [\d.]+/([\d.]+)/", out)[1]
        say(f"  ping      {got} of {sent} answered, {mean} ms on average")

    def iperf(self):
        out = self.left.run("iperf3", "--client", RIGHT, "--json", "--time",
                            str(SECONDS))
        bps = json.loads(out)["end"]["sum_received"]["bits_per_second"]
        say(f"  iperf3    {bps / 1e9:.2f} Gbit/s of TCP for {SECONDS} s")

    def record(self, traffic):
        """Records what passes 'left' during traffic(); returns the file."""
        everything = os.path.join(self.lab.run_dir, "everything.pcap")
        recording = os.path.join(self.lab.run_dir, "recording.pcap")
        with open(os.path.join(self.lab.run_dir, "tcpdump.out"), "w+") as log:
            tcpdump = self.left.start(
                "tcpdump", "-i", "eth0", "-n", "-U", "-Z", "root", "-c",
                "8192", "-w", everything, stdout=log, stderr=log)
            process.wait_until("tcpdump does not listen",
                               lambda: os.path.exists(everything))
            traffic()
            process.stop(tcpdump)
        frames = [frame for frame in pcap.read(everything)
                  if len(frame) <= FRAME_MAX][:N_FRAMES]
        if not frames:
            raise RigError("nothing was recorded")
        pcap.write(recording, frames)
        os.unlink(everything)
        say(f"  recorded  {len(frames)} frames of it, "
            f"{sum(map(len, frames)) // len(frames)} bytes on average")
        return recording

    # --- Replay -----------------------------------------------------------

    def start_replay(self, recording):
        switch = self.lab.switch
        switch.add_bridge("replay", "fail_mode=secure")
        for cookie, (_what, match) in enumerate(RULES):
            switch.ofctl("add-flow", "replay", f"cookie={cookie},in_port=1,"
                         f"{match},actions=output:2")
        switch.add_port("replay", "null", "type=dpdk", "ofport_request=2",
                        "options:dpdk-devargs=net_null0,no-rx=1")
        switch.add_port("replay", "pcap", "type=dpdk", "ofport_request=1",
                        "options:dpdk-devargs=net_pcap0,"
                        f"rx_pcap={recording},infinite_rx=1")

    def _transmitted(self):
        """(time, packets) that left by port "null"."""
        out = self.lab.switch.ofctl("dump-ports", "replay", "2")
        found = re.search(r"tx pkts=(\d+)", out)
        if not found:
            raise RigError(f"no statistics of port null:\n{out}")
        return time.monotonic(), int(found[1])

    def measure(self):
        switch = self.lab.switch
        process.wait_until("nothing is forwarded",
                           lambda: self._transmitted()[1] > 0)
        time.sleep(1)           # All flows are there now.
        switch.appctl("dpif-netdev/pmd-stats-clear")
        t0, packets0 = self._transmitted()
        time.sleep(SECONDS)
        t1, packets1 = self._transmitted()
        show = switch.appctl("dpif-netdev/pmd-stats-show", "-pmd",
                             str(self.pmd_cpu))
        rate = (packets1 - packets0) / (t1 - t0)
        size = self.tell_rules()
        cycles = switch.pmd_stats().get("avg cycles per packet", 0)
        say(f"  packets per second {rate:>20,.0f}   "
            f"({8 * size * rate / 1e9:.1f} Gbit/s)")
        say(f"  cycles per packet  {cycles:>20,.0f}")
        say()
        say(f"ovs-appctl dpif-netdev/pmd-stats-show -pmd {self.pmd_cpu}")
        say(show.rstrip())

    def tell_rules(self):
        """Prints what each rule forwarded so far; returns the mean size."""
        counts = {int(cookie, 16): (int(packets), int(n_bytes))
                  for cookie, packets, n_bytes in re.findall(
                      r"cookie=(0x[0-9a-f]+),.* n_packets=(\d+), "
                      r"n_bytes=(\d+)",
                      self.lab.switch.ofctl("dump-flows", "replay"))}
        say("  forwarded since it began:")
        for cookie, (what, _match) in enumerate(RULES):
            packets, n_bytes = counts.get(cookie, (0, 0))
            say(f"    {what:<26} {packets:>12,} packets, "
                f"{n_bytes:>15,} bytes")
        packets, n_bytes = map(sum, zip((1, 0), *counts.values()))
        return n_bytes / packets

    # --- The whole --------------------------------------------------------

    def run(self, kept):
        """'kept' is called on the running switch when all is done."""
        say("starting the switch")
        with self.lab:
            say()
            self.tell_versions()
            say()
            say(f"Two network namespaces, {LEFT} --- br0 --- {RIGHT}")
            self.join_namespaces()

            def traffic():
                self.ping()
                self.iperf()
            recording = self.record(traffic)
            say()
            say("The recording, replayed from memory: pcap --- replay --- "
                f"null, for {SECONDS} s")
            self.start_replay(recording)
            self.measure()
            kept(self)


# --- Keeping it running ----------------------------------------------------

def start_time(pid):
    """Tells one process from a later one of the same number."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[19]
    except OSError:
        return None


class KeptFile:
    """Names the worker that --keep left running."""

    def __init__(self, build):
        self.path = os.path.join(build, "quickstart.kept")

    def worker(self):
        """The process id, or None if there is none any more."""
        try:
            with open(self.path) as f:
                pid, started = f.read().split()
        except (OSError, ValueError):
            return None
        return int(pid) if start_time(pid) == started else None

    def write(self):
        with open(self.path, "w") as f:
            f.write(f"{os.getpid()} {start_time(os.getpid())}\n")

    def remove(self):
        if os.path.exists(self.path):
            os.unlink(self.path)


def keep(quickstart, build, front):
    """Tells how to go on, lets the process in front end, waits for TERM."""
    words, path = quickstart.lab.switch.shell_words()
    say(f"""
Left running, with one CPU busy.  Talk to it:
  {words}
  {path}
  ovs-vsctl show
  ovs-appctl dpif-netdev/pmd-stats-show
  nsenter --net=/proc/{quickstart.left.pid}/ns/net ping {RIGHT}
Stop it, and remove every trace:
  ./quickstart --stop""")
    kept_file = KeptFile(build)
    try:
        with process.shielded():
            kept_file.write()
            process.die_with_parent(0)
            null = os.open(os.devnull, os.O_RDWR)
            for fd in range(3):
                os.dup2(null, fd)
            os.write(front, b"kept")
            os.close(front)
        while quickstart.lab.switch.is_running():
            time.sleep(1)
    finally:
        kept_file.remove()


def stop(build):
    pid = KeptFile(build).worker()
    if pid is None:
        say("quickstart: nothing was kept running")
        KeptFile(build).remove()
        return 0
    os.kill(pid, signal.SIGTERM)
    process.wait_until("the switch does not stop",
                       lambda: start_time(pid) is None, 90)
    say("stopped")
    return 0


# --- Worker and front ------------------------------------------------------

def work(args, front, parent):
    """The worker's life; returns its exit status."""
    os.setsid()
    process.die_with_parent(signal.SIGTERM)
    if os.getppid() != parent:
        return 1
    process.catch_signals()

    def when_done(quickstart):
        if args.keep:
            keep(quickstart, args.build, front)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, process.SIGNALS)
        Quickstart(args.build, args.no_huge).run(when_done)
        return 0
    except RigError as error:
        print(f"quickstart: {error}", file=sys.stderr)
        return 1
    except Interrupted as interrupted:
        print(f"quickstart: {interrupted}: cleaned up", file=sys.stderr)
        return 128 + interrupted.signum


def pass_signals_on(pid):
    def pass_on(signum, _frame):
        try:
            os.kill(pid, signum)
        except ProcessLookupError:
            pass
    for signum in process.SIGNALS:
        if (signum != signal.SIGHUP
                or signal.getsignal(signum) != signal.SIG_IGN):
            signal.signal(signum, pass_on)


def run_worker(args):
    """Returns when the worker has ended or stays on its own."""
    ours, workers = os.pipe()
    parent = os.getpid()
    # Signals wait until both sides know what to do about them.
    with process.shielded():
        pid = os.fork()
        if not pid:
            status = 1
            try:
                os.close(ours)
                status = work(args, workers, parent)
            finally:
                sys.stdout.flush()
                os._exit(status)
        os.close(workers)
        pass_signals_on(pid)
    if os.read(ours, 4):
        return 0                # Kept.
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return status if status >= 0 else 128 - status


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--stop", action="store_true")
    parser.add_argument("--no-huge", action="store_true")
    parser.add_argument("build")
    args = parser.parse_args()
    if args.stop:
        return stop(args.build)
    if args.keep and KeptFile(args.build).worker():
        print("quickstart: one is running already: ./quickstart --stop",
              file=sys.stderr)
        return 1
    return run_worker(args)


if __name__ == "__main__":
    sys.exit(main())
