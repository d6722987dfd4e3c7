# SPDX-License-Identifier: Apache-2.0
"""Tests of utilities/tree-check: each planted violation must be found."""

import os
import subprocess
import sys

import tap

TOOL = os.path.join(os.environ.get("srcdir", "."), "utilities", "tree-check")
SPDX = "/* SPDX-License-Identifier: Apache-2.0 */\n"
TOP = SPDX + "\n/* Does things.\n *\n * Called by tests. */\n\n"
CONFIG = "#include <config.h>\n"


def plant(tmp, files):
    for name, text in files.items():
        path = os.path.join(tmp, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)


def check(tmp, files, *arguments):
    plant(tmp, files)
    return subprocess.run([sys.executable, TOOL, *arguments, tmp],
                          stderr=subprocess.PIPE, text=True)


def finds(tmp, files, *words):
    """Exactly one problem is found, and its text has 'words'."""
    done = check(tmp, files)
    lines = done.stderr.splitlines()
    assert done.returncode == 1, "nothing found"
    assert len(lines) == 2, lines
    for word in words:
        assert word in lines[0], lines[0]


def test_clean_tree_passes(tmp):
    done = check(tmp, {
        "lib/flow/emc.h": SPDX,
        "lib/flow/emc.c": TOP + CONFIG + '#include "flow/emc.h"\n'
                          '#include "stats/count.h"\n',
        "lib/stats/count.h": SPDX,
        "lib/pmd/loop.c": TOP + CONFIG + '#include "flow/emc.h"\n',
        "lib/compat/old.c": TOP + CONFIG + "#if OVS_NUMBER < 30500\n#endif\n",
        "lib/compat/new.h": SPDX + "#ifdef EF_HAVE_PSAMPLE\n#endif\n",
    })
    assert done.returncode == 0, done.stderr


def test_build_in_the_tree_passes(tmp):
    """What make leaves beside sources is not ours to look at."""
    done = check(tmp, {name: "x \n" for name in (
        "Documentation/ref/a.5", "Documentation/ref/a.8", "vswitchd/a.map",
        "lib/flow/.deps/a.Po", "lib/flow/a.o", "tests/unit/test-a.log")})
    assert done.returncode == 0, done.stderr
    finds(tmp, {"Documentation/ref/a.5.rst": "x \n"}, "a.5.rst:1", "trailing")


def test_include_upwards(tmp):
    finds(tmp, {"lib/pmd/pmd.h": SPDX,
                "lib/flow/a.c": TOP + CONFIG + '#include "pmd/pmd.h"\n'},
          "lib/flow/a.c:8", "flow may not include pmd/pmd.h")


def test_include_sideways(tmp):
    finds(tmp, {"lib/port/port.h": SPDX,
                "lib/flow/a.h": SPDX + '#include "port/port.h"\n'},
          "flow may not include")


def test_include_of_package_folder_is_free(tmp):
    done = check(tmp, {"lib/flow/a.h": SPDX
                       + '#include "openvswitch/vlog.h"\n'
                       + '#include "sys/types.h"\n'})
    assert done.returncode == 0, done.stderr


def test_unknown_folder(tmp):
    finds(tmp, {"lib/new/a.h": SPDX + '#include "util.h"\n'},
          "new has no place")


def test_long_file(tmp):
    finds(tmp, {"lib/flow/a.h": SPDX + "\n" * 1000}, "1001 lines")


def test_long_function(tmp):
    body = "    x();\n" * 99
    finds(tmp, {"lib/flow/a.c": TOP + CONFIG + "void f(void)\n{\n" + body
                + "}\n"}, "function of 101 lines")


def test_function_of_100_lines_passes(tmp):
    body = "    x();\n" * 98
    done = check(tmp, {"lib/flow/a.c": TOP + CONFIG + "void f(void)\n{\n"
                       + body + "}\n"})
    assert done.returncode == 0, done.stderr


def test_many_includes(tmp):
    lines = "".join(f'#include "x{i}.h"\n' for i in range(16))
    finds(tmp, {"lib/flow/a.c": TOP + CONFIG + lines}, "16 includes")


def test_own_header_not_first(tmp):
    finds(tmp, {"lib/flow/a.h": SPDX,
                "lib/flow/a.c": TOP + CONFIG
                + '#include <errno.h>\n#include "flow/a.h"\n'},
          "own header a.h is not first")


def test_config_not_first(tmp):
    finds(tmp, {"lib/flow/a.c": TOP + "#include <errno.h>\n" + CONFIG},
          "<config.h> is not first")


def test_no_top_comment(tmp):
    finds(tmp, {"lib/flow/a.c": SPDX + "\n" + CONFIG}, "no comment on top")


def test_no_licence(tmp):
    finds(tmp, {"lib/flow/a.h": "/* A header. */\n"}, "licence")


def test_version_conditionals(tmp):
    for i, line in enumerate(("#if OVS_NUMBER >= 30500\n#endif\n",
                              "#ifdef RTE_VERSION_NUM\n#endif\n",
                              "#if OVS_PACKAGE_VERSION\n#endif\n",
                              "#ifdef EF_HAVE_PSAMPLE\n#endif\n")):
        finds(os.path.join(tmp, str(i)), {"lib/flow/a.h": SPDX + line},
              "outside lib/compat")


def test_version_in_comment_is_free(tmp):
    done = check(tmp, {"lib/flow/a.h": SPDX + "/* Until\n RTE_VERSION. */\n"
                       'extern char *OK; /* "RTE_VERSION" */\n'})
    assert done.returncode == 0, done.stderr


def test_trailing_space(tmp):
    finds(tmp, {"lib/flow/automake.mk":
                "# SPDX-License-Identifier: X\nA = \n"}, ":2: trailing")


def test_tab(tmp):
    finds(tmp, {"lib/flow/a.h": SPDX + "\tint x;\n"}, "tab")


def test_wide_line(tmp):
    finds(tmp, {"lib/flow/a.h": SPDX + "x" * 80 + "\n"}, "80 columns")


def test_long_python_function(tmp):
    finds(tmp, {"utilities/tool": "#!/usr/bin/env python3\n"
                "# SPDX-License-Identifier: X\ndef f():\n"
                + "    x = 1\n" * 100}, "function of 101 lines")


def test_warn_does_not_fail(tmp):
    done = check(tmp, {"lib/flow/a.h": "\t\n"}, "--warn")
    assert done.returncode == 0
    assert done.stderr


def archive_of(tmp, code):
    source, objects = (os.path.join(tmp, n) for n in ("x.c", "x.o"))
    archive = os.path.join(tmp, "x.a")
    with open(source, "w") as f:
        f.write(code)
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run([*compiler, "-c", "-o", objects, source], check=True)
    subprocess.run(["ar", "cr", archive, objects], check=True)
    return "--archive=" + archive


def test_symbol_prefix(tmp):
    archive = archive_of(tmp, "int ef_good; static int own; int *p_;"
                         "int f(void) { return own; }\n")
    plant(tmp, {"lib/replaced-symbols": "# comment\np_\n"})
    done = check(tmp, {}, archive)
    assert done.returncode == 1
    assert "external symbol f " in done.stderr
    assert len(done.stderr.splitlines()) == 2, done.stderr


def test_symbols_of_ours_pass(tmp):
    archive = archive_of(tmp, "int ef_good; int dpif_x;\n")
    plant(tmp, {"lib/replaced-symbols": "dpif_x\n"})
    done = check(tmp, {}, archive)
    assert done.returncode == 0, done.stderr


tap.main(globals())
