/* SPDX-License-Identifier: Apache-2.0 */

/* Sockets and their ports: one port a path, callbacks find no port that is
 * removed, a path is free when the library has let go of it, and nobody waits
 * for that. */

#include <config.h>

#include "dpdk/vhost.h"

#include <unistd.h>

#include "ef-test.h"
#include "ovs-thread.h"
#include "seq.h"

static struct ef_vhost *
new_port(const char *name)
{
    struct ef_vhost *port = xzalloc_cacheline(sizeof *port);

    port->dev.up.name = xstrdup(name);
    port->dev.up.reconfigure_seq = seq_create();
    port->dev.kind = EF_DPDK_VHOST_CLIENT;
    return port;
}

static void
free_port(struct ef_vhost *port)
{
    ef_vhost_table_remove(port);
    seq_destroy(port->dev.up.reconfigure_seq);
    free(port->dev.up.name);
    free_cacheline(port);
}

static uint64_t
n_requests(const struct ef_vhost *port)
{
    return seq_read(port->dev.up.reconfigure_seq);
}

static bool
is_found(const char *path, const struct ef_vhost *port)
{
    struct ef_vhost *found = ef_vhost_table_lock(path);

    if (found) {
        ef_vhost_table_unlock();
    }
    return found == port;
}

EF_TEST(one_port_a_path)
{
    struct ef_vhost *a = new_port("a");
    struct ef_vhost *b = new_port("b");
    uint64_t before = n_requests(b);

    EF_CHECK_EQ(ef_vhost_table_add(a, "/x"), 0);
    EF_CHECK(is_found("/x", a));
    EF_CHECK(is_found("/y", NULL));
    EF_CHECK_EQ(ef_vhost_table_add(b, "/x"), EEXIST);
    EF_CHECK(is_found("/x", a));
    EF_CHECK_EQ(n_requests(b), before);

    /* Never registered, hence free at once. */
    ef_vhost_table_remove(a);
    EF_CHECK(is_found("/x", NULL));
    EF_CHECK(n_requests(b) != before);
    EF_CHECK_EQ(ef_vhost_table_add(b, "/x"), 0);
    EF_CHECK(is_found("/x", b));
    ef_vhost_table_remove(b);
    ef_vhost_table_remove(b);

    free_port(a);
    free_port(b);
}

/* A library that takes its time. */
static struct ovs_mutex library = OVS_MUTEX_INITIALIZER;
static atomic_count n_unregistered = ATOMIC_COUNT_INIT(0);

static void
unregister(const char *path, const char *port_name, enum ef_dpdk_kind kind)
{
    ovs_mutex_lock(&library);
    EF_CHECK_STR_EQ(path, "/x");
    EF_CHECK_STR_EQ(port_name, "a");
    EF_CHECK_EQ(kind, EF_DPDK_VHOST_CLIENT);
    EF_CHECK(ovsrcu_is_quiescent());
    atomic_count_inc(&n_unregistered);
    ovs_mutex_unlock(&library);
}

static bool
wait_until_asked(const struct ef_vhost *port, uint64_t before)
{
    for (int i = 0; i < 5000 && n_requests(port) == before; i++) {
        xnanosleep(1000 * 1000);
    }
    return n_requests(port) != before;
}

EF_TEST(path_is_free_after_unregistration)
{
    struct ef_vhost *a = new_port("a");
    struct ef_vhost *b = new_port("b");
    uint64_t before = n_requests(b);

    atomic_count_set(&n_unregistered, 0);
    EF_REQUIRE_EQ(ef_vhost_table_add(a, "/x"), 0);
    ef_vhost_table_set_registered(a, unregister);

    ovs_mutex_lock(&library);
    ef_vhost_table_remove(a);
    EF_CHECK(is_found("/x", NULL));
    EF_CHECK_EQ(ef_vhost_table_add(b, "/x"), EBUSY);
    /* Nothing of a port may be used after it was removed. */
    free_port(a);
    EF_CHECK_EQ(n_requests(b), before);
    ovs_mutex_unlock(&library);

    EF_CHECK(wait_until_asked(b, before));
    EF_CHECK_EQ(atomic_count_get(&n_unregistered), 1);
    EF_CHECK_EQ(ef_vhost_table_add(b, "/x"), 0);
    free_port(b);
}

static atomic_count n_returned = ATOMIC_COUNT_INIT(0);

static void *
callback_main(void *aux OVS_UNUSED)
{
    struct ef_vhost *port = ef_vhost_table_lock("/x");

    ovsrcu_quiesce_start();
    if (EF_CHECK(port != NULL)) {
        ef_vhost_table_unlock_and_wait(port);
        EF_CHECK(ovsrcu_is_quiescent());
    }
    atomic_count_inc(&n_returned);
    return NULL;
}

/* xnanosleep() would quiesce. */
static void
sleep_active(void)
{
    usleep(50 * 1000);
}

/* A callback waits for a grace period, which this thread holds up, while the
 * port is removed: this must not wait for that. */
EF_TEST(removal_does_not_wait_for_callback)
{
    struct ef_vhost *a = new_port("a");
    struct ef_vhost *b = new_port("b");
    uint64_t before = n_requests(b);
    pthread_t thread;

    atomic_count_set(&n_unregistered, 0);
    atomic_count_set(&n_returned, 0);
    EF_REQUIRE_EQ(ef_vhost_table_add(a, "/x"), 0);
    ef_vhost_table_set_registered(a, unregister);

    ovsrcu_quiesce_end();
    thread = ovs_thread_create("callback", callback_main, NULL);
    sleep_active();
    EF_CHECK_EQ(atomic_count_get(&n_returned), 0);
    ef_vhost_table_remove(a);
    free_port(a);
    EF_CHECK_EQ(ef_vhost_table_add(b, "/x"), EBUSY);
    sleep_active();
    EF_CHECK_EQ(atomic_count_get(&n_returned), 0);
    EF_CHECK_EQ(atomic_count_get(&n_unregistered), 0);

    ovsrcu_quiesce();
    ovsrcu_quiesce_start();
    xpthread_join(thread, NULL);
    EF_CHECK(wait_until_asked(b, before));
    EF_CHECK_EQ(atomic_count_get(&n_unregistered), 1);
    free_port(b);
}

/* Planted: looks for a port under a name that it does not have. */
EF_TEST_MUST_FAIL(other_path)
{
    struct ef_vhost *a = new_port("a");

    ef_vhost_table_add(a, "/x");
    EF_CHECK(is_found("/x/", a));
    free_port(a);
}
