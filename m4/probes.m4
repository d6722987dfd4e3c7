# SPDX-License-Identifier: Apache-2.0
#
# What differs between the versions of Open vSwitch and DPDK that we build on.
# Each probe looks for one member or function and never at a version.  What it
# found is a macro EF_HAVE_..., which only lib/compat uses: there the older
# interface is bent to the newer one.

# EF_PROBE_OVS(MACRO, FILE, REGEX)
# Defines MACRO if a line of FILE in Open vSwitch's tree matches the basic
# regular expression REGEX.  The text is looked at, since some headers are only
# made when Open vSwitch is built.
AC_DEFUN([EF_PROBE_OVS],
  [AC_MSG_CHECKING([Open vSwitch for $1])
   AS_IF([test ! -r "$OVS_DIR/$2"],
     [AC_MSG_RESULT([$2 is missing])
      AC_MSG_ERROR([$OVS_DIR has no $2: is it Open vSwitch?])])
   AS_IF([$GREP '$3' "$OVS_DIR/$2" > /dev/null],
     [AC_MSG_RESULT([yes])
      EF_PROBED="$EF_PROBED -D$1=1"],
     [AC_MSG_RESULT([no])])])

# EF_PROBE_DPDK(MACRO, HEADERS, CODE)
# Defines MACRO if CODE compiles in a function.
AC_DEFUN([EF_PROBE_DPDK],
  [AC_MSG_CHECKING([DPDK for $1])
   ef_cppflags=$CPPFLAGS
   CPPFLAGS="$CPPFLAGS `$PKG_CONFIG --cflags libdpdk`"
   AC_COMPILE_IFELSE([AC_LANG_PROGRAM([$2], [$3])],
     [AC_MSG_RESULT([yes])
      EF_PROBED="$EF_PROBED -D$1=1"],
     [AC_MSG_RESULT([no])])
   CPPFLAGS=$ef_cppflags])

# EF_CHECK_DRIVER_ABI
# The device of our tests is built where its header knows DPDK's insides.
AC_DEFUN([EF_CHECK_DRIVER_ABI],
  [AC_MSG_CHECKING([whether DPDK's insides are known])
   ef_cppflags=$CPPFLAGS
   CPPFLAGS="$CPPFLAGS -I$srcdir/lib `$PKG_CONFIG --cflags libdpdk`"
   ef_driver_abi=no
   AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <rte_ethdev.h>
     #include <compat/dpdk-driver-abi.h>]])], [ef_driver_abi=yes])
   CPPFLAGS=$ef_cppflags
   AC_MSG_RESULT([$ef_driver_abi])
   AM_CONDITIONAL([KNOWN_DRIVER_ABI], [test "$ef_driver_abi" = yes])])

# EF_PROBE
# After EF_PREPARE_OVS.  Sets EF_PROBED to what the compiler is told.
AC_DEFUN([EF_PROBE],
  [EF_PROBED=
   # Offload marks of their own for tunnels and inner headers (3.3, 3.4).
   EF_PROBE_OVS([EF_HAVE_TUNNEL_OFFLOADS], [lib/dp-packet.h],
     [inner_l3_ofs;])
   # Replies in JSON (3.4).
   EF_PROBE_OVS([EF_HAVE_UNIXCTL_JSON], [lib/unixctl.h],
     [unixctl_command_reply_json(])
   # Dump of conntrack's expectations, interval of its sweeps (3.2).
   EF_PROBE_OVS([EF_HAVE_CT_EXPECTATIONS], [lib/dpif-provider.h],
     [(\*ct_exp_dump_start)])
   EF_PROBE_OVS([EF_HAVE_CT_SWEEP_INTERVAL], [lib/dpif-provider.h],
     [(\*ct_set_sweep_interval)])
   # The default limit of zones as one of a list (3.3).
   EF_PROBE_OVS([EF_HAVE_CT_DEFAULT_ZONE], [lib/ct-dpif.h],
     [int32_t zone;])
   # How NAT chooses: nat_action_info_t's nat_flags (3.4).
   EF_PROBE_OVS([EF_HAVE_NAT_FLAGS], [lib/conntrack.h], [nat_flags;])
   # conntrack_execute() without the flow's ports (3.3).
   EF_PROBE_OVS([EF_HAVE_CT_EXECUTE_PORTS], [lib/conntrack.h],
     [ovs_be16 tp_src, ovs_be16 tp_dst])
   # Whether flows of devices and of the data path are one (3.4).
   EF_PROBE_OVS([EF_HAVE_SYNCED_DP_LAYERS], [lib/dpif-provider.h],
     [bool synced_dp_layers;])
   # netdev_get_speed() (3.2).
   EF_PROBE_OVS([EF_HAVE_NETDEV_SPEED], [lib/netdev-provider.h],
     [(\*get_speed)])
   # A flow's text can leave out what its mask does (3.4).
   EF_PROBE_OVS([EF_HAVE_FORMAT_WITHOUT_MASK], [lib/odp-util.h],
     [bool skip_no_mask])
   # Access to devices for a daemon that is not root (3.2).
   EF_PROBE_OVS([EF_HAVE_RAWIO_ACCESS], [lib/daemon.h],
     [void daemonize_start(bool access_datapath, bool access_hardware_ports)])
   # Memory that is locked when it is touched (3.4).
   EF_PROBE_OVS([EF_HAVE_MEMORY_ALL_LOCKED], [lib/util.h],
     [memory_all_locked(])
   # Action psample (3.4).
   EF_PROBE_OVS([EF_HAVE_PSAMPLE], [include/linux/openvswitch.h],
     [OVS_ACTION_ATTR_PSAMPLE,])
   AC_SUBST([EF_PROBED])])
