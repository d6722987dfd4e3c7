# SPDX-License-Identifier: Apache-2.0
"""Records what a device receives.

    with Capture(host, "eth0", path) as capture:
        ...
    for frame in capture.frames(): ...
"""

import os
import signal

from . import checksum, pcap, process
from .process import RigError


class Capture:
    def __init__(self, ns, device, path, direction="in"):
        self.ns = ns
        self.device = device
        self.path = path
        self.direction = direction

    def __enter__(self):
        self.tcpdump = self.ns.start(
            "tcpdump", "-i", self.device, "-n", "-U", "-Z", "root",
            "-Q", self.direction, "-B", "16384", "-w", self.path)
        process.wait_until("tcpdump does not listen",
                           lambda: os.path.exists(self.path))
        return self

    def __exit__(self, *_error):
        self.tcpdump.send_signal(signal.SIGINT)
        try:
            self.tcpdump.wait(10)
        except process.subprocess.TimeoutExpired:
            process.stop(self.tcpdump)

    def frames(self):
        return list(pcap.read(self.path))

    def check(self, least=1):
        """Raises unless there are at least so many frames, all right."""
        frames = self.frames()
        wrong = {}
        for frame in frames:
            for fault in checksum.faults(frame):
                wrong.setdefault(fault, []).append(frame)
        where = f"{self.device} of {self.ns.title}"
        if wrong:
            lines = [f"{len(of)} times {fault}, first {of[0][:80].hex()}"
                     for fault, of in wrong.items()]
            raise RigError(f"of {len(frames)} frames into {where}:\n"
                           + "\n".join(lines[:5]))
        if len(frames) < least:
            raise RigError(f"only {len(frames)} frames into {where}")
