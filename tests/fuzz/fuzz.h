/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EF_FUZZ_H
#define EF_FUZZ_H 1

/* Fuzzers
 * =======
 *
 * A fuzzer is one file, tests/fuzz/fuzz-<name>.c, with the two functions that
 * libFuzzer calls:
 *
 *     int
 *     LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
 *     {
 *         struct fz_input in = { data, size };
 *         uint8_t kind = fz_u8(&in);
 *         ...
 *         FZ_CHECK(parse(...) == 0 || error_is_told);
 *         return 0;
 *     }
 *
 * An input is a string of bytes that is eaten from the front; what is missing
 * at its end reads as zero, so that every input means something.
 *
 * FZ_CHECK() is an oracle: what must hold for whatever input.  It ends the
 * process, for which libFuzzer keeps the input.
 *
 * Threads: one. */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatal-signal.h"
#include "openvswitch/vlog.h"
#include "ovs-rcu.h"
#include "smap.h"
#include "util.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FZ_CHECK(CONDITION)                                             \
    ((CONDITION) ? (void) 0 : fz_fail(__FILE__, __LINE__, #CONDITION))

static inline void OVS_NO_RETURN
fz_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    abort();
}

/* Refusals are what is tested: they need not be told to anybody.  And signals
 * are libFuzzer's, which has no use for those that somebody handles already:
 * the package would take SIGALRM for a reason to end. */
static inline void
fz_begin(void)
{
    static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGALRM };

    vlog_set_levels(NULL, VLF_ANY_DESTINATION,
                    getenv("EF_FUZZ_LOG") ? VLL_DBG : VLL_OFF);
    fatal_signal_init();
    for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
        signal(signals[i], SIG_DFL);
    }
}

/* At the end of each input: once in a while what waits for a grace period
 * goes. */
static inline void
fz_done(void)
{
    static unsigned n;

    if (!(++n % 64)) {
        ovsrcu_quiesce();
    }
}

/* Bytes. */

struct fz_input {
    const uint8_t *data;
    size_t size;
};

static inline uint8_t
fz_u8(struct fz_input *in)
{
    if (!in->size) {
        return 0;
    }
    in->size--;
    return *in->data++;
}

static inline uint16_t
fz_u16(struct fz_input *in)
{
    uint16_t high = fz_u8(in);

    return high << 8 | fz_u8(in);
}

static inline uint32_t
fz_u32(struct fz_input *in)
{
    uint32_t high = fz_u16(in);

    return high << 16 | fz_u16(in);
}

/* Takes 'n' bytes, or as many as there are, as a block of the heap of just
 * this size: whoever reads beyond is found out.  Stores how many in '*np'. */
static inline uint8_t *
fz_block(struct fz_input *in, size_t n, size_t *np)
{
    uint8_t *block;

    *np = MIN(n, in->size);
    block = xmalloc(*np);
    if (*np) {
        memcpy(block, in->data, *np);
    }
    in->data += *np;
    in->size -= *np;
    return block;
}

/* The rest as a string, up to the first null byte. */
static inline char *
fz_string(struct fz_input *in)
{
    char *s = xmemdup0((const char *) in->data, in->size);

    in->data += in->size;
    in->size = 0;
    return s;
}

/* Lines of "KEY=VALUE", the last one of a key counts. */
static inline void
fz_smap(char *text, struct smap *smap)
{
    char *line, *rest = NULL;

    smap_init(smap);
    for (line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *value = strchr(line, '=');

        if (value) {
            *value++ = '\0';
            smap_replace(smap, line, value);
        }
    }
}

/* Whether 'message' is "'KEY=VALUE': RULE" with a pair of 'smap' and a rule.
 */
static inline bool
fz_names_pair(const char *message, const struct smap *smap)
{
    const struct smap_node *node;
    bool found = false;

    SMAP_FOR_EACH (node, smap) {
        char *start = xasprintf("'%s=%s': ", node->key, node->value);
        size_t n = strlen(start);

        found = found || (!strncmp(message, start, n) && message[n]);
        free(start);
    }
    return found;
}

#endif /* fuzz.h */
