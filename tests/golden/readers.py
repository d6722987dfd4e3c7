# SPDX-License-Identifier: Apache-2.0
"""Parses the output of commands the ways that known programs do.

Each function returns what the program would make of the text, and raises
ReaderError where it would see nothing or something else.
"""

import re


class ReaderError(Exception):
    """A known program would not understand the output."""


TITLE = re.compile(r"^pmd thread numa_id (\d+) core_id (\d+):$")
COUNTER = re.compile(r"^\s+([a-z][a-z. ]*): (\d+)$")
ISOLATED = re.compile(r"^\s+isolated : (true|false)$")
RXQ = re.compile(r"^\s+port: ([\w.-]+)\s+queue-id:\s+(\d+)"
                 r" \((enabled|disabled)\)\s+pmd usage:\s+(\d+) %$")
OVERHEAD = re.compile(r"^\s+overhead:\s+(\d+) %$")


def need(condition, what, text):
    if not condition:
        raise ReaderError("%s not found in:\n%s" % (what, text))


def by_pmd(text):
    """Splits at "pmd thread" titles: {(numa, core): lines}."""
    pmds, lines = {}, None
    for line in text.splitlines():
        match = TITLE.match(line)
        if match:
            lines = pmds.setdefault(tuple(map(int, match.groups())), [])
        elif line.startswith("main thread"):
            lines = None
        elif lines is not None:
            lines.append(line)
    need(pmds, "title of a PMD", text)
    return pmds


def exporter_stats(text):
    """OpenStack network exporter: "name: integer" lines of each PMD."""
    result = {}
    for pmd, lines in by_pmd(text).items():
        counters = dict(COUNTER.match(line).groups()
                        for line in lines if COUNTER.match(line))
        for name in ("packets received", "packet recirculations",
                     "emc hits", "smc hits", "megaflow hits",
                     "miss with success upcall", "miss with failed upcall"):
            need(name in counters, name, text)
        result[pmd] = {name: int(n) for name, n in counters.items()}
    return result


def exporter_rxqs(text):
    """OpenStack network exporter: isolation, usage, overhead."""
    result = {}
    for pmd, lines in by_pmd(text).items():
        joined = "\n".join(lines)
        isolated = [m.group(1) for m in map(ISOLATED.match, lines) if m]
        rxqs = [m.groups() for m in map(RXQ.match, lines) if m]
        overhead = [int(m.group(1)) for m in map(OVERHEAD.match, lines) if m]
        need(len(isolated) == 1, "isolated", joined)
        need(len(rxqs) == joined.count("queue-id"), "usage", joined)
        need(len(overhead) == bool(rxqs), "overhead", joined)
        result[pmd] = isolated[0], rxqs, overhead
    return result


POSITIONS = [
    "packets received", "packet recirculations",
    "avg. datapath passes per packet", "phwol hits", "mfex opt hits",
    "simple match hits", "emc hits", "smc hits", "megaflow hits",
    "avg. subtable lookups per megaflow hit", "miss with success upcall",
    "miss with failed upcall", "avg. packets per output batch",
    "idle cycles", "processing cycles", "avg cycles per packet",
    "avg processing cycles per packet",
]


def telemetry_stats(text, busy):
    """Telemetry exporter: pmd-stats-show by line position."""
    result = {}
    for pmd, lines in by_pmd(text).items():
        names = [line.split(":")[0].strip() for line in lines]
        expected = POSITIONS if busy else POSITIONS[:15]
        need(names == expected, "lines in their order", text)
        values = [line.split(":")[1].split()[0] for line in lines]
        result[pmd] = dict(zip(names, map(float, values)))
    return result


def awk_rxqs(text):
    """Upstream's test suite: fields of a line, counted from the left."""
    result = []
    numa = core = None
    for line in text.splitlines():
        fields = line.split()
        if "pmd thread" in line:
            numa, core = fields[3], fields[5][:-1]
        elif line.startswith("  port:"):
            result.append((fields[1], int(fields[3]), int(numa), int(core)))
    need(result, "rx queues", text)
    return sorted(result)


def bond_members(text):
    """{bond: [member of each bucket]}"""
    bonds, members = {}, None
    for line in text.splitlines():
        match = re.match(r"^  bond-id (\d+):$", line)
        if match:
            members = bonds.setdefault(int(match.group(1)), [])
        match = re.match(r"^    bucket (\d+) - member (\d+)$", line)
        if match:
            need(int(match.group(1)) == len(members), "bucket", text)
            members.append(int(match.group(2)))
    need(bonds, "bonds", text)
    return bonds
