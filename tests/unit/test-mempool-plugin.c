/* SPDX-License-Identifier: Apache-2.0 */

/* Test of libef-mempool.so: this process is a primary with a pool of ours, and
 * DPDK's own dpdk-proc-info attaches to it with the object and shows the pool.
 *
 * dpdk-proc-info wants a port as well.
 *
 * Needs huge pages (processes share memory through their files) and is skipped
 * where there are none. */

#include <config.h>

#include "dpdk/buffer-store.h"

#include <unistd.h>

#include "ef-test.h"
#include "store-fixture.h"

#define N_BUFS 5000
#define N_TAKEN 700
#define PLUGIN "lib/dpdk/libef-mempool.so"

static bool
have_huge_pages(void)
{
    FILE *stream = fopen("/proc/meminfo", "r");
    char line[128];
    unsigned n = 0;

    while (stream && fgets(line, sizeof line, stream)) {
        if (sscanf(line, "HugePages_Free: %u", &n) == 1) {
            break;
        }
    }
    if (stream) {
        fclose(stream);
    }
    return n >= 64;
}

static bool
start_primary(const char *prefix)
{
    char prefix_arg[64];
    char *argv[] = { "test", "--no-pci", "--no-telemetry", "-m", "64",
                     "--vdev=net_null0",
                     prefix_arg, "--lcores", "0", "--log-level",
                     "lib.eal:error", NULL };

    snprintf(prefix_arg, sizeof prefix_arg, "--file-prefix=%s", prefix);
    return rte_eal_init(ARRAY_SIZE(argv) - 1, argv) >= 0;
}

/* Returns what dpdk-proc-info prints; 'status' is that of wait(). */
static char *
run_proc_info(const char *prefix, const char *plugin, const char *pool,
              int *status)
{
    char *command = xasprintf("dpdk-proc-info --no-pci --file-prefix=%s -d %s "
                              "-- --show-mempool=%s 2>&1",
                              prefix, plugin, pool);
    FILE *stream = popen(command, "r");
    char *output = xzalloc(65536);

    *status = -1;
    if (stream) {
        size_t n = fread(output, 1, 65535, stream);

        output[n] = '\0';
        *status = pclose(stream);
    }
    free(command);
    return output;
}

EF_TEST(secondary_process_counts_our_pool)
{
    static void *bufs[N_TAKEN];
    struct rte_mempool *pool;
    char prefix[32], count[64];
    char *plugin, *output;
    int status;

    if (system("command -v dpdk-proc-info >/dev/null")) {
        EF_TEST_SKIP("no dpdk-proc-info");
    }
    if (access(PLUGIN, R_OK)) {
        EF_TEST_SKIP("not run in the build directory");
    }
    if (!have_huge_pages()) {
        EF_TEST_SKIP("no free huge pages");
    }
    snprintf(prefix, sizeof prefix, "ef-plugin-%d", (int) getpid());
    if (!start_primary(prefix)) {
        EF_TEST_SKIP("DPDK does not start on huge pages");
    }
    EF_REQUIRE(!ef_store_register());
    pool = fx_store_pool(N_BUFS, EF_STORE_FRONT);
    EF_CHECK_EQ(ef_store_add_core(pool, 0, SOCKET_ID_ANY, 1024), 0);
    EF_REQUIRE(!rte_mempool_get_bulk(pool, bufs, N_TAKEN));

    plugin = realpath(PLUGIN, NULL);
    output = run_proc_info(prefix, plugin, pool->name, &status);
    snprintf(count, sizeof count, "avail (%d), in use (%d)",
             N_BUFS - N_TAKEN, N_TAKEN);
    EF_CHECK_EQ(status, 0);
    if (!EF_CHECK(strstr(output, count) != NULL)) {
        printf("# wanted %s in:\n%s\n", count, output);
    }
    free(output);
    free(plugin);

    rte_mempool_put_bulk(pool, bufs, N_TAKEN);
    rte_mempool_free(pool);
    rte_eal_cleanup();
}
