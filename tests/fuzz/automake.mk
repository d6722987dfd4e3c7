# SPDX-License-Identifier: Apache-2.0
#
# Fuzzers: what comes from outside, parsed by our code under libFuzzer,
# AddressSanitizer and UndefinedBehaviorSanitizer.
#
#   make check-fuzz                       a minute each, two at a time
#   make check-fuzz FUZZ_SECONDS=3600     an hour each
#   make check-fuzz FUZZERS=tests/fuzz/fuzz-packet
#   tests/fuzz/fuzz-packet FILE           an input once more
#
# To add one, put its file in place, its name without ".c" in the list, inputs
# of it into tests/fuzz/make-corpus and its words into tests/fuzz/NAME.dict.
# Results are in tests/fuzz/out.

FUZZERS = \
	tests/fuzz/fuzz-devargs \
	tests/fuzz/fuzz-flow-key \
	tests/fuzz/fuzz-options \
	tests/fuzz/fuzz-packet \
	tests/fuzz/fuzz-rx-priority
FUZZ_SECONDS = 60
FUZZ_JOBS = 2
FUZZ_CC = clang

# All of our code; of the package, what parses for us.  There, what is not
# aligned is on purpose: packets are not.
FUZZ_OBJECTS = $(patsubst %.c,tests/fuzz/obj/%.o,\
	$(filter %.c,$(lib_libevenflow_a_SOURCES)))
FUZZ_OVS_OBJECTS = $(patsubst %,tests/fuzz/ovs/%.o,\
	dp-packet dynamic-string flow match netdev-native-tnl netlink \
	odp-util ofp-parse ofpbuf ovs-numa packets smap svec tun-metadata)
FUZZ_SANITIZE = address,undefined
FUZZ_OVS_SANITIZE = -fno-sanitize=alignment
FUZZ_CFLAGS = -g -O1 -fno-omit-frame-pointer \
	-fsanitize=fuzzer-no-link,$(FUZZ_SANITIZE) \
	-fno-sanitize-recover=undefined

# Without warnings: those are for the compiler that builds the switch.
FUZZ_COMPILE = $(FUZZ_CC) $(DEFS) $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz \
	$(OVS_CFLAGS) $(FUZZ_CFLAGS) -w -MMD -MP

tests/fuzz/obj/%.o: %.c | $(OVS_BUILT)
	@$(MKDIR_P) $(@D)
	$(AM_V_CC)$(FUZZ_COMPILE) -c -o $@ $<
tests/fuzz/ovs/%.o: $(OVS_DIR)/lib/%.c | $(OVS_BUILT)
	@$(MKDIR_P) $(@D)
	$(AM_V_CC)$(FUZZ_COMPILE) $(FUZZ_OVS_SANITIZE) -c -o $@ $<
$(FUZZERS): %: tests/fuzz/obj/%.o $(FUZZ_OBJECTS) $(FUZZ_OVS_OBJECTS)
	$(AM_V_CCLD)$(FUZZ_CC) -fsanitize=fuzzer,$(FUZZ_SANITIZE) -o $@ $^ \
		$(OVS_ARCHIVES) $(AM_LDFLAGS) $(OVS_LINK_LIBS)
-include $(FUZZERS:%=tests/fuzz/obj/%.d) $(FUZZ_OBJECTS:.o=.d)

fuzzers: $(FUZZERS)
check-fuzz:
	@command -v $(FUZZ_CC) > /dev/null || { \
		echo "check-fuzz: $(FUZZ_CC) not found:" \
			"apt-get install clang libclang-rt-dev" >&2; exit 1; }
	@case '$(CFLAGS)' in *-fsanitize=*) \
		echo "check-fuzz: brings sanitizers of its own:" \
			"configure without --enable-asan, --enable-tsan" >&2; \
		exit 1 ;; esac
	+$(MAKE) $(AM_MAKEFLAGS) fuzzers
	$(PYTHON3) -B $(srcdir)/tests/fuzz/run --seconds=$(FUZZ_SECONDS) \
		--jobs=$(FUZZ_JOBS) --source=$(srcdir)/tests/fuzz \
		--out=tests/fuzz/out $(FUZZERS)
.PHONY: check-fuzz fuzzers

CLEAN_LOCAL += clean-fuzz
clean-fuzz:
	rm -rf tests/fuzz/obj tests/fuzz/ovs tests/fuzz/out
	rm -f $(FUZZERS)

EXTRA_DIST += \
	$(FUZZERS:%=%.c) \
	tests/fuzz/corpus \
	tests/fuzz/devargs.dict \
	tests/fuzz/flow-key.dict \
	tests/fuzz/fuzz.h \
	tests/fuzz/make-corpus \
	tests/fuzz/nic.h \
	tests/fuzz/options.dict \
	tests/fuzz/packet.dict \
	tests/fuzz/rx-priority.dict \
	tests/fuzz/run
