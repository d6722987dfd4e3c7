# SPDX-License-Identifier: Apache-2.0
#
# rpmbuild finds the spec in the tarball: rpmbuild -ta evenflow-*.tar.xz

EXTRA_DIST += \
	rhel/evenflow.spec \
	rhel/ovs-vswitchd.service.d-evenflow.conf
