# SPDX-License-Identifier: Apache-2.0
"""Tests of utilities/manual-check: each planted difference must be found."""

import os
import subprocess
import sys

import tap

TOOL = os.path.join(os.environ.get("srcdir", "."), "utilities",
                    "manual-check")
PAGE_5 = "Documentation/ref/evenflow.conf.5.rst"
PAGE_8 = "Documentation/ref/ovs-vswitchd-evenflow.8.rst"
ENTRY = """
``{0}``
    Does things.

    :Type: number
    :Unit: none
    :Default: 0
    :Takes effect: at once
    :Example: ``ovs-vsctl set Open_vSwitch .
        other_config:{0}=1``
"""
OPTIONS = '{ "mlockall", no_argument, 0, opt },\n'
FUNCTION = "static void\nset_{}(const struct smap *cfg)\n{{\n    {};\n}}\n"


def check(tmp, keys, code, page_8="``--mlockall``\n    Locks.\n", **more):
    files = {
        PAGE_5: "".join(map(ENTRY.format, keys)),
        PAGE_8: page_8,
        "vswitchd/options.c": OPTIONS,
    }
    files.update({f"lib/{name}.c": text for name, text in more.items()})
    files["lib/main.c"] = code
    for name, text in files.items():
        path = os.path.join(tmp, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
    return run(tmp)


def run(tmp):
    return subprocess.run([sys.executable, TOOL, tmp],
                          stderr=subprocess.PIPE, text=True)


def passes(done):
    assert done.returncode == 0, done.stderr


def finds(done, *words):
    """Exactly one problem is found, and its text has 'words'."""
    lines = done.stderr.splitlines()
    assert done.returncode == 1, "nothing found"
    assert len(lines) == 1, lines
    for word in words:
        assert word in lines[0], lines[0]


def edit(tmp, path, old, new):
    path = os.path.join(tmp, path)
    with open(path) as f:
        text = f.read()
    assert old in text
    with open(path, "w") as f:
        f.write(text.replace(old, new))


READ_A = FUNCTION.format("a", 'smap_get(cfg, "a-key")')


def test_equal(tmp):
    passes(check(tmp, ["a-key"], READ_A))


def test_key_not_on_page(tmp):
    finds(check(tmp, [], READ_A), "lib/main.c", "a-key is not in", PAGE_5)


def test_key_not_in_code(tmp):
    finds(check(tmp, ["a-key", "b-key"], READ_A),
          "b-key is not in the code", PAGE_5)


def test_key_twice(tmp):
    finds(check(tmp, ["a-key", "a-key"], READ_A), "a-key is there twice")


def test_comments_do_not_count(tmp):
    passes(check(tmp, ["a-key"],
                 '/* smap_get(cfg, "b-key") */\n' + READ_A))


def test_each_reader_counts(tmp):
    for i, call in enumerate([
            'smap_get_def(cfg, "b", "")', 'smap_get_bool(cfg, "b", false)',
            'ef_settings_accept("Open_vSwitch", "b", "1")',
            'ef_settings_refuse("Open_vSwitch", "b", "1", "rule")']):
        finds(check(os.path.join(tmp, str(i)), [],
                    FUNCTION.format("b", call)), "key b is not in")


WRAPPER = ("static bool\nget(const struct smap *cfg, const char *scope,\n"
           "    const char *key)\n{\n    return smap_get(cfg, key);\n}\n")
OUTER = ("static bool\nget_on(const char *key, const struct smap *cfg)\n"
         "{\n    return get(cfg, f(1, 2), key);\n}\n")


def test_wrapper(tmp):
    code = WRAPPER + FUNCTION.format("a", 'get(cfg, g("b", x[1]), "a-key")')
    passes(check(tmp, ["a-key"], code))


def test_wrapper_of_wrapper(tmp):
    code = OUTER + WRAPPER + FUNCTION.format("a", 'get_on("a-key", cfg)')
    finds(check(tmp, [], code), "a-key is not in")


def test_wrapper_of_another_file(tmp):
    """A static function is one of its own file only."""
    caller = FUNCTION.format("a", 'get(cfg, 0, "a-key")')
    passes(check(tmp, [], caller, other=WRAPPER))
    finds(check(tmp, [], caller, other=WRAPPER.replace("static ", "")),
          "a-key is not in")


TABLE = ('static const struct row rows[] = {\n    { "a-key", "--a", 1 },\n'
         '    { "b-key", "-b", 2 },\n};\n')


def test_table(tmp):
    code = TABLE + FUNCTION.format("a", "smap_get(cfg, rows[i].key)")
    passes(check(tmp, ["a-key", "b-key"], code))
    finds(check(tmp, ["a-key"], code), "b-key is not in")


def test_named_string(tmp):
    code = ('static const char name[] = "a-key";\n'
            + FUNCTION.format("a", "smap_get(cfg, name)"))
    finds(check(tmp, [], code), "a-key is not in")


def test_unknown_key(tmp):
    finds(check(tmp, [], FUNCTION.format("a", "smap_get(cfg, f())")),
          "cannot tell which key 'f()' is")


def test_missing_field(tmp):
    for field in "Type", "Unit", "Default", "Takes effect":
        check(tmp, ["a-key"], READ_A)
        edit(tmp, PAGE_5, f":{field}:", ":Other:")
        finds(run(tmp), f"a-key has no '{field}'")


def test_example_of_another_key(tmp):
    check(tmp, ["a-key"], READ_A)
    edit(tmp, PAGE_5, ":a-key=", ":b-key=")
    finds(run(tmp), "the example of a-key does not set it")


def test_option(tmp):
    finds(check(tmp, [], "", page_8=""), "option mlockall is not in", PAGE_8)
    finds(check(tmp, [], "", page_8="``-m, --mlockall``\n    Locks.\n\n"
                "``--other=FILE``\n    More.\n"),
          "option other is not in the code")


COMMANDS = "``--mlockall``\n    Locks.\n\n``a/show [DP]``\n    Shows.\n"


def test_command(tmp):
    for i, code in enumerate([
            'unixctl_command_register("a/show", "", 0, 0, cb, NULL);',
            'static struct c c = { .name = "a/show" };',
            'x commands[] = {\n{ "show", "[dp]", 3 } };\n'
            'name = xasprintf("a/%s", x);\n'
            'unixctl_command_register(name, "", 0, 0, cb, NULL);',
            'x dumps[] = {\n{ "a/show", "[dp]", 3 } };\n'
            'unixctl_command_register(dumps[i].name, "", 0, 0, cb, NULL);']):
        at = os.path.join(tmp, str(i))
        passes(check(at, [], code, page_8=COMMANDS))
        finds(check(at, [], code), "command a/show is not in", PAGE_8)


def test_command_that_is_gone(tmp):
    finds(check(tmp, [], "", page_8=COMMANDS),
          "command a/show is not in the code")


tap.main(globals())
