/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of action/upcall.c. */

#include <config.h>

#include "action/upcall.h"

#include <errno.h>
#include <unistd.h>

#include "core/log.h"
#include "dp-packet.h"
#include "ef-test.h"
#include "flow.h"
#include "openvswitch/ofpbuf.h"
#include "ovs-thread.h"

static struct ef_upcall upcall;
static int n_calls;

static int
callback(const struct dp_packet *packet OVS_UNUSED,
         const struct flow *flow OVS_UNUSED, ovs_u128 *ufid,
         unsigned core_id, enum dpif_upcall_type type,
         const struct nlattr *userdata OVS_UNUSED, struct ofpbuf *actions,
         struct flow_wildcards *wc, struct ofpbuf *put_actions, void *aux)
{
    n_calls++;
    EF_CHECK_EQ(ufid->u32[0], 77);
    EF_CHECK_EQ(core_id, 5);
    EF_CHECK(type == DPIF_UC_MISS);
    EF_CHECK(wc && actions && put_actions && aux == &n_calls);

    /* Callbacks come back to the data path. */
    if (EF_CHECK(ef_upcall_begin(&upcall))) {
        ef_upcall_end(&upcall);
    }
    return ENOSPC;
}

static int
call(void)
{
    struct ofpbuf actions, put_actions;
    ovs_u128 ufid = { .u32 = { 77 } };
    struct flow_wildcards wc;
    struct dp_packet packet;
    struct flow flow;
    int error;

    dp_packet_init(&packet, 64);
    dp_packet_put_zeros(&packet, 64);
    memset(&flow, 0, sizeof flow);
    flow.in_port.odp_port = u32_to_odp(3);
    flow.dl_type = htons(0x1234);
    memset(&wc, 0, sizeof wc);
    ofpbuf_init(&actions, 0);
    ofpbuf_init(&put_actions, 0);
    error = ef_upcall(&upcall, 5, &packet, &flow, &wc, &ufid, DPIF_UC_MISS,
                      NULL, &actions, &put_actions);
    ofpbuf_uninit(&actions);
    ofpbuf_uninit(&put_actions);
    dp_packet_uninit(&packet);
    return error;
}

static void
set_up(void)
{
    n_calls = 0;
    ef_upcall_init(&upcall, "dummy@ovs-dummy");
    upcall.cb = callback;
    upcall.aux = &n_calls;
}

static void
tear_down(void)
{
    ef_upcall_disable(&upcall);
    ef_upcall_destroy(&upcall);
}

static void *
try_begin(void *began_)
{
    bool *began = began_;

    *began = ef_upcall_begin(&upcall);
    if (*began) {
        ef_upcall_end(&upcall);
    }
    return NULL;
}

static bool
other_thread_begins(void)
{
    bool began;

    xpthread_join(ovs_thread_create("try", try_begin, &began), NULL);
    return began;
}

EF_TEST(starts_disabled)
{
    set_up();
    EF_CHECK(!ef_upcall_begin(&upcall));
    EF_CHECK(!other_thread_begins());
    ef_upcall_enable(&upcall);
    EF_CHECK(other_thread_begins());
    ef_upcall_disable(&upcall);
    EF_CHECK(!other_thread_begins());
    ef_upcall_enable(&upcall);
    tear_down();
}

EF_TEST(calls_back)
{
    set_up();
    ef_upcall_enable(&upcall);
    EF_REQUIRE(ef_upcall_begin(&upcall));
    EF_CHECK(call() == ENOSPC);
    EF_CHECK_EQ(n_calls, 1);
    upcall.cb = NULL;
    EF_CHECK(call() == ENODEV);
    EF_CHECK_EQ(n_calls, 1);
    EF_CHECK(other_thread_begins());
    ef_upcall_end(&upcall);
    tear_down();
}

static atomic_bool disabled;

static void *
disable(void *arg OVS_UNUSED)
{
    ef_upcall_disable(&upcall);
    atomic_store(&disabled, true);
    ef_upcall_enable(&upcall);
    return NULL;
}

/* Who disables waits for callers to leave, and new ones are sent away. */
EF_TEST(disabling_waits)
{
    pthread_t thread;
    bool is_disabled;

    set_up();
    ef_upcall_enable(&upcall);
    EF_REQUIRE(ef_upcall_begin(&upcall));
    thread = ovs_thread_create("disable", disable, NULL);
    while (other_thread_begins()) {
        continue;
    }
    atomic_read(&disabled, &is_disabled);
    EF_CHECK(!is_disabled);
    ef_upcall_end(&upcall);
    xpthread_join(thread, NULL);
    atomic_read(&disabled, &is_disabled);
    EF_CHECK(is_disabled);
    tear_down();
}

/* Returns the log that a call leaves at debug level. */
static const char *
log_of_call(void)
{
    static char text[4096];
    char name[] = "/tmp/ef-test-upcall-XXXXXX";
    int fd = mkstemp(name);
    ssize_t n;

    vlog_set_levels(NULL, VLF_ANY_DESTINATION, VLL_OFF);
    vlog_set_levels(&this_module, VLF_FILE, VLL_DBG);
    EF_CHECK(!vlog_set_log_file(name));
    call();
    vlog_set_levels(&this_module, VLF_FILE, VLL_OFF);
    n = pread(fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    close(fd);
    unlink(name);
    return text;
}

/* The key stands on the line after "miss upcall:", the packet on the next. */
EF_TEST(log_text)
{
    /* The fields come in the package's order. */
    static const char begin[] =
        "|dpif_netdev|DBG|dummy@ovs-dummy: miss upcall:\n";
    static const char end[] =
        "packet_type(ns=0,id=0),eth(src=00:00:00:00:00:00,"
        "dst=00:00:00:00:00:00),eth_type(0x1234)\n"
        "vlan_tci=0x0000,";
    const char *text;

    set_up();
    ef_upcall_enable(&upcall);
    EF_REQUIRE(ef_upcall_begin(&upcall));
    text = strstr(log_of_call(), "|dpif_netdev|DBG|");
    if (EF_CHECK(text)) {
        const char *key = text + strlen(begin);

        if (!EF_CHECK(!strncmp(text, begin, strlen(begin))
                      && strstr(key, "in_port(3),") && strstr(key, end)
                      && strchr(key, '\n') < strstr(key, "vlan_tci"))) {
            printf("# %s\n", text);
        }
    }
    ef_upcall_end(&upcall);
    tear_down();
}

EF_TEST_MUST_FAIL(expects_what_is_wrong)
{
    set_up();
    ef_upcall_enable(&upcall);
    EF_CHECK(!other_thread_begins());
    tear_down();
}
