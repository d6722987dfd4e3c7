/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that must not be lost, and those that look like them. */

#include <config.h>

#include "dpdk/rx-priority.h"

#include <netinet/in.h>

#include "ef-test.h"

#define MAX_FRAME 256

struct frame {
    uint8_t data[MAX_FRAME];
    size_t size;
};

static void
put(struct frame *f, const void *data, size_t n)
{
    ovs_assert(f->size + n <= MAX_FRAME);
    memcpy(f->data + f->size, data, n);
    f->size += n;
}

static void
put_zeros(struct frame *f, size_t n)
{
    ovs_assert(f->size + n <= MAX_FRAME);
    memset(f->data + f->size, 0, n);
    f->size += n;
}

static void
put16(struct frame *f, uint16_t n)
{
    const uint8_t bytes[] = { n >> 8, n };

    put(f, bytes, sizeof bytes);
}

static void
put_ethernet(struct frame *f, uint16_t type)
{
    put(f, "\x02\0\0\0\0\x01\x02\0\0\0\0\x02", 12);
    put16(f, type);
}

/* An option makes the header a word longer. */
static void
put_ipv4(struct frame *f, uint8_t proto, uint16_t fragment, bool option)
{
    const uint8_t head[] = { option ? 0x46 : 0x45, 0, 0, 60, 0, 1 };
    const uint8_t tail[] = { 64, proto, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2 };

    put(f, head, sizeof head);
    put16(f, fragment);
    put(f, tail, sizeof tail);
    put_zeros(f, option ? 4 : 0);
}

static void
put_ipv6(struct frame *f, uint8_t next)
{
    const uint8_t head[] = { 0x60, 0, 0, 0, 0, 40, next, 255 };

    put(f, head, sizeof head);
    put_zeros(f, 32);
}

static void
put_udp(struct frame *f, uint16_t dst)
{
    put16(f, 49152);
    put16(f, dst);
    put_zeros(f, 4);
}

static void
put_tcp(struct frame *f, uint16_t src, uint16_t dst)
{
    put16(f, src);
    put16(f, dst);
    put_zeros(f, 16);
}

static bool
is_priority(const struct frame *f)
{
    /* Exactly as long as it is, so that a sanitizer sees what is beyond. */
    uint8_t *copy = xmemdup(f->data, MAX(f->size, 1));
    bool answer = ef_rx_is_priority(copy, f->size);

    free(copy);
    return answer;
}

/* 'f' is what it is only when it is whole: each shorter one is ordinary.
 * 'enough' bytes decide. */
static void
check_priority(const struct frame *f, size_t enough)
{
    for (size_t size = 0; size <= f->size; size++) {
        struct frame cut = *f;

        cut.size = size;
        EF_CHECK_EQ(is_priority(&cut), size >= enough);
    }
}

static void
check_ordinary(const struct frame *f)
{
    check_priority(f, SIZE_MAX);
}

EF_TEST(types)
{
    static const uint16_t priority[] = { 0x0806, 0x8035, 0x8809, 0x888e,
                                         0x88cc, 0x8902 };
    static const uint16_t ordinary[] = { 0x0600, 0x8847, 0x88f7, 0xffff };

    for (size_t i = 0; i < ARRAY_SIZE(priority); i++) {
        struct frame f = { .size = 0 };

        put_ethernet(&f, priority[i]);
        put_zeros(&f, 46);
        check_priority(&f, 14);
    }
    for (size_t i = 0; i < ARRAY_SIZE(ordinary); i++) {
        struct frame f = { .size = 0 };

        put_ethernet(&f, ordinary[i]);
        put_zeros(&f, 46);
        check_ordinary(&f);
    }
}

EF_TEST(two_tags_are_looked_through)
{
    for (int n_tags = 1; n_tags <= 3; n_tags++) {
        struct frame f = { .size = 0 };

        put_ethernet(&f, n_tags > 1 ? 0x88a8 : 0x8100);
        for (int i = 1; i < n_tags; i++) {
            put16(&f, 7);
            put16(&f, 0x8100);
        }
        put16(&f, 9);
        put16(&f, 0x0806);
        put_zeros(&f, 28);
        check_priority(&f, n_tags <= 2 ? 14 + 4 * n_tags : SIZE_MAX);
    }
}

EF_TEST(llc)
{
    static const struct {
        const char *llc;
        size_t enough;
    } rows[] = {
        { "\x42\x42\x03\0\0\0", 17 },           /* STP */
        { "\xfe\xfe\x03\0\0\0", 17 },           /* IS-IS */
        { "\xaa\xaa\x03\0\0\x0c", 20 },         /* Cisco */
        { "\xaa\xaa\x03\0\0\0", SIZE_MAX },     /* SNAP of others */
        { "\xe0\xe0\x03\0\0\0", SIZE_MAX },     /* IPX */
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct frame f = { .size = 0 };

        put_ethernet(&f, 40);
        put(&f, rows[i].llc, 6);
        put_zeros(&f, 34);
        check_priority(&f, rows[i].enough);
    }
}

/* What is left of one is an address or a tag, not 802.2's header. */
EF_TEST(runts_are_ordinary)
{
    static const char *const starts[] = {
        "\x42\x42\x03\0\0\0\0\0\0\0\0\0\0",
        "\xaa\xaa\x03\0\0\x0c\0\0\0\0\0\0\0",
    };

    for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
        struct frame f = { .size = 0 };

        put(&f, starts[i], 13);
        check_ordinary(&f);
        f.size = 0;
        put_ethernet(&f, 0x8100);
        put(&f, starts[i], 3);
        check_ordinary(&f);
    }
}

EF_TEST(bfd)
{
    static const uint16_t bfd[] = { 3784, 3785, 4784, 6784 };
    static const uint16_t other[] = { 3783, 3786, 4783, 53, 49152 };

    for (int option = 0; option < 2; option++) {
        for (size_t i = 0; i < ARRAY_SIZE(bfd); i++) {
            struct frame f = { .size = 0 };

            put_ethernet(&f, 0x0800);
            put_ipv4(&f, IPPROTO_UDP, 0, option);
            put_udp(&f, bfd[i]);
            put_zeros(&f, 24);
            check_priority(&f, 14 + 20 + 4 * option + 8);
        }
    }
    for (size_t i = 0; i < ARRAY_SIZE(other); i++) {
        struct frame f = { .size = 0 };

        put_ethernet(&f, 0x86dd);
        put_ipv6(&f, IPPROTO_UDP);
        put_udp(&f, other[i]);
        put_zeros(&f, 24);
        check_ordinary(&f);
    }
}

EF_TEST(fragments_are_ordinary)
{
    static const uint16_t fragments[] = { 0x2000, 0x0001, 0x1fff };
    struct frame whole = { .size = 0 };

    for (size_t i = 0; i < ARRAY_SIZE(fragments); i++) {
        struct frame f = { .size = 0 };

        put_ethernet(&f, 0x0800);
        put_ipv4(&f, IPPROTO_UDP, fragments[i], false);
        put_udp(&f, 3784);
        check_ordinary(&f);
    }
    /* Unlike those that must not become one. */
    put_ethernet(&whole, 0x0800);
    put_ipv4(&whole, IPPROTO_UDP, 0x4000, false);
    put_udp(&whole, 3784);
    check_priority(&whole, 14 + 20 + 8);
}

EF_TEST(bgp_both_ways)
{
    static const struct {
        uint16_t src, dst;
        bool priority;
    } rows[] = {
        { 179, 50000, true }, { 50000, 179, true }, { 50000, 443, false },
        { 180, 178, false },
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct frame f = { .size = 0 };

        put_ethernet(&f, 0x86dd);
        put_ipv6(&f, IPPROTO_TCP);
        put_tcp(&f, rows[i].src, rows[i].dst);
        check_priority(&f, rows[i].priority ? 14 + 40 + 4 : SIZE_MAX);
    }
}

EF_TEST(neighbour_discovery)
{
    for (int type = 120; type < 150; type++) {
        struct frame f = { .size = 0 };
        const uint8_t byte = type;

        put_ethernet(&f, 0x86dd);
        put_ipv6(&f, IPPROTO_ICMPV6);
        put(&f, &byte, 1);
        put_zeros(&f, 23);
        check_priority(&f, type >= 133 && type <= 137 ? 14 + 40 + 1
                                                      : SIZE_MAX);
    }
}

EF_TEST(protocols_of_ip)
{
    for (int proto = 0; proto < 256; proto++) {
        struct frame f = { .size = 0 };
        bool priority = proto == 89 || proto == 112;

        put_ethernet(&f, 0x0800);
        put_ipv4(&f, proto, 0, false);
        put_zeros(&f, 40);
        check_priority(&f, priority ? 14 + 20 : SIZE_MAX);
    }
}

EF_TEST(wrong_versions_and_lengths_are_ordinary)
{
    static const uint8_t first[] = { 0x55, 0x44, 0x40, 0x65 };

    for (size_t i = 0; i < ARRAY_SIZE(first); i++) {
        struct frame f = { .size = 0 };

        put_ethernet(&f, 0x0800);
        put_ipv4(&f, 89, 0, false);
        f.data[14] = first[i];
        check_ordinary(&f);
    }
}

/* BFD in a tunnel; 'inner_port' in place of BFD's. */
static struct frame
tunnelled(uint16_t outer_port, size_t n_options, uint16_t inner_port)
{
    struct frame f = { .size = 0 };

    put_ethernet(&f, 0x0800);
    put_ipv4(&f, IPPROTO_UDP, 0, false);
    put_udp(&f, outer_port);
    if (outer_port == 6081) {
        const uint8_t words = n_options;

        put(&f, &words, 1);
        put_zeros(&f, 1);
        put16(&f, 0x6558);
        put_zeros(&f, 4 + 4 * n_options);
    } else {
        put(&f, "\x08\0\0\0\0\0\x07\0", 8);
    }
    put_ethernet(&f, 0x0800);
    put_ipv4(&f, IPPROTO_UDP, 0, false);
    put_udp(&f, inner_port);
    return f;
}

EF_TEST(tunnels)
{
    struct frame f = tunnelled(4789, 0, 3784);

    check_priority(&f, f.size);
    f = tunnelled(4789, 0, 4789);
    check_ordinary(&f);
    for (size_t n = 0; n < 8; n++) {
        f = tunnelled(6081, n, 4784);
        check_priority(&f, f.size);
    }
    f = tunnelled(6082, 0, 3784);
    check_ordinary(&f);
}

EF_TEST_MUST_FAIL(planted_fragment)
{
    struct frame f = { .size = 0 };

    put_ethernet(&f, 0x0800);
    put_ipv4(&f, IPPROTO_UDP, 0x2000, false);
    put_udp(&f, 3784);
    check_priority(&f, 14 + 20 + 8);
}
