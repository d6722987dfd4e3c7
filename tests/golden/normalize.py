# SPDX-License-Identifier: Apache-2.0
"""Replaces what varies in the output of commands by tokens of its class.

    {int}     an integer                {int:W}   with its padding W wide
    {flt.D}   D digits after the point  {flt.D:W} with its padding W wide
    {time}    HH:MM:SS.mmm

Everything else stays as it is, blanks at the ends of lines included.  A width
is that of the field: a number that has outgrown it still gets the token.
Equal lines in a row become one, with their number in front.
"""

import re

# A number that is not part of a name.
INT = r"(?<![\w.])\d+(?![\w.])"
FLT = r"(?<![\w.])(?:\d+|-?nan|-?inf)(?:\.\d+)?(?![\w.])"


def pad(field, width):
    """Whether 'field' is what a format with that width prints."""
    return len(field) == width or (len(field) > width
                                   and not field[0].isspace()
                                   and not field[-1].isspace())


def number(text, width=None):
    digits = text.strip()
    if "." in digits:
        token = "flt.%d" % len(digits.split(".")[1])
    else:
        token = "int"
    return "{%s}" % token if width is None else "{%s:%d}" % (token, width)


def fixed(width):
    """Replacement for a field of a known width between group 1 and 3."""
    def replace(match):
        before, field, after = match.groups()
        if not pad(field, width):
            return match.group()
        return before + number(field, width) + after
    return replace


def table_row(line):
    """Columns of a table, numbers on the left and blanks after them."""
    def replace(match):
        return number(match.group(1), len(match.group()))
    return re.sub(r"(%s) *" % FLT, replace, line)


RULES = [
    (re.compile(r"^(Time: )\d\d:\d\d:\d\d\.\d\d\d$"), r"\1{time}"),
    (re.compile(r"(queue-id: )( \d|\d\d+)()(?= )"), fixed(2)),
    (re.compile(r"((?:pmd usage|overhead): )( \d|\d\d+)( %)"), fixed(2)),
    # "label:" and a number in a column of its own.
    (re.compile(r"^(  [-A-Z][^:]*:)( {2,}\d+)(.*)"),
     lambda m: m.group(1) + number(m.group(2), len(m.group(2)))
     + m.group(3)),
    (re.compile(r"(\()( *(?:\d+\.\d|-?nan))( %)"), fixed(5)),
    (re.compile(r"(\()( *(?:\d+|-?nan))( us/iteration)"), fixed(3)),
    (re.compile(FLT), lambda m: number(m.group())),
]


def normalize_line(line):
    if re.match(r"   (?:%s|>)" % FLT, line):
        return table_row(line)
    for pattern, replacement in RULES:
        parts = re.split(r"(\{[^{}]*\})", line) if pattern is RULES[-1][0] \
            else [line]
        line = "".join(part if part.startswith("{")
                       else pattern.sub(replacement, part)
                       for part in parts)
    return line


def normalize(text):
    """Returns the grammar of 'text'."""
    result = []
    for line in map(normalize_line, text.split("\n")):
        if result and result[-1][1] == line:
            result[-1][0] += 1
        else:
            result.append([1, line])
    return "\n".join(line if n == 1 else "%d * %s" % (n, line)
                     for n, line in result)
