# SPDX-License-Identifier: Apache-2.0
#
# The packages as a whole; slow, and not part of "make check".
#
#   make check-deb                                10 min, root, debootstrap
#   make check-rpm                                6 min, rpmbuild

PACKAGES_OUT = tests/packages.out

check-deb:
	$(srcdir)/tests/packages/check-deb $(srcdir) $(PACKAGES_OUT)/deb
check-rpm: dist
	$(srcdir)/tests/packages/check-rpm $(distdir).tar.xz $(OVS_SOURCE) \
		$(OVS_VERSION) $(PACKAGES_OUT)/rpm
.PHONY: check-deb check-rpm

# The same tree on Debian 13, with Open vSwitch 3.5 and DPDK 24.11; its root
# and builds stay in the cache of configure.
#
#   make check-debian13                           30 min, root, debootstrap
#   make check-debian13 STEPS="build unit"

DEBIAN13 = $${EVENFLOW_CACHE-$(PACKAGES_OUT)}/debian13
check-debian13:
	$(srcdir)/tests/packages/check-debian13 $(srcdir) $(DEBIAN13) $(STEPS)
.PHONY: check-debian13

CLEAN_LOCAL += clean-packages
clean-packages:
	rm -rf $(PACKAGES_OUT)

EXTRA_DIST += \
	tests/packages/check-deb \
	tests/packages/check-debian13 \
	tests/packages/check-rpm \
	tests/packages/deb-life \
	tests/packages/roots.sh \
	tests/packages/rpm-files
