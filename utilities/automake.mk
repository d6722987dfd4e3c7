# SPDX-License-Identifier: Apache-2.0

EXTRA_DIST += \
	lib/replaced-symbols \
	utilities/dev \
	utilities/hooks/commit-msg \
	utilities/hooks/pre-commit \
	utilities/install-deps \
	utilities/manual-check \
	utilities/tree-check

# At each make, for it is fast.  TREE_CHECK_FLAGS=--warn does not stop for it.
ALL_LOCAL += tree-check
tree-check: lib/libevenflow.a
	$(AM_V_GEN)$(PYTHON3) -B $(srcdir)/utilities/tree-check --nm=$(NM) \
		--archive=lib/libevenflow.a $(TREE_CHECK_FLAGS) $(srcdir)
.PHONY: tree-check

# The same for what the manual pages say.
ALL_LOCAL += manual-check
manual-check:
	$(AM_V_GEN)$(PYTHON3) -B $(srcdir)/utilities/manual-check $(srcdir)
.PHONY: manual-check

# --- What a newcomer meets ------------------------------------------------

EXTRA_DIST += \
	README.md \
	quickstart \
	utilities/quickstart.py \
	utilities/rig/__init__.py \
	utilities/rig/capture.py \
	utilities/rig/checksum.py \
	utilities/rig/debian.py \
	utilities/rig/hugepages.py \
	utilities/rig/jsonrpc.py \
	utilities/rig/lab.py \
	utilities/rig/netns.py \
	utilities/rig/openflow.py \
	utilities/rig/ovn.py \
	utilities/rig/pcap.py \
	utilities/rig/pki.py \
	utilities/rig/process.py \
	utilities/rig/replay.py \
	utilities/rig/switch.py \
	utilities/rig/testpmd.py

# --- Against Debian's ovs-vswitchd-dpdk -----------------------------------
#
#   make bench-pairs PAIRS=15
#   make bench-pairs BENCH_FLAGS="--peer=PROGRAM --scenario=1000"

PAIRS = 15
bench-pairs: all
	$(PYTHON3) -B $(srcdir)/utilities/bench-pairs --pairs=$(PAIRS) \
		--a=vswitchd/ovs-vswitchd$(EXEEXT) --ovs=$(OVS_DIR) \
		--cache=. $(BENCH_FLAGS)
.PHONY: bench-pairs
EXTRA_DIST += utilities/bench-pairs
CLEAN_LOCAL += clean-bench-pairs
clean-bench-pairs:
	rm -rf debian-ovs ovn peer
