# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += \
	Documentation/architecture.rst \
	Documentation/known-faults.rst
EXTRA_DIST += Documentation/topics/bounded-rcu.rst
