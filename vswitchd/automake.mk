# SPDX-License-Identifier: Apache-2.0

sbin_PROGRAMS += vswitchd/ovs-vswitchd
vswitchd_ovs_vswitchd_SOURCES = \
	vswitchd/main.c \
	vswitchd/options.c \
	vswitchd/options.h \
	vswitchd/start.c \
	vswitchd/start.h \
	vswitchd/usage.c \
	vswitchd/usage.h \
	vswitchd/version.c \
	vswitchd/version.h
# Ours first: a member of the package's archive is only pulled in for a symbol
# that nothing before it has defined.
vswitchd_ovs_vswitchd_LDADD = \
	$(EF_OBJECTS) \
	$(OVS_DIR)/vswitchd/bridge.o \
	$(OVS_DIR)/vswitchd/system-stats.o \
	$(OVS_ARCHIVES) \
	$(OVS_LINK_LIBS)
vswitchd_ovs_vswitchd_LDFLAGS = \
	$(AM_LDFLAGS) -Wl,-Map,vswitchd/ovs-vswitchd.map
EXTRA_vswitchd_ovs_vswitchd_DEPENDENCIES = $(OVS_BUILT)
CLEANFILES += vswitchd/ovs-vswitchd.map

# The link map says which members were pulled in.
ALL_LOCAL += vswitchd/link-map.stamp
vswitchd/link-map.stamp: vswitchd/ovs-vswitchd$(EXEEXT) \
		lib/replaced-members build-aux/check-link-map
	$(AM_V_GEN)$(PYTHON3) $(srcdir)/build-aux/check-link-map \
		$(srcdir)/lib/replaced-members vswitchd/ovs-vswitchd.map && \
	: > $@
CLEANFILES += vswitchd/link-map.stamp
EXTRA_DIST += lib/replaced-members build-aux/check-link-map
