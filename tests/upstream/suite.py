# SPDX-License-Identifier: Apache-2.0
"""A test suite in a built Open vSwitch tree, as the programs here run it:
which tests there are, which ovs-vswitchd they find, what came of each.
"""

import collections
import contextlib
import fcntl
import os
import re
import shutil
import subprocess

LISTED = re.compile(r"^ *(\d+): (\S+\.at):(\d+) +(.*\S)")
RESULT = re.compile(r"(\d+)\. (.*) \((\S+\.at):\d+\): "
                    r"(ok|skipped|FAILED|expected failure|UNEXPECTED PASS)")
TIMES = re.compile(r"(\d+)m([\d.]+)s")
# Written by every ovs-vswitchd at its first connection to the database, and
# by ours at its start.
ANY_SWITCH = re.compile(r"\|INFO\|ovs-vswitchd \(Open vSwitch\) ")
OUR_SWITCH = "|evenflow|INFO|Evenflow %s, program %s\n"
STARTED = re.compile(r"\.at:\d+: .*\bovs-vswitchd\b.*--(detach|pidfile)")
SANITIZER_FILE = re.compile(r"^(asan|tsan|ubsan)\.")


class Failure(Exception):
    """The run as a whole proves nothing."""


class Test:
    def __init__(self, number, at_file, title):
        self.number = number
        self.at_file = at_file
        self.title = title
        self.result = "no result"
        self.seconds = 0.0
        self.starts = False     # Runs an ovs-vswitchd.
        self.proved = False     # Its log says that it is the tested one.
        self.notes = []
        self.flaky = False

    @property
    def name(self):
        return f"{self.at_file}: {self.title}"


class Suite:
    """The suite in a built tree, its PATH led by 'program_dir'.  'enter' are
    words to put before a command; what takes longer than 'deadline_s' is
    killed."""

    def __init__(self, ovs, program_dir, name="testsuite", enter=(),
                 deadline_s=None):
        self.ovs = ovs
        self.name = name
        self.enter = list(enter)
        self.deadline_s = deadline_s
        self.tests = os.path.join(ovs, "tests")
        path = ["utilities", "vswitchd", "ovsdb", "vtep", "tests", "ipsec"]
        if program_dir:
            path.insert(0, program_dir)
        self.command = ["/bin/sh", f"./tests/{name}", "-C", "tests",
                        "AUTOTEST_PATH=" + ":".join(path)]

    def run(self, arguments, **kwargs):
        try:
            return subprocess.run(self.enter + self.command + arguments,
                                  cwd=self.ovs, timeout=self.deadline_s,
                                  **kwargs)
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(late.cmd, 124)

    def list(self, selection):
        done = self.run(["--list"] + selection, stdout=subprocess.PIPE,
                        text=True, check=True)
        tests = [Test(int(m[1]), m[2], m[4]) for m in
                 map(LISTED.match, done.stdout.splitlines()) if m]
        return {test.number: test for test in tests}

    def group_dir(self, number):
        """Returns the directory of a test group: its name is zero-padded."""
        base = os.path.join(self.tests, f"{self.name}.dir")
        for width in (4, 3, 2, 1, 5):
            name = os.path.join(base, "%0*d" % (width, number))
            if os.path.isdir(name):
                return name
        return None

    def log(self):
        with open(os.path.join(self.tests, f"{self.name}.log"),
                  errors="replace") as f:
            return f.read()


def check_found_program(suite, program, version, number):
    """Raises Failure unless the suite finds 'program' in its PATH.  Runs one
    test for that, since only then the suite writes its log."""
    suite.run([str(number)], stdout=subprocess.DEVNULL,
              stderr=subprocess.DEVNULL)
    log = suite.log()
    tested = re.findall(r"\.at:\d+: (\S*/ovs-vswitchd) --version\n(.*?)\n\n",
                        log, re.S)
    if not tested:
        raise Failure("the suite's log does not name an ovs-vswitchd")
    for path, output in tested:
        if os.path.realpath(path) != program:
            raise Failure(f"the suite tests {path}, not {program}")
        if f"Evenflow {version}" not in output.splitlines():
            raise Failure(f"{path} --version does not say Evenflow {version}")


def log_files(directory):
    for where, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(where, name)
            if os.path.isfile(path) and not os.path.islink(path):
                yield path


def inspect_logs(test, directory, our_line):
    """Sets 'starts' and adds notes on foreign binaries and sanitizers."""
    for path in log_files(directory):
        name = os.path.basename(path)
        with open(path, errors="replace") as f:
            text = f.read()
        if SANITIZER_FILE.match(name):
            test.notes.append(f"sanitizer report {name}")
        elif name.endswith("testsuite.log"):
            test.starts |= bool(STARTED.search(text))
        else:
            any_switch = len(ANY_SWITCH.findall(text))
            ours = text.count(our_line) if our_line else 0
            test.starts |= bool(any_switch or ours)
            test.proved |= bool(ours if our_line else any_switch)
            if our_line and any_switch > ours:
                test.notes.append(f"{name} is not from our binary")
            elif not our_line and "|evenflow|INFO|" in text:
                test.notes.append(f"{name} is from Evenflow")


def collect(suite, tests, our_line, keep):
    """Reads the results of 'tests' from their directories, which are removed,
    those of failed tests moved to 'keep'."""
    for test in tests:
        directory = suite.group_dir(test.number)
        if not directory:
            continue
        try:
            with open(os.path.join(directory, f"{suite.name}.log"),
                      errors="replace") as f:
                text = f.read()
        except FileNotFoundError:
            text = ""
        found = [m for m in RESULT.finditer(text)
                 if int(m[1]) == test.number]
        if found:
            test.result = found[-1][4]
            rest = text[found[-1].end():].splitlines()
            test.seconds = sum(int(m) * 60 + float(s) for m, s in
                               TIMES.findall(rest[0] if rest else ""))
        inspect_logs(test, directory, our_line)
        if test.notes and test.result == "ok":
            test.result = "FAILED"
        if keep and test.result not in ("ok", "skipped"):
            kept = os.path.join(keep, os.path.basename(directory))
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(directory, kept, symlinks=True,
                            ignore=lambda d, names: [
                                n for n in names if not (
                                    os.path.isfile(os.path.join(d, n))
                                    or os.path.isdir(os.path.join(d, n)))])
        shutil.rmtree(directory, ignore_errors=True)


def print_table(tests):
    """Counts per .at file, tests that start a switch apart from others."""
    kinds = {"ok": "ok", "expected failure": "ok", "skipped": "skip"}
    rows = collections.defaultdict(collections.Counter)
    for test in tests:
        kind = kinds.get(test.result, "fail")
        rows[test.at_file][("switch " if test.starts else "") + kind] += 1
    columns = ["switch ok", "switch fail", "switch skip",
               "ok", "fail", "skip"]
    print(f"\n{'':28}{'with ovs-vswitchd':^18}  {'without':^18}")
    print(f"{'':28}" + "  ".join(["%6s%6s%6s" % ("ok", "fail", "skip")] * 2))
    total = collections.Counter()
    for at_file, row in sorted(rows.items()):
        total.update(row)
        cells = [row[c] for c in columns]
        print("%-28s%6d%6d%6d  %6d%6d%6d" % (at_file, *cells))
    print("%-28s%6d%6d%6d  %6d%6d%6d" % ("total",
                                         *[total[c] for c in columns]))


def write_results(path, tests):
    with open(path, "w") as f:
        for test in tests:
            flaky = " (flaky)" if test.flaky else ""
            kind = "switch" if test.starts else "-"
            f.write(f"{test.number}\t{test.result}{flaky}\t{kind}\t"
                    f"{test.seconds:.1f}\t{test.name}\n")


@contextlib.contextmanager
def alone_in(ovs):
    """The suites work in one directory of the tree, which may be shared."""
    with open(os.path.join(ovs, ".evenflow-suite.lock"), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("waiting for another run in this tree", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
