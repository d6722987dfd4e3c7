/* SPDX-License-Identifier: Apache-2.0 */
/* An open-loop load generator between two vhost-user ports of a switch.
 *
 *     generator --left=SOCKET --right=SOCKET [OPTION...] STEP...
 *
 * It is the server of both sockets (ports of type dpdkvhostuserclient), sends
 * on the left one and expects the frames on the right one; one thread does
 * both.  A STEP is a rate in frames per second, or "flood": as many as the
 * ring takes.  Each frame tells its number and when it was *meant* to depart;
 * latency counts from then, so that a wait in front of the switch is in it.
 * Each step begins with a warm-up that is not counted, and prints one line of
 * JSON; times in it are in nanoseconds. */

#include <config.h>

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_ip.h>
#include <rte_udp.h>

#include "fine-histogram.h"
#include "schedule.h"

#define BURST 32
#define N_BUFFERS 8191
#define HEADER_LEN (RTE_ETHER_HDR_LEN + sizeof(struct rte_ipv4_hdr) \
                    + sizeof(struct rte_udp_hdr))
#define MAGIC 0xef
#define CONNECT_S 20
#define DRAIN_MS 100            /* For what is in the switch after a step. */
#define FLOOD 0                 /* As a rate. */
#define MAX_RATE 100000000

struct mark {
    uint8_t magic, step;        /* A frame of 64 has 18 bytes for us. */
    uint64_t number;
    uint64_t intended;          /* In cycles of the time stamp counter. */
} __attribute__((packed));

struct options {
    const char *left, *right;
    uint64_t ms, warm_up_ms, size, flows, ring, late_us, seed;
    bool poisson, no_huge;
};

struct result {
    uint64_t offered, sent, received, reordered, late, foreign;
    uint64_t in_window;         /* Of any number, while frames were counted. */
    struct fine_histogram latency;
};

struct generator {
    struct options options;
    uint64_t hz;
    uint16_t left, right;       /* DPDK's ports. */
    struct rte_mempool *pool;
    uint8_t frame[RTE_ETHER_MAX_LEN]
        __attribute__((aligned(8)));

    /* Of a step. */
    struct schedule schedule;
    struct rte_mbuf *waiting[BURST];    /* Made and not yet sent. */
    uint64_t intended[BURST];
    unsigned int n_waiting, first_waiting;
    uint8_t step;
    uint64_t rate;
    uint64_t next_number, highest;
    uint64_t start, counted, end;       /* In cycles. */
    struct result result;
};

static void __attribute__((noreturn, format(printf, 1, 2)))
fail(const char *format, ...)
{
    va_list args;

    fputs("generator: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(EXIT_FAILURE);
}

/* --- Arguments ----------------------------------------------------------- */

static uint64_t
number(const char *what, const char *s, uint64_t min, uint64_t max)
{
    unsigned long long value;
    char *end;

    errno = 0;
    value = strtoull(s, &end, 10);
    if (*s < '0' || *s > '9' || *end || errno || value < min || value > max) {
        fail("%s: \"%s\" is not a number from %"PRIu64" to %"PRIu64, what, s,
             min, max);
    }
    return value;
}

static const struct option long_options[] = {
    { "left", required_argument, NULL, 'l' },
    { "right", required_argument, NULL, 'r' },
    { "ms", required_argument, NULL, 't' },
    { "warm-up-ms", required_argument, NULL, 'w' },
    { "size", required_argument, NULL, 's' },
    { "flows", required_argument, NULL, 'f' },
    { "ring", required_argument, NULL, 'q' },
    { "late-us", required_argument, NULL, 'L' },
    { "seed", required_argument, NULL, 'S' },
    { "poisson", no_argument, NULL, 'p' },
    { "no-huge", no_argument, NULL, 'n' },
    { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 },
};

static void __attribute__((noreturn))
usage(void)
{
    puts("usage: generator --left=SOCKET --right=SOCKET [OPTION...] STEP...\n"
         "A STEP is a rate in frames per second, or \"flood\".\n"
         "  --ms=N          how long a step is counted [2000]\n"
         "  --warm-up-ms=N  and how long before not [300]\n"
         "  --size=N        of frames, with 4 bytes of checksum [64]\n"
         "  --flows=N       UDP source ports, in turn [1]\n"
         "  --ring=N        descriptors, a power of two [1024]\n"
         "  --poisson       exponential gaps, not constant ones\n"
         "  --seed=N        of these [1]\n"
         "  --late-us=N     a departure is late beyond this [10]\n"
         "  --no-huge       do without huge pages");
    exit(EXIT_SUCCESS);
}

static void
parse_option(struct options *o, int c)
{
    switch (c) {
    case 'l': o->left = optarg; break;
    case 'r': o->right = optarg; break;
    case 't': o->ms = number("--ms", optarg, 1, 600000); break;
    case 'w': o->warm_up_ms = number("--warm-up-ms", optarg, 0, 60000); break;
    case 's': o->size = number("--size", optarg, HEADER_LEN
                               + sizeof(struct mark) + 4, 1518); break;
    case 'f': o->flows = number("--flows", optarg, 1, 50000); break;
    case 'q': o->ring = number("--ring", optarg, 64, 1024); break;
    case 'L': o->late_us = number("--late-us", optarg, 0, 1000000); break;
    case 'S': o->seed = number("--seed", optarg, 0, UINT32_MAX); break;
    case 'p': o->poisson = true; break;
    case 'n': o->no_huge = true; break;
    case 'h': usage();
    default: exit(EXIT_FAILURE);        /* getopt has said why. */
    }
}

static uint64_t
parse_step(const char *s)
{
    return !strcmp(s, "flood") ? FLOOD : number("step", s, 1, MAX_RATE);
}

static void
check_socket(const char *name, const char *path)
{
    if (!path) {
        fail("%s is missing", name);
    }
    if (!*path || strlen(path) > 100 || strchr(path, ',')) {
        fail("%s: \"%s\" must have 1 to 100 characters and no comma", name,
             path);
    }
}

static void
parse_options(struct options *o, int argc, char *argv[])
{
    int c;

    *o = (struct options) {
        .ms = 2000, .warm_up_ms = 300, .size = 64, .flows = 1, .ring = 1024,
        .late_us = 10, .seed = 1,
    };
    while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        parse_option(o, c);
    }
    check_socket("--left", o->left);
    check_socket("--right", o->right);
    if (!strcmp(o->left, o->right)) {
        fail("--left and --right are the same socket");
    }
    if (o->ring & (o->ring - 1)) {
        fail("--ring: %"PRIu64" is not a power of two", o->ring);
    }
    if (optind == argc) {
        fail("no step: give rates or \"flood\"");
    }
    for (int i = optind; i < argc; i++) {
        parse_step(argv[i]);
    }
}

/* --- Devices ------------------------------------------------------------- */

static void
start_eal(const struct options *o)
{
    char *huge[] = { "generator", "--no-pci", "--no-telemetry", "--in-memory",
                     "--single-file-segments", "-m", "64", "--lcores=0",
                     "--log-level=*:error", NULL };
    char *plain[] = { "generator", "--no-pci", "--no-telemetry", "--no-huge",
                      "--no-shconf", "-m", "64", "--lcores=0",
                      "--log-level=*:error", NULL };

    optind = 1;
    if (rte_eal_init(9, o->no_huge ? plain : huge) < 0) {
        fail("DPDK does not start%s",
             o->no_huge ? "" : " (without huge pages: --no-huge)");
    }
}

static uint16_t
start_port(struct generator *g, const char *name, const char *path)
{
    struct rte_eth_conf conf;
    uint16_t ring = g->options.ring, port;
    char args[256];

    memset(&conf, 0, sizeof conf);
    snprintf(args, sizeof args, "path=%s,server=1,queues=1,queue_size=%u",
             path, ring);
    if (rte_eal_hotplug_add("vdev", name, args)
        || rte_eth_dev_get_port_by_name(name, &port)
        || rte_eth_dev_configure(port, 1, 1, &conf)
        || rte_eth_rx_queue_setup(port, 0, ring, SOCKET_ID_ANY, NULL, g->pool)
        || rte_eth_tx_queue_setup(port, 0, ring, SOCKET_ID_ANY, NULL)
        || rte_eth_dev_start(port)) {
        fail("%s: no device on this socket", path);
    }
    return port;
}

static void
make_frame(struct generator *g)
{
    struct rte_ether_hdr *eth = (void *) g->frame;
    struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *) (eth + 1);
    struct rte_udp_hdr *udp = (struct rte_udp_hdr *) (ip + 1);
    uint16_t ip_len = g->options.size - 4 - RTE_ETHER_HDR_LEN;

    memcpy(&eth->dst_addr, "\x02\0\0\0\0\x02", 6);
    memcpy(&eth->src_addr, "\x02\0\0\0\0\x01", 6);
    eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV4);
    ip->version_ihl = RTE_IPV4_VHL_DEF;
    ip->time_to_live = 64;
    ip->next_proto_id = 17;
    ip->total_length = rte_cpu_to_be_16(ip_len);
    ip->src_addr = RTE_BE32(0x0a000001);
    ip->dst_addr = RTE_BE32(0x0a000002);
    ip->hdr_checksum = rte_ipv4_cksum(ip);
    udp->dst_port = RTE_BE16(2000);
    udp->dgram_len = rte_cpu_to_be_16(ip_len - sizeof *ip);
}

/* --- Sending ------------------------------------------------------------- */

/* Writes a frame, the next in number. */
static void
fill(struct generator *g, struct rte_mbuf *mbuf, uint64_t intended)
{
    uint8_t *data = rte_pktmbuf_mtod(mbuf, uint8_t *);
    uint16_t len = g->options.size - 4;
    struct rte_udp_hdr *udp;
    struct mark mark = {
        .magic = MAGIC, .step = g->step, .number = g->next_number++,
        .intended = intended,
    };

    memcpy(data, g->frame, len);
    memcpy(data + HEADER_LEN, &mark, sizeof mark);
    udp = (struct rte_udp_hdr *) (data + HEADER_LEN - sizeof *udp);
    udp->src_port = rte_cpu_to_be_16(1000 + mark.number % g->options.flows);
    mbuf->data_len = mbuf->pkt_len = len;
}

/* Makes frames that are due 'now', BURST at most. */
static void
make_due(struct generator *g, uint64_t now)
{
    unsigned int n = 0;

    while (n < BURST) {
        uint64_t due = (g->rate == FLOOD
                        ? now : g->start + schedule_next(&g->schedule));

        if (due > now || due >= g->end) {
            break;
        }
        g->intended[n++] = due;
        if (g->rate != FLOOD) {
            schedule_advance(&g->schedule);
        }
        g->result.offered += due >= g->counted;
    }
    if (n && rte_pktmbuf_alloc_bulk(g->pool, g->waiting, n)) {
        fail("out of buffers");         /* There are enough for all rings. */
    }
    for (unsigned int i = 0; i < n; i++) {
        fill(g, g->waiting[i], g->intended[i]);
    }
    g->first_waiting = 0;
    g->n_waiting = n;
}

static void
send_due(struct generator *g)
{
    uint64_t now = rte_rdtsc();
    unsigned int first, n;

    if (!g->n_waiting) {
        make_due(g, now);
        if (!g->n_waiting) {
            return;
        }
    }
    first = g->first_waiting;
    n = rte_eth_tx_burst(g->left, 0, g->waiting + first, g->n_waiting);
    for (unsigned int i = first; i < first + n; i++) {
        if (g->intended[i] >= g->counted) {
            g->result.sent++;
            g->result.late += (now - g->intended[i]
                               > g->options.late_us * g->hz / 1000000);
        }
    }
    g->first_waiting += n;
    g->n_waiting -= n;
}

/* --- Receiving ----------------------------------------------------------- */

static void
take(struct generator *g, const struct rte_mbuf *mbuf, uint64_t now)
{
    struct result *r = &g->result;
    struct mark mark;

    if (mbuf->data_len < HEADER_LEN + sizeof mark) {
        r->foreign++;
        return;
    }
    memcpy(&mark, rte_pktmbuf_mtod(mbuf, uint8_t *) + HEADER_LEN, sizeof mark);
    if (mark.magic != MAGIC || mark.step != g->step) {
        r->foreign++;
        return;
    }
    r->in_window += now >= g->counted && now < g->end;
    if (mark.intended >= g->counted) {
        r->received++;
        r->reordered += mark.number < g->highest;
        fine_histogram_add(&r->latency, now - mark.intended);
    }
    g->highest = RTE_MAX(g->highest, mark.number);
}

static void
receive(struct generator *g)
{
    struct rte_mbuf *mbufs[BURST];
    uint16_t n = rte_eth_rx_burst(g->right, 0, mbufs, BURST);
    uint64_t now = rte_rdtsc();

    for (int i = 0; i < n; i++) {
        take(g, mbufs[i], now);
    }
    rte_pktmbuf_free_bulk(mbufs, n);
    n = rte_eth_rx_burst(g->left, 0, mbufs, BURST);     /* Of nobody. */
    rte_pktmbuf_free_bulk(mbufs, n);
}

/* --- Steps --------------------------------------------------------------- */

static void
begin(struct generator *g, uint64_t rate, uint64_t warm_up_ms, uint64_t ms)
{
    memset(&g->result, 0, sizeof g->result);
    g->step++;
    g->rate = rate;
    g->next_number = g->highest = 0;
    if (rate != FLOOD) {
        schedule_init(&g->schedule, g->hz, rate, g->options.poisson,
                      (g->options.seed << 32) + g->step);
    }
    g->start = rte_rdtsc();
    g->counted = g->start + warm_up_ms * g->hz / 1000;
    g->end = g->counted + ms * g->hz / 1000;
}

static void
finish(struct generator *g)
{
    uint64_t deadline = rte_rdtsc() + DRAIN_MS * g->hz / 1000;

    rte_pktmbuf_free_bulk(g->waiting + g->first_waiting, g->n_waiting);
    g->n_waiting = 0;
    while (rte_rdtsc() < deadline) {
        receive(g);
    }
}

/* The rest of what was due when the time was up counts as offered. */
static void
count_unsent(struct generator *g)
{
    while (g->rate != FLOOD
           && g->start + schedule_next(&g->schedule) < g->end) {
        schedule_advance(&g->schedule);
        g->result.offered++;
    }
}

static double
ns(const struct generator *g, uint64_t cycles)
{
    return cycles * 1e9 / g->hz;
}

static void
print_result(const struct generator *g)
{
    static const struct {
        const char *name;
        unsigned int permille;
    } marks[] = { { "p50", 500 }, { "p90", 900 }, { "p99", 990 },
                  { "p99.9", 999 } };
    const struct result *r = &g->result;

    printf("{\"step\": ");
    if (g->rate == FLOOD) {
        printf("\"flood\"");
    } else {
        printf("%"PRIu64, g->rate);
    }
    printf(", \"offered\": %"PRIu64", \"sent\": %"PRIu64", \"received\": "
           "%"PRIu64", \"lost\": %"PRIu64", \"reordered\": %"PRIu64
           ", \"late\": %"PRIu64", \"foreign\": %"PRIu64
           ", \"received_pps\": %.0f", r->offered, r->sent, r->received,
           r->sent - r->received, r->reordered, r->late, r->foreign,
           r->in_window * 1e3 / g->options.ms);
    for (size_t i = 0; i < RTE_DIM(marks); i++) {
        printf(", \"%s\": %.0f", marks[i].name,
               ns(g, fine_histogram_permille(&r->latency,
                                             marks[i].permille)));
    }
    printf(", \"max\": %.0f}\n", ns(g, r->latency.max));
    fflush(stdout);
}

static void
run_step(struct generator *g, uint64_t rate)
{
    begin(g, rate, g->options.warm_up_ms, g->options.ms);
    while (rte_rdtsc() < g->end) {
        send_due(g);
        receive(g);
    }
    count_unsent(g);
    finish(g);
    print_result(g);
}

/* The switch looks for us once a second, and its first frame needs a flow. */
static void
connect_ports(struct generator *g)
{
    begin(g, 100, 0, CONNECT_S * 1000);
    while (!g->result.received) {
        if (rte_rdtsc() >= g->end) {
            fail("no frame came through the switch in %d s", CONNECT_S);
        }
        send_due(g);
        receive(g);
    }
    finish(g);
}

int
main(int argc, char *argv[])
{
    static struct generator g;
    int first;

    parse_options(&g.options, argc, argv);
    first = optind;
    start_eal(&g.options);
    g.hz = rte_get_tsc_hz();
    g.pool = rte_pktmbuf_pool_create("generator", N_BUFFERS, 256, 0, 2176,
                                     SOCKET_ID_ANY);
    if (!g.pool) {
        fail("no memory for %d buffers", N_BUFFERS);
    }
    make_frame(&g);
    g.left = start_port(&g, "net_virtio_user0", g.options.left);
    g.right = start_port(&g, "net_virtio_user1", g.options.right);
    connect_ports(&g);
    for (int i = first; i < argc; i++) {
        run_step(&g, parse_step(argv[i]));
    }
    rte_eth_dev_stop(g.left);
    rte_eth_dev_stop(g.right);
    return 0;
}
