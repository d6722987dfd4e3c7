/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of action/execute.c, output.c, tunnel.c, userspace.c, recirc.c.
 *
 * A table: actions in, and as text what became of two packets of 100 and 200
 * bytes, in this order: upcalls with the size that ofproto saw; passes
 * through the tables as @DEPTH/RECIRC_ID/IN_PORT:SIZES; what waits at ports
 * 1 and 2 as PORT:SIZES; what is left in the batch; and drops. */

#include <config.h>

#include "action/execute.h"

#include "core/counter.h"
#include "ef-test.h"
#include "fake-netdev.h"
#include "flow.h"
#include "netlink.h"
#include "odp-util.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/ofp-meter.h"
#include "openvswitch/ofpbuf.h"
#include "simap.h"
#include "stats/drop.h"

#define HEADER "header(size=38,type=3,eth(dst=f8:bc:12:44:34:b6,"           \
    "src=f8:bc:12:46:58:e0,dl_type=0x0800),ipv4(src=1.1.2.88,dst=1.1.2.92," \
    "proto=47,tos=0,ttl=64,frag=0x40),gre((flags=0x0,proto=0x6558)))"
#define PUSH(PORT) "tnl_push(tnl_port(" #PORT ")," HEADER ",out_port(1))"
#define UPCALL(N) "userspace(pid=0,userdata(0" #N "))"

/* Port 6 is a tunnel with a header of this size, port 1 and 2 send. */
#define TUNNEL_HEADER 38
#define N_PORTS 3

struct action_case {
    const char *actions;
    bool steal;
    uint32_t depth;
    const char *result;
};

#define STEAL true, 0
#define KEEP false, 0
#define DEEP EF_RECIRC_DEPTH_MAX

static const struct action_case cases[] = {
    /* Output. */
    { "1", STEAL, "1:100+200" },
    { "1", KEEP, "1:100+200 left:100+200" },
    { "1,2", STEAL, "1:100+200 2:100+200" },
    { "9", STEAL, "drop invalid_port 2" },
    { "9", KEEP, "left:100+200 drop invalid_port 2" },
    { "9,1", STEAL, "1:100+200 drop invalid_port 2" },
    { "6", STEAL, "drop invalid_port 2" },
    { "clone(1),2", STEAL, "1:100+200 2:100+200" },
    { "", STEAL, "" },
    { "", KEEP, "left:100+200" },

    /* Truncation is for the next output only. */
    { "trunc(64),1", STEAL, "1:64+64" },
    { "trunc(150),1", STEAL, "1:100+150" },
    { "trunc(64),1", KEEP, "1:64+64 left:100+200" },
    { "trunc(64),1,2", STEAL, "1:64+64 2:100+200" },
    { "trunc(64),9,1", STEAL, "1:100+200 drop invalid_port 2" },
    { "trunc(64),lb_output(7),1", STEAL, "1:64+100+200 2:64" },
    { "trunc(64),lb_output(99),1", STEAL, "1:100+200 drop invalid_bond 2" },

    /* Bonds: the first packet's hash is 0, the second's 257. */
    { "lb_output(7)", STEAL, "1:100 2:200" },
    { "lb_output(7)", KEEP, "1:100 2:200 left:100+200" },
    { "lb_output(8)", STEAL, "1:100 drop invalid_port 1" },
    { "lb_output(99)", STEAL, "drop invalid_bond 2" },
    { "lb_output(99)", KEEP, "left:100+200 drop invalid_bond 2" },

    /* Tunnels. */
    { PUSH(6) ",1", STEAL, "1:138+238" },
    { PUSH(6), STEAL, "" },
    { PUSH(6), KEEP, "left:138+238" },
    { "trunc(64)," PUSH(6) ",1", STEAL, "1:102+102" },
    { PUSH(1) ",1", STEAL, "drop tunnel_push_error 2" },
    { PUSH(1), KEEP, "drop tunnel_push_error 2" },
    { "tnl_pop(6)", STEAL, "@1/0/6:62+162" },
    { "tnl_pop(6)", KEEP, "@1/0/6:62+162 left:100+200" },
    { "tnl_pop(6),1", STEAL, "@1/0/6:62+162 1:100+200" },
    { "trunc(64),tnl_pop(6),1", STEAL, "@1/0/6:26+26 1:100+200" },
    { "trunc(30),tnl_pop(6)", STEAL, "drop tunnel_pop_error 2" },
    { "tnl_pop(1)", STEAL, "drop invalid_tnl_port 2" },
    { "tnl_pop(1),1", STEAL, "1:100+200 drop invalid_tnl_port 2" },
    { "trunc(64),tnl_pop(1),1", STEAL,
      "1:100+200 drop invalid_tnl_port 2" },

    /* Recirculation. */
    { "recirc(5)", STEAL, "@1/5/4:100+200" },
    { "recirc(5)", KEEP, "@1/5/4:100+200 left:100+200" },
    { "recirc(5)", true, DEEP - 1, "@6/5/4:100+200" },
    { "recirc(5)", true, DEEP, "drop recirc_error 2" },
    { "recirc(5)", false, DEEP, "left:100+200 drop recirc_error 2" },
    { "recirc(5),1", true, DEEP, "1:100+200 drop recirc_error 2" },
    { "tnl_pop(6)", true, DEEP, "drop recirc_error 2" },
    { "tnl_pop(6),1", true, DEEP, "1:100+200 drop recirc_error 2" },

    /* Upcalls; see upcall_cb() for what ofproto answers. */
    { UPCALL(0), STEAL, "up:100 up:200" },
    { UPCALL(0), KEEP, "up:100 up:200 left:100+200" },
    { UPCALL(1), STEAL, "up:100 up:200 1:100+200" },
    { UPCALL(1), KEEP, "up:100 up:200 1:100+200 left:100+200" },
    { UPCALL(2), STEAL, "up:100 up:200 1:100+200" },
    { UPCALL(3), STEAL, "up:100 up:200 drop userspace_action_error 2" },
    { UPCALL(3), KEEP, "up:100 up:200 left:100+200" },
    { UPCALL(3) ",1", STEAL, "up:100 up:200 1:100+200" },
    { "trunc(64)," UPCALL(1), STEAL, "up:64 up:64 1:64+64" },
    { "trunc(64)," UPCALL(1) ",2", STEAL,
      "up:64 up:64 1:64+64 2:100+200" },
    { "trunc(64)," UPCALL(3) ",2", STEAL, "up:64 up:64 2:100+200" },
    /* Actions that ofproto returns drop one of two packets that are not
     * theirs to keep: it must be gone from the batch. */
    { UPCALL(4) ",2", STEAL, "up:100 up:200 2:100 drop meter 1" },
    { UPCALL(4), KEEP, "up:100 up:200 left:100 drop meter 1" },

    /* Meters: number 1 lets one packet through. */
    { "meter(1),1", STEAL, "1:100 drop meter 1" },
    { "meter(1)", STEAL, "drop meter 1" },
    { "meter(1)", KEEP, "left:100 drop meter 1" },
    { "meter(1),meter(2),1", STEAL, "1:100 drop meter 1" },
};

/* What is there for all cases. */
static struct {
    struct ef_params params;
    struct pmd_perf_stats perf;
    struct ef_output output;
    struct ef_port *ports[N_PORTS];
    struct ef_bond_table bonds;
    struct ef_meter_table meters;
    struct ef_upcall upcall;
    struct ef_act act;
    struct ds events;
    const char *again;          /* Actions for recirculated packets. */
} t;

static void
put_sizes(struct ds *s, const struct dp_packet_batch *batch)
{
    struct dp_packet *packet;

    DP_PACKET_BATCH_FOR_EACH (i, packet, batch) {
        ds_put_format(s, "%c%"PRIu32, i ? '+' : ':', dp_packet_size(packet));
    }
    ds_put_char(s, ' ');
}

static void
parse_actions(const char *text, struct ofpbuf *actions)
{
    ofpbuf_init(actions, 0);
    if (*text && odp_actions_from_string(text, NULL, actions)) {
        printf("# bad actions %s\n", text);
        abort();
    }
}

static void
execute(const char *text, struct dp_packet_batch *batch, bool steal)
{
    struct ofpbuf actions;
    struct flow flow;

    memset(&flow, 0, sizeof flow);
    parse_actions(text, &actions);
    ef_act_execute(&t.act, batch, steal, &flow, actions.data, actions.size);
    ofpbuf_uninit(&actions);
}

static void
recirculate(struct ef_act *act, struct dp_packet_batch *batch)
{
    const struct pkt_metadata *md = &batch->packets[0]->md;

    ds_put_format(&t.events, "@%"PRIu32"/%"PRIu32"/%"PRIu32, act->depth,
                  md->recirc_id, odp_to_u32(md->in_port.odp_port));
    put_sizes(&t.events, batch);
    if (t.again) {
        execute(t.again, batch, true);
    } else {
        dp_packet_delete_batch(batch, true);
    }
}

/* The first byte of the user data says what to answer: 0 nothing to do, 1
 * output to port 1, 2 the same but do not install, 3 an error, 4 meter. */
static int
upcall_cb(const struct dp_packet *packet, const struct flow *flow OVS_UNUSED,
          ovs_u128 *ufid, unsigned core_id, enum dpif_upcall_type type,
          const struct nlattr *userdata, struct ofpbuf *actions,
          struct flow_wildcards *wc, struct ofpbuf *put_actions, void *aux)
{
    uint8_t what = *(const uint8_t *) nl_attr_get(userdata);

    EF_CHECK(type == DPIF_UC_ACTION && !wc && !put_actions && aux == &t);
    EF_CHECK(core_id == 3 && !ovs_u128_is_zero(*ufid));
    EF_CHECK(!actions->size);
    ds_put_format(&t.events, "up:%"PRIu32" ", dp_packet_size(packet));
    if (what == 1 || what == 2) {
        nl_msg_put_odp_port(actions, OVS_ACTION_ATTR_OUTPUT, u32_to_odp(1));
    } else if (what == 4) {
        nl_msg_put_u32(actions, OVS_ACTION_ATTR_METER, 1);
    }
    return what == 2 ? ENOSPC : what == 3 ? EINVAL : 0;
}

/* A tunnel whose header means nothing. */
static void
tunnel_push(const struct netdev *netdev OVS_UNUSED, struct dp_packet *packet,
            const struct ovs_action_push_tnl *header)
{
    dp_packet_push_zeros(packet, header->header_len);
}

static struct dp_packet *
tunnel_pop(struct dp_packet *packet)
{
    if (dp_packet_size(packet) < TUNNEL_HEADER) {
        dp_packet_delete(packet);
        return NULL;
    }
    dp_packet_reset_packet(packet, TUNNEL_HEADER);
    return packet;
}

static struct ef_port *
tunnel_port(void)
{
    static const struct netdev_class tunnel_class = {
        .type = "ef-tunnel",
        .alloc = fake_alloc,
        .construct = fake_construct,
        .destruct = fake_destruct,
        .dealloc = fake_dealloc,
        .update_flags = fake_update_flags,
        .push_header = tunnel_push,
        .pop_header = tunnel_pop,
    };
    static bool registered;
    struct ef_port *port;

    if (!registered) {
        registered = true;
        netdev_register_provider(&tunnel_class);
    }
    if (ef_port_open("t6", "ef-tunnel", u32_to_odp(6), &port)) {
        abort();
    }
    return port;
}

static void
set_meter(uint32_t id, uint32_t burst)
{
    struct ofputil_meter_band band = {
        .type = OFPMBT13_DROP, .rate = 1, .burst_size = burst,
    };
    struct ofputil_meter_config config = {
        .flags = OFPMF13_PKTPS, .n_bands = 1, .bands = &band,
    };

    EF_CHECK(!ef_meter_set(&t.meters, id, &config, 0));
}

static void
set_up(void)
{
    odp_port_t members[EF_BOND_BUCKETS];

    memset(&t, 0, sizeof t);
    ef_params_init(&t.params);
    pmd_perf_stats_init(&t.perf);
    ef_output_init(&t.output, &t.params, &t.perf, 3, true);
    t.ports[0] = fake_port("p1", 1, 1, 1);
    t.ports[1] = fake_port("p2", 2, 1, 1);
    t.ports[2] = tunnel_port();
    ef_output_set_ports(&t.output, t.ports, N_PORTS, 0);

    ef_bond_table_init(&t.bonds);
    for (size_t i = 0; i < EF_BOND_BUCKETS; i++) {
        members[i] = u32_to_odp(i % 2 ? 2 : 1);
    }
    ef_bond_put(&t.bonds, 7, members);
    members[1] = u32_to_odp(9);
    ef_bond_put(&t.bonds, 8, members);

    ef_meter_table_init(&t.meters);
    ef_upcall_init(&t.upcall, "dp");
    t.upcall.cb = upcall_cb;
    t.upcall.aux = &t;
    ef_upcall_enable(&t.upcall);

    t.act = (struct ef_act) {
        .core_id = 3, .output = &t.output, .bonds = &t.bonds,
        .meters = &t.meters, .upcall = &t.upcall,
        .recirculate = recirculate,
    };
    ds_init(&t.events);
}

static void
tear_down(void)
{
    ef_output_destroy(&t.output, 0);
    for (size_t i = 0; i < N_PORTS; i++) {
        ef_port_destroy(t.ports[i]);
    }
    ef_bond_table_destroy(&t.bonds);
    ef_meter_table_destroy(&t.meters);
    ef_upcall_disable(&t.upcall);
    ef_upcall_destroy(&t.upcall);
    ds_destroy(&t.events);
}

static void
make_batch(struct dp_packet_batch *batch)
{
    dp_packet_batch_init(batch);
    for (size_t i = 0; i < 2; i++) {
        struct dp_packet *packet = dp_packet_new_with_headroom(200, 128);

        dp_packet_put_zeros(packet, 100 + 100 * i);
        pkt_metadata_init(&packet->md, u32_to_odp(4));
        dp_packet_reset_cutlen(packet);
        dp_packet_set_rss_hash(packet, i * 257);
        dp_packet_batch_add(batch, packet);
    }
}

/* Appends what waits at the ports, what is left and drops since 'before'. */
static void
put_result(struct dp_packet_batch *left, const uint64_t before[EF_N_DROPS])
{
    struct ds *s = &t.events;
    struct ef_tx_port *tx;

    for (uint32_t port_no = 1; port_no <= 2; port_no++) {
        HMAP_FOR_EACH (tx, node, &t.output.send) {
            if (tx->port_no == u32_to_odp(port_no)
                && tx->batch.packets.count) {
                ds_put_format(s, "%"PRIu32, port_no);
                put_sizes(s, &tx->batch.packets);
            }
        }
    }
    ef_output_flush(&t.output, 0, true);

    if (!dp_packet_batch_is_empty(left)) {
        EF_CHECK_EQ(left->packets[0]->md.recirc_id, 0);
        ds_put_cstr(s, "left");
        put_sizes(s, left);
        dp_packet_delete_batch(left, true);
    }
    for (size_t i = 0; i < EF_N_DROPS; i++) {
        uint64_t n = ef_drop_read(i) - before[i];

        if (n) {
            ds_put_format(s, "drop %s %"PRIu64" ", ef_drop_name(i), n);
        }
    }
    ds_chomp(s, ' ');
}

static void
read_drops(uint64_t drops[EF_N_DROPS])
{
    for (size_t i = 0; i < EF_N_DROPS; i++) {
        drops[i] = ef_drop_read(i);
    }
}

static void
check_case(const struct action_case *c)
{
    uint64_t before[EF_N_DROPS];
    struct dp_packet_batch batch;

    fake_of(t.ports[0])->n_calls = fake_of(t.ports[1])->n_calls = 0;
    ds_clear(&t.events);
    set_meter(1, 1);
    set_meter(2, 100);
    t.act.depth = c->depth;

    read_drops(before);
    make_batch(&batch);
    execute(c->actions, &batch, c->steal);
    if (c->steal) {
        dp_packet_batch_init(&batch);
    }
    put_result(&batch, before);
    if (!EF_CHECK_STR_EQ(ds_cstr(&t.events), c->result)) {
        printf("# actions %s, %s\n", c->actions, c->steal ? "steal" : "keep");
    }
    EF_CHECK_EQ(t.act.depth, c->depth);
}

EF_TEST(table)
{
    set_up();
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        check_case(&cases[i]);
    }
    tear_down();
    EF_CHECK_EQ(fake_n_devices, 0);
}

EF_TEST_MUST_FAIL(expects_what_is_wrong)
{
    static const struct action_case wrong
        = { "trunc(64),1,2", STEAL, "1:64+64 2:64+64" };

    set_up();
    check_case(&wrong);
    tear_down();
}

/* The depth counts on through nested actions, and comes back. */
EF_TEST(endless_recirculation_ends)
{
    static const struct action_case loop = {
        "recirc(5)", STEAL,
        "@1/5/4:100+200 @2/5/4:100+200 @3/5/4:100+200 @4/5/4:100+200 "
        "@5/5/4:100+200 @6/5/4:100+200 drop recirc_error 2",
    };

    set_up();
    t.again = "recirc(5)";
    check_case(&loop);
    tear_down();
}

EF_TEST(upcalls_disabled)
{
    static const struct action_case disabled[] = {
        { UPCALL(1), STEAL, "drop lock_error 2" },
        { UPCALL(1), KEEP, "left:100+200 drop lock_error 2" },
        { "trunc(64)," UPCALL(1) ",1", STEAL, "1:100+200 drop lock_error 2" },
    };

    set_up();
    ef_upcall_disable(&t.upcall);
    for (size_t i = 0; i < ARRAY_SIZE(disabled); i++) {
        check_case(&disabled[i]);
    }
    ef_upcall_enable(&t.upcall);
    t.upcall.cb = NULL;         /* Nobody registered. */
    check_case(&(struct action_case) {
        UPCALL(1), STEAL, "drop userspace_action_error 2" });
    tear_down();
}

EF_TEST(bond_statistics)
{
    const struct ef_bond *bond;
    uint64_t n_bytes[EF_BOND_BUCKETS] = { 0 };

    set_up();
    check_case(&(struct action_case) { "lb_output(8)", STEAL,
                                       "1:100 drop invalid_port 1" });
    check_case(&(struct action_case) { "trunc(60),lb_output(8)", STEAL,
                                       "1:60 drop invalid_port 1" });
    bond = ef_bond_find(&t.bonds, 8);
    EF_CHECK_EQ(ef_counter_get(&bond->buckets[0].n_packets), 2);
    EF_CHECK_EQ(ef_counter_get(&bond->buckets[1].n_packets), 0);
    ef_bond_add_bytes(&t.bonds, 8, n_bytes);
    EF_CHECK_EQ(n_bytes[0], 160);
    EF_CHECK_EQ(n_bytes[1], 0);
    tear_down();
}

/* A full batch that is sent to two ports of a bond arrives in order. */
EF_TEST(bond_keeps_order)
{
    struct dp_packet_batch batch;
    struct ef_tx_port *tx;

    set_up();
    dp_packet_batch_init(&batch);
    for (uint32_t i = 0; i < NETDEV_MAX_BURST; i++) {
        struct dp_packet *packet = dp_packet_new(100);

        dp_packet_put_zeros(packet, 14 + i);
        dp_packet_set_rss_hash(packet, i / 3);
        dp_packet_batch_add(&batch, packet);
    }
    execute("lb_output(7)", &batch, true);
    HMAP_FOR_EACH (tx, node, &t.output.send) {
        uint32_t last = 0;
        struct dp_packet *packet;

        EF_CHECK(tx->batch.packets.count >= 15);
        DP_PACKET_BATCH_FOR_EACH (i, packet, &tx->batch.packets) {
            EF_CHECK(dp_packet_size(packet) > last);
            last = dp_packet_size(packet);
        }
    }
    EF_CHECK_EQ(t.output.n_batches, 2);
    tear_down();
}

/* An empty batch does nothing, not even to the list of ports that wait. */
EF_TEST(empty_batch)
{
    struct dp_packet_batch batch;

    set_up();
    dp_packet_batch_init(&batch);
    execute("1", &batch, true);
    execute("trunc(64),1,9,recirc(1)", &batch, false);
    EF_CHECK_EQ(t.output.n_batches, 0);
    tear_down();
}
