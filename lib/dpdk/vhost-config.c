/* SPDX-License-Identifier: Apache-2.0 */

/* Keys of Open_vSwitch:other_config that are for all vhost ports:
 * vhost-sock-dir, vhost-iommu-support and vhost-postcopy-support.  Read once
 * by the main thread, before there is a port. */

#include <config.h>

#include "dpdk/vhost.h"

#include <rte_vhost.h>
#include <sys/stat.h>

#include "compat/memory-locked.h"
#include "core/settings.h"
#include "dirs.h"
#include "dpdk/log.h"
#include "smap.h"

static char *sock_dir;
static bool iommu_wanted;
static bool postcopy_wanted;

static void
refuse(const char *key, const char *value, const char *rule)
{
    VLOG_ERR("'%s=%s': %s", key, value, rule);
    ef_settings_refuse("Open_vSwitch", key, value, rule);
}

/* Returns the directory, which the caller frees, or NULL. */
static char *
parse_sock_dir(const char *value)
{
    struct stat s;
    char *dir;

    if (!value || strlen(value) > NAME_MAX) {
        if (value) {
            refuse("vhost-sock-dir", value, "must not be longer than 255");
        }
        VLOG_INFO("No %s provided - defaulting to %s", "vhost-sock-dir",
                  ovs_rundir());
        return NULL;
    }

    VLOG_INFO("User-provided %s in use: %s", "vhost-sock-dir", value);
    if (strstr(value, "..")) {
        VLOG_ERR("vhost-user sock directory request '%s/%s' has invalid"
                 "characters '..' - using %s instead.",
                 ovs_rundir(), value, ovs_rundir());
        ef_settings_refuse("Open_vSwitch", "vhost-sock-dir", value,
                           "must not contain '..'");
        return NULL;
    }
    dir = xasprintf("%s/%s", ovs_rundir(), value);
    if (stat(dir, &s)) {
        VLOG_ERR("vhost-user sock directory '%s' does not exist.", dir);
    }
    ef_settings_accept("Open_vSwitch", "vhost-sock-dir", value);
    return dir;
}

static bool
parse_bool(const struct smap *other_config, const char *key)
{
    const char *value = smap_get(other_config, key);
    bool on = value && !strcasecmp(value, "true");

    if (value && !on && strcasecmp(value, "false")) {
        refuse(key, value, "must be true or false");
    } else {
        ef_settings_accept("Open_vSwitch", key, value);
    }
    return on;
}

void
ef_vhost_configure(const struct smap *other_config)
{
    char *dir = parse_sock_dir(smap_get(other_config, "vhost-sock-dir"));

    free(sock_dir);
    sock_dir = dir ? dir : xstrdup(ovs_rundir());

    iommu_wanted = parse_bool(other_config, "vhost-iommu-support");
    VLOG_INFO("IOMMU support for vhost-user-client %s.",
              iommu_wanted ? "enabled" : "disabled");

    postcopy_wanted = parse_bool(other_config, "vhost-postcopy-support");
    if (postcopy_wanted && memory_all_locked()) {
        VLOG_WARN("vhost-postcopy-support and mlockall are not compatible.");
        ef_settings_refuse("Open_vSwitch", "vhost-postcopy-support", "true",
                           "cannot be with --mlockall");
        postcopy_wanted = false;
    }
    VLOG_INFO("POSTCOPY support for vhost-user-client %s.",
              postcopy_wanted ? "enabled" : "disabled");
}

const char *
ef_vhost_sock_dir(void)
{
    return sock_dir ? sock_dir : ovs_rundir();
}

uint64_t
ef_vhost_client_flags(void)
{
    return ((iommu_wanted ? RTE_VHOST_USER_IOMMU_SUPPORT : 0)
            | (postcopy_wanted ? RTE_VHOST_USER_POSTCOPY_SUPPORT : 0));
}
