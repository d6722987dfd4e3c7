# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += \
	Documentation/architecture.rst \
	Documentation/known-faults.rst \
	Documentation/topics/bounded-rcu.rst \
	Documentation/topics/output-batching.rst
