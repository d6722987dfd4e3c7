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

CLEAN_LOCAL += clean-packages
clean-packages:
	rm -rf $(PACKAGES_OUT)

EXTRA_DIST += \
	tests/packages/check-deb \
	tests/packages/check-rpm \
	tests/packages/deb-life \
	tests/packages/rpm-files
