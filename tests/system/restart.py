#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The switch is restarted under traffic; hosts notice a pause, no more.

    left 10.7.0.1 --- br0 --- 10.7.0.2 right

Once asked to end and once killed, it takes up its ports again from the
database, devices that were left behind included.
"""

import re
import time

from story import expect, expect_ping, ping, process, tell

PAUSE_MAX_S = 15


def story(lab):
    switch = lab.switch
    switch.add_bridge("br0")
    left = lab.host("left", "10.7.0.1/24")
    lab.host("right", "10.7.0.2/24")
    expect_ping(left, "10.7.0.2")

    for end in switch.exit, kill:
        pings = left.start("ping", "-n", "-i", "0.1", "10.7.0.2",
                           stdout=process.subprocess.PIPE, text=True)
        time.sleep(1)
        (end if end != kill else lambda: kill(switch))()
        expect(not switch.is_running(), "the switch does not end")
        before = time.monotonic()
        switch.restart()
        process.wait_until("traffic does not come back",
                           lambda: ping(left, "10.7.0.2", count=1) == 1,
                           PAUSE_MAX_S)
        pause = time.monotonic() - before
        expect(pause < PAUSE_MAX_S, f"traffic paused for {pause:.0f} s")
        time.sleep(1)
        expect_answers(pings, pause)
        expect(not switch.interface("left", "error"),
               switch.interface("left", "error"))


def kill(switch):
    switch.daemon.kill()
    switch.daemon.wait()


def expect_answers(pings, pause):
    """Pings before and after were answered; none came twice."""
    pings.send_signal(process.signal.SIGINT)
    out = pings.communicate(timeout=10)[0]
    sent, got = map(int, re.search(
        r"(\d+) packets transmitted, (\d+) received", out).groups())
    expect(got >= 12 and "duplicates" not in out
           and sent - got < 10 * (pause + 4),
           f"{got} of {sent} pings answered, pause {pause:.1f} s:\n"
           + out[-300:])


tell(story)
