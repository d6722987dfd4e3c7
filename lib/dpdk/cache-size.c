/* SPDX-License-Identifier: Apache-2.0 */

/* Parses "mempool-cache-size" and computes the size of a core's store.  Called
 * by pool-options.c, mempool-shape.c and mempool-stores.c; any thread. */

#include <config.h>

#include "dpdk/cache-size.h"

#include <stdlib.h>
#include <string.h>

#include "core/digits.h"
#include "openvswitch/dynamic-string.h"
#include "util.h"

#define MAX_CORE 4095

#define FORM_RULE "must be auto, a number or a list of CORE:N"
#define SIZE_RULE "a size must be a number from 0 to "          \
                  OVS_STRINGIZE(EF_STORE_MAX)
#define CORE_RULE "a core must be a number from 0 to "          \
                  OVS_STRINGIZE(MAX_CORE)

static const struct ef_cache_core *
find_core(const struct ef_cache_size *size, unsigned core)
{
    for (size_t i = 0; i < size->n_cores; i++) {
        if (size->cores[i].core == core) {
            return &size->cores[i];
        }
    }
    return NULL;
}

/* Keeps the list sorted. */
static void
insert_core(struct ef_cache_size *size, struct ef_cache_core new)
{
    size_t i = size->n_cores++;

    size->cores = xrealloc(size->cores, size->n_cores * sizeof *size->cores);
    for (; i && size->cores[i - 1].core > new.core; i--) {
        size->cores[i] = size->cores[i - 1];
    }
    size->cores[i] = new;
}

static const char *
parse_list(const char *s, struct ef_cache_size *size)
{
    for (;; s++) {
        uint64_t core, n;

        if (*s < '0' || *s > '9') {
            return FORM_RULE;
        } else if (!ef_digits_take(&s, MAX_CORE, &core)) {
            return CORE_RULE;
        } else if (*s++ != ':') {
            return FORM_RULE;
        } else if (!ef_digits_take(&s, EF_STORE_MAX, &n)) {
            return SIZE_RULE;
        } else if (find_core(size, core)) {
            return "a core must not occur twice";
        }
        insert_core(size, (struct ef_cache_core) { core, n });
        if (!*s) {
            return NULL;
        } else if (*s != ',') {
            return FORM_RULE;
        }
    }
}

const char *
ef_cache_size_parse(const char *value, struct ef_cache_size *size)
{
    const char *rule = NULL;

    *size = (struct ef_cache_size) EF_CACHE_SIZE_AUTO;
    if (!value || !strcmp(value, "auto")) {
        return NULL;
    } else if (strchr(value, ':')) {
        rule = parse_list(value, size);
    } else {
        uint64_t n;

        if (!*value || value[strspn(value, "0123456789")]) {
            rule = FORM_RULE;
        } else if (!ef_digits_take(&value, EF_STORE_MAX, &n)) {
            rule = SIZE_RULE;
        } else {
            size->size = n;
        }
    }
    if (rule) {
        ef_cache_size_destroy(size);
    }
    return rule;
}

void
ef_cache_size_clone(struct ef_cache_size *dst, const struct ef_cache_size *src)
{
    *dst = *src;
    dst->cores = src->n_cores
                 ? xmemdup(src->cores, src->n_cores * sizeof *src->cores)
                 : NULL;
}

bool
ef_cache_size_equal(const struct ef_cache_size *a,
                    const struct ef_cache_size *b)
{
    if (a->size != b->size || a->n_cores != b->n_cores) {
        return false;
    }
    for (size_t i = 0; i < a->n_cores; i++) {
        if (a->cores[i].core != b->cores[i].core
            || a->cores[i].size != b->cores[i].size) {
            return false;
        }
    }
    return true;
}

void
ef_cache_size_destroy(struct ef_cache_size *size)
{
    free(size->cores);
    *size = (struct ef_cache_size) EF_CACHE_SIZE_AUTO;
}

char *
ef_cache_size_format(const struct ef_cache_size *size)
{
    struct ds s = DS_EMPTY_INITIALIZER;

    if (size->size >= 0) {
        return xasprintf("%d", size->size);
    } else if (!size->n_cores) {
        return xstrdup("auto");
    }
    for (size_t i = 0; i < size->n_cores; i++) {
        ds_put_format(&s, "%s%u:%u", i ? "," : "", size->cores[i].core,
                      size->cores[i].size);
    }
    return ds_steal_cstr(&s);
}

/* What all cores may keep: the other half is for rings and packets. */
static unsigned
half_of(const struct ef_cache_demand *demand)
{
    return demand->n_bufs / 2;
}

static unsigned
listed_sum(const struct ef_cache_size *size)
{
    unsigned sum = 0;

    for (size_t i = 0; i < size->n_cores; i++) {
        sum += size->cores[i].size;
    }
    return sum;
}

/* What a core may keep that no list names, when those that a list names have
 * theirs. */
static unsigned
share_of_rest(const struct ef_cache_size *size,
              const struct ef_cache_demand *demand)
{
    unsigned half = half_of(demand);
    unsigned rest = half - MIN(half, listed_sum(size));
    unsigned n_pmds = MAX(demand->n_pmds, 1);

    return rest / (n_pmds > size->n_cores ? n_pmds - size->n_cores : 1);
}

/* A round of a core takes a burst for each of its rx queues and gets back what
 * drivers free at once for each of its tx queues.  Half of that each way from
 * the middle, and a bulk more each way: then a round makes no trip. */
static unsigned
swing_of_core(const struct ef_cache_demand *demand)
{
    unsigned n_pmds = MAX(demand->n_pmds, 1);
    uint64_t n_rxq = DIV_ROUND_UP((uint64_t) demand->n_rxq, n_pmds);
    uint64_t n_txq = DIV_ROUND_UP((uint64_t) demand->n_txq, n_pmds);
    uint64_t swing = n_rxq * demand->burst
                     + n_txq * MAX(demand->tx_free_burst, demand->burst);

    return MIN(ROUND_UP(swing, EF_STORE_BULK), EF_STORE_MAX);
}

unsigned
ef_cache_size_get(const struct ef_cache_size *size, unsigned core,
                  const struct ef_cache_demand *demand)
{
    const struct ef_cache_core *listed = find_core(size, core);
    unsigned n, most;

    if (listed) {
        return listed->size;
    } else if (size->size >= 0) {
        return size->size;
    }
    n = MIN(2 * EF_STORE_BULK + swing_of_core(demand), EF_STORE_MAX);
    most = share_of_rest(size, demand);
    if (most >= EF_STORE_BULK) {
        most -= most % EF_STORE_BULK;
    }
    return MIN(n, most);
}

static int
compare_larger_first(const void *a_, const void *b_)
{
    const struct ef_cache_core *a = a_, *b = b_;

    return a->size < b->size ? 1 : a->size > b->size ? -1 : 0;
}

/* Not all cores of a list need have a PMD: counts the largest. */
static uint64_t
most_kept(const struct ef_cache_size *size, unsigned n_pmds)
{
    struct ef_cache_size sorted;
    uint64_t sum = 0;

    if (size->size >= 0) {
        return (uint64_t) size->size * n_pmds;
    } else if (!size->n_cores) {
        return 0;
    }
    ef_cache_size_clone(&sorted, size);
    qsort(sorted.cores, sorted.n_cores, sizeof *sorted.cores,
          compare_larger_first);
    for (size_t i = 0; i < MIN(n_pmds, sorted.n_cores); i++) {
        sum += sorted.cores[i].size;
    }
    ef_cache_size_destroy(&sorted);
    return sum;
}

const char *
ef_cache_size_check(const struct ef_cache_size *size,
                    const struct ef_cache_demand *demand)
{
    return most_kept(size, MAX(demand->n_pmds, 1)) <= half_of(demand)
           ? NULL
           : "the sizes of all cores may add up to half of the pool's buffers"
             " at most";
}
