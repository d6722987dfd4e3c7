# SPDX-License-Identifier: Apache-2.0
#
# To add a test, put its file in place and its name, without ".c", in one of
# the lists below.  Every test reports in TAP.

UNIT_TESTS = \
	tests/unit/test-action-execute \
	tests/unit/test-bond \
	tests/unit/test-buffer-store \
	tests/unit/test-cache-size \
	tests/unit/test-classifier \
	tests/unit/test-config-show \
	tests/unit/test-control \
	tests/unit/test-control-format \
	tests/unit/test-core-claim \
	tests/unit/test-ct-fragments \
	tests/unit/test-ct-parse \
	tests/unit/test-devargs \
	tests/unit/test-digits \
	tests/unit/test-dpdk-dev \
	tests/unit/test-dpif-config \
	tests/unit/test-drop \
	tests/unit/test-eal \
	tests/unit/test-eal-args \
	tests/unit/test-eal-show \
	tests/unit/test-eal-trial \
	tests/unit/test-ef-test \
	tests/unit/test-emc \
	tests/unit/test-ethdev-attach \
	tests/unit/test-ethdev-config \
	tests/unit/test-ethdev-setup \
	tests/unit/test-ethdev-stats \
	tests/unit/test-flow-nlattr \
	tests/unit/test-flow-ops \
	tests/unit/test-flow-table \
	tests/unit/test-generator \
	tests/unit/test-histogram \
	tests/unit/test-hold \
	tests/unit/test-key \
	tests/unit/test-latency \
	tests/unit/test-latency-show \
	tests/unit/test-lcores \
	tests/unit/test-memory-plan \
	tests/unit/test-memory-plan-show \
	tests/unit/test-mempool \
	tests/unit/test-mempool-config \
	tests/unit/test-mempool-plugin \
	tests/unit/test-mempool-show \
	tests/unit/test-meter \
	tests/unit/test-offload \
	tests/unit/test-output \
	tests/unit/test-overload \
	tests/unit/test-pmd-load \
	tests/unit/test-policer \
	tests/unit/test-pool-options \
	tests/unit/test-port-table \
	tests/unit/test-qos \
	tests/unit/test-rcu \
	tests/unit/test-rcu-config \
	tests/unit/test-rcu-pacing \
	tests/unit/test-rcu-show \
	tests/unit/test-rcu-stall \
	tests/unit/test-rebalance \
	tests/unit/test-rx-drain \
	tests/unit/test-rx-finish \
	tests/unit/test-rx-priority \
	tests/unit/test-rxq \
	tests/unit/test-sched-plan \
	tests/unit/test-settings \
	tests/unit/test-show \
	tests/unit/test-simple-match \
	tests/unit/test-sleep-max \
	tests/unit/test-smc \
	tests/unit/test-tx-alarm \
	tests/unit/test-tx-offload \
	tests/unit/test-tx-prepare \
	tests/unit/test-tx-segment \
	tests/unit/test-tx-watch \
	tests/unit/test-tx-show \
	tests/unit/test-tx-threshold \
	tests/unit/test-upcall \
	tests/unit/test-vhost-queues \
	tests/unit/test-vhost-stats \
	tests/unit/test-vhost-table

# Clever structures against dull twins, with random operations.
MODEL_TESTS = \
	tests/model/test-buffer-store-model \
	tests/model/test-classifier-model \
	tests/model/test-sched-model

# More than one thread; short runs here, longer with EF_TEST_SECONDS.
STRESS_TESTS = \
	tests/stress/test-buffer-store-stress \
	tests/stress/test-control-stress \
	tests/stress/test-flow-table-stress \
	tests/stress/test-offload-stress \
	tests/stress/test-rcu-stress \
	tests/stress/test-tx-watch-stress \
	tests/stress/test-vhost-stress

SCRIPT_TESTS = \
	tests/scripts/checksum.py \
	tests/scripts/configure.py \
	tests/scripts/fuzz.py \
	tests/scripts/golden.py \
	tests/scripts/hooks.py \
	tests/scripts/link-map.py \
	tests/scripts/manual-check.py \
	tests/scripts/ovs-tree.py \
	tests/scripts/package-calls.py \
	tests/scripts/packaging.py \
	tests/scripts/process.py \
	tests/scripts/run-tests.py \
	tests/scripts/sanitizer.py \
	tests/scripts/spin-model.py \
	tests/scripts/tree-check.py \
	tests/scripts/upstream-run.py \
	tests/scripts/upstream-system.py

# Micro benchmarks: "make benches", and run them by hand.
BENCHES = \
	tests/bench/bench-lookup \
	tests/bench/bench-mempool \
	tests/bench/bench-rcu \
	tests/bench/bench-rcu-peer \
	tests/bench/bench-tx-watch \
	tests/bench/generator
EXTRA_PROGRAMS += $(BENCHES)
CLEANFILES += $(BENCHES)
benches: $(BENCHES)
.PHONY: benches

# The same on the package's ovs-rcu.
tests_bench_bench_rcu_peer_SOURCES = tests/bench/bench-rcu.c
tests_bench_bench_rcu_peer_CPPFLAGS = $(AM_CPPFLAGS) -DBENCH_RCU_PEER
tests_bench_bench_rcu_peer_LDADD = $(OVS_ARCHIVES) $(OVS_LINK_LIBS)
RCU_BENCHES = tests/bench/bench-rcu tests/bench/bench-rcu-peer

#   make bench-rcu                                two minutes
#   make bench-rcu-instructions                   needs valgrind
bench-rcu: $(RCU_BENCHES)
	tests/bench/bench-rcu
	@echo "With the package's ovs-rcu:"
	tests/bench/bench-rcu-peer
bench-rcu-instructions: $(RCU_BENCHES)
	$(PYTHON3) -B $(srcdir)/tests/bench/rcu-instructions $(RCU_BENCHES)
.PHONY: bench-rcu bench-rcu-instructions

#   make bench-mempool                            a minute
bench-mempool: tests/bench/bench-mempool
	tests/bench/bench-mempool
.PHONY: bench-mempool

# Storms of bundles, in turns with Debian's ovs-vswitchd-dpdk.
#
#   make bench-storm PAIRS=15                     50 min
#   make bench-storm PAIRS=3 STORM_S=10           4 min
STORM_S = 60
bench-storm: all
	$(PYTHON3) -B $(srcdir)/tests/bench/storm --pairs=$(PAIRS) \
		--storm-s=$(STORM_S) --a=vswitchd/ovs-vswitchd$(EXEEXT) \
		--ovs=$(OVS_DIR) --cache=. $(BENCH_FLAGS)
.PHONY: bench-storm

# What the telemetry of transmit completion costs, on and off in one switch.
#
#   make bench-telemetry PAIRS=15                 8 min
bench-telemetry: all tests/dpdk-driver/net_ef_tx.so
	$(PYTHON3) -B $(srcdir)/tests/bench/on-off tx-telemetry \
		--pairs=$(PAIRS) --switch=vswitchd/ovs-vswitchd$(EXEEXT) \
		--ovs=$(OVS_DIR) --driver=tests/dpdk-driver/net_ef_tx.so \
		$(BENCH_FLAGS)

# The same in instructions, which do not depend on what else the machine does.
#
#   make bench-instructions                       4 min, needs valgrind
bench-instructions: all tests/dpdk-driver/net_ef_tx.so
	$(PYTHON3) -B $(srcdir)/tests/bench/instructions tx-telemetry \
		--switch=vswitchd/ovs-vswitchd$(EXEEXT) --ovs=$(OVS_DIR) \
		--driver=tests/dpdk-driver/net_ef_tx.so \
		--sink=net_ef_tx0,delay-us=0 $(BENCH_FLAGS)
.PHONY: bench-telemetry bench-instructions

# Saturation and latency between two vhost-user ports, ours and Debian's.
#
#   make bench-latency ROUNDS=15
#   make bench-latency ROUNDS=3 BENCH_FLAGS="--set latency-target=20"
ROUNDS = 15
bench-latency: all tests/bench/generator
	$(PYTHON3) -B $(srcdir)/tests/bench/latency --rounds=$(ROUNDS) \
		--switch=vswitchd/ovs-vswitchd$(EXEEXT) --ovs=$(OVS_DIR) \
		--generator=tests/bench/generator$(EXEEXT) --cache=. \
		--json=bench-latency.json $(BENCH_FLAGS)
.PHONY: bench-latency
CLEANFILES += bench-latency.json
EXTRA_DIST += \
	tests/bench/counted-ring.h \
	tests/bench/fine-histogram.h \
	tests/bench/schedule.h \
	tests/bench/latency \
	tests/bench/instructions \
	tests/bench/on-off \
	tests/bench/rcu-instructions \
	tests/bench/storm

# Simulated time; short runs here, all scenarios with "make sim".
SIM_TESTS = \
	tests/sim/sim-hold
tests_sim_sim_hold_SOURCES = \
	tests/sim/hold-model.c \
	tests/sim/hold-model.h \
	tests/sim/sim-hold.c

#   make sim                                      a minute
sim: $(SIM_TESTS)
	for sim in $(SIM_TESTS); do EF_SIM_FULL=1 $$sim || exit 1; done
.PHONY: sim

C_TESTS = $(UNIT_TESTS) $(MODEL_TESTS) $(STRESS_TESTS) $(SIM_TESTS)
print-c-tests:
	@echo $(C_TESTS)
.PHONY: print-c-tests
check_PROGRAMS += $(C_TESTS) tests/sanitizer/planted
TESTS += $(C_TESTS) $(SCRIPT_TESTS)

# Each program is linked with all of our objects, as the switch is: with only
# some of them, the package's own data path would come in beside ours.
LDADD = $(EF_OBJECTS) $(OVS_ARCHIVES) $(OVS_LINK_LIBS)
AM_CPPFLAGS += -I$(top_srcdir)/tests/unit

EXTRA_DIST += \
	$(SCRIPT_TESTS) \
	tests/golden \
	tests/scripts/tap.py \
	tests/unit/asan.supp \
	tests/unit/control-fixture.h \
	tests/unit/dpdk-fixture.h \
	tests/unit/ef-test.h \
	tests/unit/ethdev-fixture.h \
	tests/unit/fake-netdev.h \
	tests/unit/flow-fixture.h \
	tests/unit/pool-fixture.h \
	tests/unit/rcu-fixture.h \
	tests/unit/store-fixture.h \
	tests/unit/tsan.supp \
	tests/unit/unixctl-fixture.h \
	tests/model/rcu.pml \
	tests/upstream-expected \
	tests/upstream-expected-3.5 \
	tests/upstream/quick \
	tests/upstream/run \
	tests/upstream/run-rcu \
	tests/upstream/run-system \
	tests/upstream/sandbox.py \
	tests/upstream/suite.py

# --- What the packet path calls in the package --------------------------------

CHECK_LOCAL += check-package-calls
check-package-calls: lib/libevenflow.a
	$(AM_V_GEN)$(PYTHON3) -B $(srcdir)/tests/check-package-calls --nm=$(NM) \
		$(srcdir)/Documentation/package-calls-on-pmd.txt \
		$(filter lib/action/% lib/flow/% lib/output/% lib/pmd/%,\
			$(EF_OBJECTS))
EXTRA_DIST += \
	Documentation/package-calls-on-pmd.txt \
	tests/check-package-calls

# --- How make check runs them ------------------------------------------------

TEST_EXTENSIONS = .py
TAP_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) \
	$(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(TAP_DRIVER)
LOG_COMPILER = $(SANITIZER_RUN)
PY_LOG_DRIVER = $(TAP_DRIVER)
PY_LOG_COMPILER = $(SANITIZER_RUN) $(PYTHON3) -B

supp = $(abs_top_srcdir)/tests/unit
AM_TESTS_ENVIRONMENT = \
	CC='$(CC)'; export CC; \
	PKG_CONFIG='$(PKG_CONFIG)'; export PKG_CONFIG; \
	OVS_DIR='$(OVS_DIR)'; export OVS_DIR; \
	ASAN_OPTIONS="detect_leaks=1:$$ASAN_OPTIONS"; export ASAN_OPTIONS; \
	LSAN_OPTIONS="suppressions=$(supp)/asan.supp:$$LSAN_OPTIONS"; \
	export LSAN_OPTIONS; \
	TSAN_OPTIONS="suppressions=$(supp)/tsan.supp:$$TSAN_OPTIONS"; \
	export TSAN_OPTIONS;

# --- Upstream's suite against our binary ------------------------------------
#
#   make check-upstream                           all of the data path, 15 min
#   make check-upstream TESTSUITEFLAGS="1041-1079"
#   make check-upstream TESTSUITEFLAGS="-k pmd" JOBS=2
#   make check-upstream-quick                     a choice, some minutes
#   make check-upstream-peer                      upstream's binary instead

JOBS = 3
UPSTREAM_EXPECTED = $(srcdir)/tests/upstream-expected
UPSTREAM_RUN = $(SANITIZER_RUN) $(PYTHON3) -B $(srcdir)/tests/upstream/run \
	--ovs=$(OVS_DIR) --program=vswitchd/ovs-vswitchd$(EXEEXT) \
	--version=$(VERSION) --expected=$(UPSTREAM_EXPECTED) \
	--jobs=$(JOBS)

check-upstream: all
	$(UPSTREAM_RUN) --out=tests/upstream.out -- $(TESTSUITEFLAGS)
check-upstream-quick: all
	$(UPSTREAM_RUN) --out=tests/upstream.out \
		--quick=$(srcdir)/tests/upstream/quick
check-upstream-peer: $(OVS_BUILT)
	$(UPSTREAM_RUN) --out=tests/upstream.out --peer -- $(TESTSUITEFLAGS)
.PHONY: check-upstream check-upstream-quick check-upstream-peer

CLEAN_LOCAL += clean-upstream
clean-upstream:
	rm -rf tests/upstream.out tests/upstream-dpdk.out \
		tests/upstream-rcu tests/upstream-system.out

# --- The model of the epoch protocol -------------------------------------------
#
#   make check-model-spin                         needs Debian's "spin"

check-model-spin:
	env EF_REQUIRE_SPIN=1 CC='$(CC)' srcdir=$(srcdir) \
		$(PYTHON3) -B $(srcdir)/tests/scripts/spin-model.py
.PHONY: check-model-spin

# --- Upstream's own tests of RCU and what stands on it, with our RCU -----------
#
#   make check-upstream-rcu                       less than a minute

UPSTREAM_RCU_OBJECTS = \
	tests/upstream-rcu/ovstest.o \
	tests/upstream-rcu/test-ccmap.o \
	tests/upstream-rcu/test-classifier.o \
	tests/upstream-rcu/test-cmap.o \
	tests/upstream-rcu/test-conntrack.o \
	tests/upstream-rcu/test-mpsc-queue.o \
	tests/upstream-rcu/test-rcu.o \
	tests/upstream-rcu/test-rculist.o

$(UPSTREAM_RCU_OBJECTS): $(OVS_BUILT)
	$(AM_V_CC)mkdir -p tests/upstream-rcu && \
	$(CC) -DHAVE_CONFIG_H $(DEFS) $(AM_CPPFLAGS) $(CPPFLAGS) \
		$(OVS_CFLAGS) -w $(CFLAGS) -c -o $@ \
		$(OVS_DIR)/tests/$(notdir $(@:.o=.c))

tests/upstream-rcu/ovstest: $(UPSTREAM_RCU_OBJECTS) $(EF_OBJECTS) \
		$(OVS_ARCHIVES)
	$(AM_V_CCLD)$(CC) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) \
		-Wl,-Map,$@.map -o $@ $(UPSTREAM_RCU_OBJECTS) $(LDADD)

check-upstream-rcu: tests/upstream-rcu/ovstest
	$(PYTHON3) $(srcdir)/build-aux/check-link-map \
		$(srcdir)/lib/replaced-members $<.map
	$(SANITIZER_RUN) $(PYTHON3) -B $(srcdir)/tests/upstream/run-rcu $<
.PHONY: check-upstream-rcu

# --- Upstream's system tests, with our binary and with theirs ----------------
#
#   make check-upstream-dpdk                      4 min, needs huge pages
#   make check-upstream-system                    15 min
#   make check-upstream-system TESTSUITEFLAGS="-k tunnel"
#   make check-upstream-system-peer               all with upstream's binary
#
# As root; "utilities/install-deps upstream" has the tools they ask for.

UPSTREAM_SYSTEM = $(SANITIZER_RUN) $(PYTHON3) -B \
	$(srcdir)/tests/upstream/run-system --ovs=$(OVS_DIR) \
	--program=vswitchd/ovs-vswitchd$(EXEEXT) --version=$(VERSION)
UPSTREAM_DPDK_RUN = $(UPSTREAM_SYSTEM) --suite=dpdk \
	--out=tests/upstream-dpdk.out
UPSTREAM_SYSTEM_RUN = $(UPSTREAM_SYSTEM) --suite=userspace \
	--out=tests/upstream-system.out

check-upstream-dpdk: all
	$(UPSTREAM_DPDK_RUN) -- $(TESTSUITEFLAGS)
check-upstream-dpdk-peer: $(OVS_BUILT)
	$(UPSTREAM_DPDK_RUN) --peer -- $(TESTSUITEFLAGS)
check-upstream-system: all
	$(UPSTREAM_SYSTEM_RUN) -- $(TESTSUITEFLAGS)
check-upstream-system-peer: $(OVS_BUILT)
	$(UPSTREAM_SYSTEM_RUN) --peer -- $(TESTSUITEFLAGS)
.PHONY: check-upstream-dpdk check-upstream-dpdk-peer \
	check-upstream-system check-upstream-system-peer

# --- Commands that programs parse --------------------------------------------

GOLDEN_TOOLS = $(OVS_DIR)/ovsdb:$(OVS_DIR)/utilities:$(OVS_DIR)/vswitchd

check-golden: all
	$(PYTHON3) -B $(srcdir)/tests/golden/run --tools $(GOLDEN_TOOLS) \
		vswitchd/ovs-vswitchd$(EXEEXT)
.PHONY: check-golden

# --- A device of DPDK for the stories ------------------------------------------

# For EAL's "-d"; a plain rule, since what libtool makes is to be installed.
TX_DRIVER = tests/dpdk-driver/net_ef_tx.so
TX_DRIVER_C = \
	tests/dpdk-driver/net_ef_tx.c \
	tests/dpdk-driver/queue-rx.c \
	tests/dpdk-driver/queue-tx.c \
	tests/dpdk-driver/wire.c
TX_DRIVER_H = \
	lib/compat/dpdk-driver-abi.h \
	tests/dpdk-driver/net_ef_tx.h \
	tests/dpdk-driver/wire.h
TX_DRIVER_LIBS = -lrte_bus_vdev -lrte_ethdev -lrte_kvargs -lrte_mempool \
	-lrte_mbuf -lrte_ring -lrte_eal
if KNOWN_DRIVER_ABI
TX_DRIVER_HERE = $(TX_DRIVER)
else
TX_DRIVER_HERE =
endif
check_DATA = $(TX_DRIVER_HERE)
CLEANFILES += $(TX_DRIVER)
EXTRA_DIST += $(TX_DRIVER_C) $(TX_DRIVER_H)

$(TX_DRIVER): $(TX_DRIVER_C) $(TX_DRIVER_H)
	$(AM_V_CCLD)mkdir -p $(@D) && $(CC) $(DEFS) $(AM_CPPFLAGS) $(CPPFLAGS) \
		$(AM_CFLAGS) $(CFLAGS) -shared -fPIC -o $@ $(filter %.c,$^) $(TX_DRIVER_LIBS)

# --- The switch as a whole, in network namespaces ----------------------------

#   make check-system                             some minutes
#   make check-system-long                        more of them, EF_CHURN=1000
#                                                 EF_SHOW=10000 EF_RESTARTS=10
#   make check-system-long STORIES="ovn jumbo"    only these
#   EF_SECONDS=600 EF_SIDES=with EF_DATA=known make check-system-long \
#       STORIES=overload_links                    ten minutes of overload

SYSTEM_RUN = $(PYTHON3) -B $(srcdir)/tests/system/run \
	--switch=vswitchd/ovs-vswitchd$(EXEEXT) --ovs=$(OVS_DIR) --cache=.
LONG = EF_CHURN=$${EF_CHURN-1000} EF_SHOW=$${EF_SHOW-10000} \
	EF_RESTARTS=$${EF_RESTARTS-10}

check-system: all $(TX_DRIVER_HERE)
	$(SYSTEM_RUN)
check-system-long: all $(TX_DRIVER_HERE)
	$(LONG) $(SYSTEM_RUN) --long $(STORIES)
.PHONY: check-system check-system-long

EXTRA_DIST += \
	tests/system/bad_config.py \
	tests/system/bad_options.py \
	tests/system/batching_classes.py \
	tests/system/bond.py \
	tests/system/bridge.py \
	tests/system/buffers_show.py \
	tests/system/buffer_churn.py \
	tests/system/busy_main.py \
	tests/system/conntrack_nat.py \
	tests/system/holding.py \
	tests/system/jumbo.py \
	tests/system/meter.py \
	tests/system/name_reuse.py \
	tests/system/latency.py \
	tests/system/output_keys.py \
	tests/system/ovn.py \
	tests/system/overload.py \
	tests/system/overload_links.py \
	tests/system/pool_options.py \
	tests/system/port_churn.py \
	tests/system/restart.py \
	tests/system/run \
	tests/system/show_many.py \
	tests/system/story.py \
	tests/system/stuck_port.py \
	tests/system/tls_openflow.py \
	tests/system/tls_ovsdb.py \
	tests/system/tunnel_mtu.py \
	tests/system/tx_completion.py \
	tests/system/tx_options.py \
	tests/system/vdev_loops.py \
	tests/system/vdev_memory.py \
	tests/system/vdev_ports.py \
	tests/system/vhost_churn.py \
	tests/system/vhost_restart.py \
	tests/system/vlan.py \
	tests/system/vxlan.py
