# SPDX-License-Identifier: Apache-2.0
#
# Evenflow's own configure checks.  Anything that is missing ends configure
# with the name of the Debian package that has it.

# EF_MISSING(WHAT, DEBIAN-PACKAGE)
AC_DEFUN([EF_MISSING],
  [AC_MSG_ERROR([$1 not found: apt-get install $2])])

# EF_NEED_COMPILER
# AC_PROG_CC's own message does not name a package.
AC_DEFUN([EF_NEED_COMPILER],
  [AC_BEFORE([$0], [AC_PROG_CC])dnl
   AS_IF([test -z "$CC"],
     [AC_CHECK_PROGS([ef_any_cc], [gcc cc clang])
      AS_IF([test -z "$ef_any_cc"],
        [EF_MISSING([a C compiler], [build-essential])])])])

# EF_NEED_PROG(VARIABLE, NAMES, DEBIAN-PACKAGE)
AC_DEFUN([EF_NEED_PROG],
  [AC_PATH_PROGS([$1], [$2])
   AS_IF([test -z "$$1"], [EF_MISSING([$2], [$3])])])

# EF_UNWRAP_PYTHON
# python3 may be a wrapper that looks for the interpreter each time, and the
# suites start it thousands of times.
AC_DEFUN([EF_UNWRAP_PYTHON],
  [AC_MSG_CHECKING([for the interpreter behind $PYTHON3])
   ef_python=`"$PYTHON3" -c 'import sys; print(sys.executable)'`
   AS_IF([test -x "$ef_python"], [PYTHON3=$ef_python])
   AC_MSG_RESULT([$PYTHON3])])

# EF_CHECK_RST2MAN
# Manual pages are made where docutils is, and left out elsewhere.
AC_DEFUN([EF_CHECK_RST2MAN],
  [AC_PATH_PROGS([RST2MAN], [rst2man rst2man.py])
   AS_IF([test -n "$RST2MAN"], [ef_manual=yes],
     [ef_manual="no, for want of rst2man: apt-get install python3-docutils"])
   AM_CONDITIONAL([HAVE_RST2MAN], [test -n "$RST2MAN"])])

# EF_NEED_LIB(PKG-CONFIG-MODULE, MINIMUM, DEBIAN-PACKAGE)
AC_DEFUN([EF_NEED_LIB],
  [AC_MSG_CHECKING([for $1 >= $2])
   AS_IF([ef_ver=`$PKG_CONFIG --modversion "$1" 2>&AS_MESSAGE_LOG_FD`],
     [AC_MSG_RESULT([$ef_ver])],
     [AC_MSG_RESULT([no])
      EF_MISSING([library $1], [$3])])
   AS_IF([$PKG_CONFIG --atleast-version="$2" "$1"], [],
     [AC_MSG_ERROR([$1 is $ef_ver, $2 or newer is needed: $3])])])

# EF_ENABLE_SANITIZER
# Sets ef_sanitizer to "", "address" or "thread".
AC_DEFUN([EF_ENABLE_SANITIZER],
  [AC_ARG_ENABLE([asan],
     [AS_HELP_STRING([--enable-asan],
        [compile everything, Open vSwitch too, with AddressSanitizer])])
   AC_ARG_ENABLE([tsan],
     [AS_HELP_STRING([--enable-tsan],
        [compile everything, Open vSwitch too, with ThreadSanitizer])])
   AS_CASE(["${enable_asan:-no} ${enable_tsan:-no}"],
     ["no no"], [ef_sanitizer=],
     ["yes no"], [ef_sanitizer=address],
     ["no yes"], [ef_sanitizer=thread],
     [AC_MSG_ERROR([choose one of --enable-asan and --enable-tsan])])
   # ThreadSanitizer wants its shadow memory where a kernel that randomizes
   # addresses widely may have put something.
   SANITIZER_RUN=
   AS_IF([test "$ef_sanitizer" = thread],
     [EF_NEED_PROG([SETARCH], [setarch], [util-linux])
      SANITIZER_RUN="$SETARCH -R"])
   AC_SUBST([SANITIZER_RUN])])

# EF_ENABLE_WERROR
# For our own files only: Open vSwitch's warnings are not ours to fix.
AC_DEFUN([EF_ENABLE_WERROR],
  [AC_ARG_ENABLE([Werror],
     [AS_HELP_STRING([--enable-Werror], [warnings in our own files fail])])
   AS_IF([test "${enable_Werror:-no}" != no], [EF_WERROR=-Werror],
     [EF_WERROR=])
   AC_SUBST([EF_WERROR])])

# EF_DEB_FLAGS(VARIABLE)
# Expands to shell that prints what Debian would build a package with.  The
# build directory's name is taken out: equal sources make equal objects, and
# the cache key below does not depend on where it was computed.
m4_define([EF_DEB_FLAGS],
  [DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get $1 |
   sed 's/ *-f[[a-z]]*-prefix-map=[[^ ]]*//g'])

# EF_DEFAULT_FLAGS
# Flags that the user did not give are Debian's (with every hardening feature,
# as Debian's Open vSwitch has them), so that measurements compare like with
# like; "-g -O2" elsewhere.
AC_DEFUN([EF_DEFAULT_FLAGS],
  [AC_REQUIRE([AC_PROG_CC])
   AC_CHECK_PROG([ef_have_buildflags], [dpkg-buildflags], [yes], [no])
   AS_IF([test "$ef_have_buildflags" = yes],
     [test -n "$CFLAGS" || CFLAGS=`EF_DEB_FLAGS([CFLAGS])`
      test -n "$CPPFLAGS" || CPPFLAGS=`EF_DEB_FLAGS([CPPFLAGS])`
      test -n "$LDFLAGS" || LDFLAGS=`EF_DEB_FLAGS([LDFLAGS])`],
     [test -n "$CFLAGS" || CFLAGS="-g -O2"])
   AS_IF([test -n "$ef_sanitizer"],
     [CFLAGS="$CFLAGS -fsanitize=$ef_sanitizer -fno-omit-frame-pointer"
      # Fortified string functions hide accesses from the sanitizers.
      CPPFLAGS=`AS_ECHO(["$CPPFLAGS"]) | sed 's/-D_FORTIFY_SOURCE=@<:@0-9@:>@//g'`
      AC_MSG_CHECKING([whether programs link with -fsanitize=$ef_sanitizer])
      AC_LINK_IFELSE([AC_LANG_PROGRAM()], [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         EF_MISSING([the compiler's sanitizer library],
                    [libgcc-12-dev or libclang-rt-dev])])])])

# EF_WITH_OVS
# Finds the source (OVS_SOURCE) and decides where its tree goes (OVS_DIR):
#
#   --with-ovs-build=DIR   in DIR, kept there and used again if it matches
#   --with-ovs-cache       in a directory of the cache named by its key
#   sanitizer build        likewise
#   otherwise              in "ovs" under the build directory
AC_DEFUN([EF_WITH_OVS],
  [AC_ARG_WITH([ovs-source],
     [AS_HELP_STRING([--with-ovs-source=DIR|TARBALL],
        [Open vSwitch's source @<:@Debian's openvswitch-source@:>@])],
     [], [with_ovs_source=])
   AC_ARG_WITH([ovs-build],
     [AS_HELP_STRING([--with-ovs-build=DIR],
        [build Open vSwitch in DIR, or use what was built there])],
     [], [with_ovs_build=])
   AC_ARG_WITH([ovs-cache],
     [AS_HELP_STRING([--with-ovs-cache],
        [build Open vSwitch in ${EVENFLOW_CACHE:-~/.cache/evenflow} and use
         it again; sanitizer builds always do])],
     [], [with_ovs_cache=no])
   AC_ARG_VAR([EVENFLOW_CACHE], [directory of cached Open vSwitch builds])
   AC_ARG_VAR([OVS_CONFIGURE_FLAGS], [more arguments for Open vSwitch's
     configure])

   AC_MSG_CHECKING([for Open vSwitch's source])
   OVS_SOURCE=$with_ovs_source
   AS_IF([test -z "$OVS_SOURCE"],
     [for ef_try in /usr/src/openvswitch/openvswitch.tar.gz \
                    /usr/src/openvswitch; do
        AS_IF([test -f "$ef_try" || test -f "$ef_try/configure.ac"],
          [OVS_SOURCE=$ef_try; break])
      done])
   AS_IF([test -z "$OVS_SOURCE"],
     [AC_MSG_RESULT([no])
      EF_MISSING([Open vSwitch's source],
                 [openvswitch-source (or give --with-ovs-source)])])
   AS_IF([test -e "$OVS_SOURCE"], [],
     [AC_MSG_RESULT([no])
      AC_MSG_ERROR([$OVS_SOURCE does not exist])])
   OVS_SOURCE=`readlink -f "$OVS_SOURCE"`
   AC_MSG_RESULT([$OVS_SOURCE])
   AC_SUBST([OVS_SOURCE])])

# EF_PREPARE_OVS
# Unpacks and configures the tree unless an equal one is there, and takes over
# what the compiler and the linker need to know about it.
#
# Open vSwitch's directories are those of the distribution's own tools, not
# under our prefix: the installed ovs-vsctl and ovs-appctl must find us.
AC_DEFUN([EF_PREPARE_OVS],
  [AC_ARG_VAR([OVS_PREFIX], [prefix of the Open vSwitch tools that are to
     talk to this switch @<:@/usr@:>@])
   DPDK_VERSION=`$PKG_CONFIG --modversion libdpdk`
   ef_tool=$srcdir/build-aux/ovs-tree
   ef_ovs_args() {
     set x --prefix="${OVS_PREFIX:-/usr}" --sysconfdir=/etc \
       --localstatedir=/var --with-dpdk=shared --enable-ssl \
       --enable-libcapng $OVS_CONFIGURE_FLAGS \
       CC="$CC" CFLAGS="$CFLAGS" CPPFLAGS="$CPPFLAGS" LDFLAGS="$LDFLAGS" \
       PYTHON3="$PYTHON3"
     shift
     $SANITIZER_RUN "$ef_tool" "$ef_cmd" "$OVS_SOURCE" "$OVS_DIR" "$OVS_KEY" "$[@]"
   }
   OVS_DIR=-
   OVS_KEY="dpdk-$DPDK_VERSION"
   ef_cmd=key
   OVS_KEY=`ef_ovs_args` ||
     AC_MSG_ERROR([cannot read $OVS_SOURCE])

   ef_cache=${EVENFLOW_CACHE:-$HOME/.cache/evenflow}
   OVS_DIR_IS_OURS=no
   AS_IF([test -n "$with_ovs_build"],
       [OVS_DIR=`mkdir -p "$with_ovs_build" && cd "$with_ovs_build" && pwd`],
     [test "$with_ovs_cache" != no || test -n "$ef_sanitizer"],
       [OVS_DIR=$ef_cache/ovs-$OVS_KEY],
     [OVS_DIR=`pwd`/ovs
      OVS_DIR_IS_OURS=yes])
   ef_cmd=prepare
   AS_IF([test "$OVS_DIR_IS_OURS" = yes], [ef_cmd=replace])
   AC_MSG_NOTICE([Open vSwitch in $OVS_DIR])
   ef_ovs_args ||
     AC_MSG_ERROR([Open vSwitch could not be configured, see $OVS_DIR.log])

   eval "`"$ef_tool" vars "$OVS_DIR"`"
   OVS_VERSION=$ovs_VERSION
   OVS_CFLAGS="$ovs_WARNING_FLAGS $ovs_OVS_CFLAGS -D_FILE_OFFSET_BITS=64"
   OVS_LINK_FLAGS="$ovs_OVS_LDFLAGS $ovs_DPDK_vswitchd_LDFLAGS"
   OVS_LINK_LIBS="$ovs_SSL_LIBS $ovs_CAPNG_LDADD $ovs_PTHREAD_LIBS $ovs_LIBS"
   AC_SUBST([DPDK_VERSION])
   AC_SUBST([OVS_DIR])
   AC_SUBST([OVS_DIR_IS_OURS])
   AC_SUBST([OVS_VERSION])
   AC_SUBST([OVS_CFLAGS])
   AC_SUBST([OVS_LINK_FLAGS])
   AC_SUBST([OVS_LINK_LIBS])
   AM_CONDITIONAL([OVS_DIR_OURS], [test "$OVS_DIR_IS_OURS" = yes])])
