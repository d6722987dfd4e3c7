/* SPDX-License-Identifier: Apache-2.0 */

/* Unit test of action/ct-parse.c: actions as text, made into attributes by the
 * package, and parameters as text. */

#include <config.h>

#include "action/ct-parse.h"

#include <arpa/inet.h>
#include <unistd.h>

#include "core/log.h"
#include "ef-test.h"
#include "netlink.h"
#include "odp-netlink.h"
#include "odp-util.h"
#include "openvswitch/dynamic-string.h"
#include "openvswitch/ofpbuf.h"

struct ct_case {
    const char *action;
    const char *params;
};

static const struct ct_case cases[] = {
    { "ct", "zone=0 tp=0" },
    { "ct(zone=65535)", "zone=65535 tp=0" },
    { "ct(commit)", "commit zone=0 tp=0" },
    { "ct(force_commit,zone=3)", "commit force zone=3 tp=0" },
    { "ct(commit,mark=0xa0a0a0a0/0xfefefefe)",
      "commit zone=0 tp=0 mark=a0a0a0a0/fefefefe" },
    { "ct(commit,label=0x1234567890abcdef1234567890abcdef/"
      "0xffffffffffffffffffffffffffffff00)",
      "commit zone=0 tp=0 label=12..ef/ff..00" },
    { "ct(commit,helper=tftp)", "commit zone=0 tp=0 helper=tftp" },
    { "ct(commit,timeout=17)", "commit zone=0 tp=17" },
    { "ct(commit,timeout=abc)", "commit zone=0 tp=0" },
    { "ct(commit,timeout=4294967295)", "commit zone=0 tp=4294967295" },
    { "ct(nat)", "zone=0 tp=0 nat" },
    { "ct(commit,nat(src))", "commit zone=0 tp=0 nat src" },
    { "ct(commit,nat(dst))", "commit zone=0 tp=0 nat dst" },
    { "ct(commit,nat(src=10.0.0.240))",
      "commit zone=0 tp=0 nat src 10.0.0.240-10.0.0.240" },
    { "ct(commit,nat(src=10.0.0.240-10.0.0.254))",
      "commit zone=0 tp=0 nat src 10.0.0.240-10.0.0.254" },
    { "ct(commit,nat(src=10.0.0.240:32768))",
      "commit zone=0 tp=0 nat src,port 10.0.0.240-10.0.0.240 32768-32768" },
    { "ct(commit,nat(dst=10.0.0.128-10.0.0.254:32768-65535,persistent,hash))",
      "commit zone=0 tp=0 nat dst,port 10.0.0.128-10.0.0.254 32768-65535" },
    { "ct(commit,nat(src=10.0.0.1,random))",
      "commit zone=0 tp=0 nat src 10.0.0.1-10.0.0.1" },
    { "ct(commit,nat(dst=fe80::20c:29ff:fe88:a18b))",
      "commit zone=0 tp=0 nat dst "
      "fe80::20c:29ff:fe88:a18b-fe80::20c:29ff:fe88:a18b" },
    { "ct(commit,nat(dst=[fe80::1]-[fe80::2]:255-4096))",
      "commit zone=0 tp=0 nat dst,port fe80::1-fe80::2 255-4096" },
};

static bool
is_ipv4(const union ct_addr *addr)
{
    return !addr->ipv6.s6_addr[4] && !addr->ipv6.s6_addr[15];
}

static void
put_addr(struct ds *s, const union ct_addr *addr)
{
    char text[INET6_ADDRSTRLEN];

    inet_ntop(is_ipv4(addr) ? AF_INET : AF_INET6, addr, text, sizeof text);
    ds_put_cstr(s, text);
}

static void
put_nat(struct ds *s, const struct nat_action_info_t *nat)
{
    ds_put_cstr(s, " nat");
    if (nat->nat_action & (NAT_ACTION_SRC | NAT_ACTION_DST)) {
        ds_put_format(s, " %s%s%s",
                      nat->nat_action & NAT_ACTION_SRC ? "src" : "",
                      nat->nat_action & NAT_ACTION_DST ? "dst" : "",
                      nat->nat_action & (NAT_ACTION_SRC_PORT
                                         | NAT_ACTION_DST_PORT)
                      ? ",port" : "");
    }
    EF_CHECK(!(nat->nat_action & NAT_ACTION_SRC_PORT)
             || nat->nat_action & NAT_ACTION_SRC);
    EF_CHECK(!(nat->nat_action & NAT_ACTION_DST_PORT)
             || nat->nat_action & NAT_ACTION_DST);
    if (nat->min_addr.ipv4) {
        ds_put_char(s, ' ');
        put_addr(s, &nat->min_addr);
        ds_put_char(s, '-');
        put_addr(s, &nat->max_addr);
    }
    if (nat->min_port) {
        ds_put_format(s, " %"PRIu16"-%"PRIu16, nat->min_port, nat->max_port);
    }
}

static char *
format_params(const struct ef_ct_params *p)
{
    struct ds s = DS_EMPTY_INITIALIZER;

    ds_put_format(&s, "%s%szone=%"PRIu16" tp=%"PRIu32,
                  p->commit ? "commit " : "", p->force ? "force " : "",
                  p->zone, p->tp_id);
    if (p->mark) {
        ds_put_format(&s, " mark=%"PRIx32"/%"PRIx32, p->mark[0], p->mark[1]);
    }
    if (p->labels) {
        const uint8_t *l = (const uint8_t *) p->labels;

        ds_put_format(&s, " label=%02x..%02x/%02x..%02x",
                      l[15], l[0], l[31], l[16]);
    }
    if (p->helper) {
        ds_put_format(&s, " helper=%s", p->helper);
    }
    EF_CHECK(ef_ct_nat(p) == (p->has_nat ? &p->nat : NULL));
    if (p->has_nat) {
        put_nat(&s, &p->nat);
    }
    return ds_steal_cstr(&s);
}

static void
check_case(const struct ct_case *c)
{
    struct ef_ct_params params;
    struct ofpbuf actions;
    char *text;

    ofpbuf_init(&actions, 0);
    EF_REQUIRE(!odp_actions_from_string(c->action, NULL, &actions));
    ef_ct_parse(actions.data, &params);
    text = format_params(&params);
    if (!EF_CHECK_STR_EQ(text, c->params)) {
        printf("# %s\n", c->action);
    }
    free(text);
    ofpbuf_uninit(&actions);
}

EF_TEST(table)
{
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        check_case(&cases[i]);
    }
}

EF_TEST_MUST_FAIL(expects_what_is_wrong)
{
    check_case(&(struct ct_case) { "ct(force_commit)", "force zone=0 tp=0" });
}

/* What text cannot say: event masks, unknown attributes, addresses that are
 * longer than they can be. */
EF_TEST(odd_attributes)
{
    static const uint8_t long_addr[40] = { 10, 0, 0, 1 };
    struct ef_ct_params params;
    struct ofpbuf actions;
    size_t ct, nat;

    ofpbuf_init(&actions, 0);
    ct = nl_msg_start_nested(&actions, OVS_ACTION_ATTR_CT);
    nl_msg_put_u32(&actions, OVS_CT_ATTR_EVENTMASK, UINT32_MAX);
    nl_msg_put_u32(&actions, 999, 1);
    nl_msg_put_flag(&actions, OVS_CT_ATTR_COMMIT);
    nat = nl_msg_start_nested(&actions, OVS_CT_ATTR_NAT);
    nl_msg_put_flag(&actions, OVS_NAT_ATTR_SRC);
    nl_msg_put_u32(&actions, 999, 1);
    nl_msg_put_unspec(&actions, OVS_NAT_ATTR_IP_MIN, long_addr,
                      sizeof long_addr);
    nl_msg_put_u16(&actions, OVS_NAT_ATTR_PROTO_MAX, 7);
    nl_msg_end_nested(&actions, nat);
    nl_msg_end_nested(&actions, ct);

    ef_ct_parse(actions.data, &params);
    EF_CHECK(params.commit && !params.force && params.has_nat);
    EF_CHECK_EQ(params.nat.min_addr.ipv4, htonl(0x0a000001));
    EF_CHECK_EQ(params.nat.max_addr.ipv4, htonl(0x0a000001));
    EF_CHECK_EQ(params.nat.min_port, 0);
    EF_CHECK_EQ(params.nat.max_port, 7);
    EF_CHECK_EQ(params.nat.nat_action, NAT_ACTION_SRC | NAT_ACTION_SRC_PORT);
    ofpbuf_uninit(&actions);
}

/* Counts the lines of file 'name' that have 'text'. */
static int
count_lines(const char *name, const char *text)
{
    FILE *file = fopen(name, "r");
    char line[512];
    int n = 0;

    EF_CHECK(file != NULL);
    while (file && fgets(line, sizeof line, file)) {
        n += strstr(line, text) != NULL;
    }
    if (file) {
        fclose(file);
    }
    return n;
}

/* The packet path may parse a million times a second: warnings are few. */
EF_TEST(warnings)
{
    char name[] = "/tmp/ef-test-ct-XXXXXX";
    int fd = mkstemp(name);

    EF_REQUIRE(fd >= 0);
    vlog_set_levels(NULL, VLF_ANY_DESTINATION, VLL_OFF);
    vlog_set_levels(&this_module, VLF_FILE, VLL_WARN);
    EF_CHECK(!vlog_set_log_file(name));
    for (size_t i = 0; i < 100; i++) {
        check_case(&(struct ct_case) { "ct(nat(src))",
                                       "zone=0 tp=0 nat src" });
        check_case(&(struct ct_case) { "ct(timeout=x)", "zone=0 tp=0" });
        check_case(&(struct ct_case) { "ct(nat)", "zone=0 tp=0 nat" });
    }
    EF_CHECK(count_lines(name, "|dpif_netdev|WARN|NAT specified without "
                         "commit.") >= 1);
    EF_CHECK(count_lines(name, "|dpif_netdev|WARN|Invalid Timeout Policy ID: "
                         "x.") >= 1);
    EF_CHECK(count_lines(name, "|WARN|") <= 12);
    close(fd);
    unlink(name);
}
