/* SPDX-License-Identifier: Apache-2.0 */

/* Parses the command line.
 *
 * Called by main() on the only thread there is at that time.  Our own options
 * are rows of a table; those of the package's daemon, log and SSL modules
 * come from the macros that these modules provide for every program, so that
 * another version's additions arrive by themselves. */

#include <config.h>
#include "options.h"

#include <getopt.h>
#include <stdlib.h>

#include "command-line.h"
#include "compat/daemon-start.h"
#include "dirs.h"
#include "dpif.h"
#include "dummy.h"
#include "openvswitch/vlog.h"
#include "ovs-numa.h"
#include "ovs-router.h"
#include "stream-ssl.h"
#include "usage.h"
#include "util.h"
#include "version.h"

VLOG_DEFINE_THIS_MODULE(options);

/* Values of long options without a letter, the package's first. */
enum {
    OPT_BASE = 255,             /* Beyond every letter. */
    DAEMON_OPTION_ENUMS,
    VLOG_OPTION_ENUMS,
    SSL_OPTION_ENUMS,
    OPT_OWN,                    /* OPT_OWN + i is row i of 'own_options'. */
};

struct own_option {
    const char *name;
    int has_arg;
    int letter;                 /* Short form, or 0. */
    void (*apply)(struct ef_options *, const char *arg);
};

static void
opt_help(struct ef_options *options OVS_UNUSED, const char *arg OVS_UNUSED)
{
    ef_usage_print();
    exit(EXIT_SUCCESS);
}

static void
opt_version(struct ef_options *options OVS_UNUSED, const char *arg OVS_UNUSED)
{
    ef_version_print();
    exit(EXIT_SUCCESS);
}

static void
opt_mlockall(struct ef_options *options, const char *arg OVS_UNUSED)
{
    options->mlockall = true;
}

static void
opt_unixctl(struct ef_options *options, const char *arg)
{
    options->unixctl_path = arg;
}

static void
opt_peer_ca_cert(struct ef_options *options OVS_UNUSED, const char *arg)
{
    stream_ssl_set_peer_ca_cert_file(arg);
}

static void
opt_bootstrap_ca_cert(struct ef_options *options OVS_UNUSED, const char *arg)
{
    stream_ssl_set_ca_cert_file(arg, true);
}

static void
opt_enable_dummy(struct ef_options *options OVS_UNUSED, const char *arg)
{
    dummy_enable(arg);
}

static void
opt_disable_system(struct ef_options *options OVS_UNUSED,
                   const char *arg OVS_UNUSED)
{
    dp_disallow_provider("system");
}

static void
opt_disable_system_route(struct ef_options *options OVS_UNUSED,
                         const char *arg OVS_UNUSED)
{
    ovs_router_disable_system_routing_table();
}

static void
opt_dpdk(struct ef_options *options OVS_UNUSED, const char *arg OVS_UNUSED)
{
    ovs_fatal(0, "--dpdk is not supported: DPDK is configured in the database,"
              " see dpdk-init in ovs-vswitchd.conf.db(5)");
}

static void
opt_dummy_numa(struct ef_options *options OVS_UNUSED, const char *arg)
{
    ovs_numa_set_dummy(arg);
}

static void
opt_hw_rawio_access(struct ef_options *options, const char *arg OVS_UNUSED)
{
    if (!EF_CAN_KEEP_RAWIO) {
        ovs_fatal(0, "--hw-rawio-access is not supported by the Open vSwitch "
                  "that this program is built from: 3.2 or later is needed");
    }
    options->hw_rawio_access = true;
}

static const struct own_option own_options[] = {
    { "help", no_argument, 'h', opt_help },
    { "version", no_argument, 'V', opt_version },
    { "mlockall", no_argument, 0, opt_mlockall },
    { "unixctl", required_argument, 0, opt_unixctl },
    { "peer-ca-cert", required_argument, 0, opt_peer_ca_cert },
    { "bootstrap-ca-cert", required_argument, 0, opt_bootstrap_ca_cert },
    { "enable-dummy", optional_argument, 0, opt_enable_dummy },
    { "disable-system", no_argument, 0, opt_disable_system },
    { "disable-system-route", no_argument, 0, opt_disable_system_route },
    { "dpdk", optional_argument, 0, opt_dpdk },
    { "dummy-numa", required_argument, 0, opt_dummy_numa },
    { "hw-rawio-access", no_argument, 0, opt_hw_rawio_access },
};

static const struct option package_options[] = {
    DAEMON_LONG_OPTIONS,
    VLOG_LONG_OPTIONS,
    STREAM_SSL_LONG_OPTIONS,
};

/* Returns both tables as one that getopt_long() takes; to be freed. */
static struct option *
join_options(void)
{
    size_t n_package = ARRAY_SIZE(package_options);
    size_t n_own = ARRAY_SIZE(own_options);
    struct option *all = xcalloc(n_package + n_own + 1, sizeof *all);

    memcpy(all, package_options, sizeof package_options);
    for (size_t i = 0; i < n_own; i++) {
        const struct own_option *own = &own_options[i];
        struct option *o = &all[n_package + i];

        o->name = own->name;
        o->has_arg = own->has_arg;
        o->val = own->letter ? own->letter : OPT_OWN + i;
    }
    return all;
}

static const struct own_option *
find_own_option(int c)
{
    for (size_t i = 0; i < ARRAY_SIZE(own_options); i++) {
        const struct own_option *own = &own_options[i];

        if (own->letter ? c == own->letter : c == OPT_OWN + i) {
            return own;
        }
    }
    return NULL;
}

static void
apply_package_option(int c)
{
    switch (c) {
    DAEMON_OPTION_HANDLERS
    VLOG_OPTION_HANDLERS
    STREAM_SSL_OPTION_HANDLERS

    case '?':                   /* getopt_long() has said what is wrong. */
        exit(EXIT_FAILURE);

    default:
        OVS_NOT_REACHED();
    }
}

void
ef_options_parse(struct ef_options *options, int argc, char *argv[])
{
    struct option *all = join_options();
    char *letters = ovs_cmdl_long_options_to_short_options(all);
    int c;

    *options = (struct ef_options) { .remote = NULL };
    while ((c = getopt_long(argc, argv, letters, all, NULL)) != -1) {
        const struct own_option *own = find_own_option(c);

        if (own) {
            own->apply(options, optarg);
        } else {
            apply_package_option(c);
        }
    }
    free(letters);
    free(all);

    if (argc - optind > 1) {
        VLOG_FATAL("only one DATABASE may be given, see --help");
    }
    options->remote = optind < argc
                      ? xstrdup(argv[optind])
                      : xasprintf("unix:%s/db.sock", ovs_rundir());
}

void
ef_options_destroy(struct ef_options *options)
{
    free(options->remote);
    options->remote = NULL;
}
