# SPDX-License-Identifier: Apache-2.0

EXTRA_DIST += \
	lib/replaced-symbols \
	utilities/dev \
	utilities/hooks/commit-msg \
	utilities/hooks/pre-commit \
	utilities/install-deps \
	utilities/tree-check

# At each make, for it is fast.  TREE_CHECK_FLAGS=--warn does not stop for it.
ALL_LOCAL += tree-check
tree-check: lib/libevenflow.a
	$(AM_V_GEN)$(PYTHON3) -B $(srcdir)/utilities/tree-check --nm=$(NM) \
		--archive=lib/libevenflow.a $(TREE_CHECK_FLAGS) $(srcdir)
.PHONY: tree-check
