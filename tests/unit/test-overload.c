/* SPDX-License-Identifier: Apache-2.0 */
/* When a receive queue is in overload and how much time goes into it. */

#include <config.h>

#include "pmd/overload.h"

#include "ef-test.h"

#define BURST 32

static struct ef_overload overload;

static void
start(struct ef_rxq rxqs[], struct ef_rxq *pointers[], size_t n)
{
    overload = (struct ef_overload) { .n_on = 4711 };
    for (size_t i = 0; i < n; i++) {
        rxqs[i].overload = (struct ef_rxq_overload) { 3, true, 5 };
        pointers[i] = &rxqs[i];
    }
    ef_overload_reset(&overload, pointers, n);
}

EF_TEST(a_row_of_full_bursts_is_worth_a_look)
{
    struct ef_rxq_overload q = { .on = false };

    for (int i = 1; i <= 3 * EF_OVERLOAD_ROW; i++) {
        EF_CHECK_EQ(ef_overload_is_near(&q, BURST, BURST),
                    i >= EF_OVERLOAD_ROW);
    }
    EF_CHECK(!ef_overload_is_near(&q, BURST - 1, BURST));
    EF_CHECK(!ef_overload_is_near(&q, BURST, BURST));
    EF_CHECK(!ef_overload_is_near(&q, 0, BURST));
}

EF_TEST(it_ends_below_a_lower_mark)
{
    struct ef_rxq rxqs[1];
    struct ef_rxq *pointers[1];
    struct ef_rxq_overload *q = &rxqs[0].overload;

    start(rxqs, pointers, 1);
    EF_CHECK_EQ(ef_overload_threshold(q), EF_OVERLOAD_HIGH);
    EF_CHECK(ef_overload_set(&overload, q, 1));
    EF_CHECK_EQ(ef_overload_threshold(q), EF_OVERLOAD_LOW);
    EF_CHECK(EF_OVERLOAD_LOW < EF_OVERLOAD_HIGH);
    EF_CHECK(!ef_overload_set(&overload, q, 0));
    EF_CHECK_EQ(ef_overload_threshold(q), EF_OVERLOAD_HIGH);
    /* A ring that tells nothing is never in overload. */
    EF_CHECK(!ef_overload_set(&overload, q, -1));
}

EF_TEST(queues_are_counted_once)
{
    struct ef_rxq rxqs[3];
    struct ef_rxq *pointers[3];

    start(rxqs, pointers, 3);
    EF_CHECK_EQ(overload.n_on, 0);
    for (int times = 0; times < 2; times++) {
        for (int i = 0; i < 3; i++) {
            ef_overload_set(&overload, &rxqs[i].overload, 1);
        }
        EF_CHECK_EQ(overload.n_on, 3);
    }
    ef_overload_set(&overload, &rxqs[1].overload, -1);
    ef_overload_set(&overload, &rxqs[1].overload, 0);
    EF_CHECK_EQ(overload.n_on, 2);
    ef_overload_reset(&overload, pointers, 3);
    EF_CHECK_EQ(overload.n_on, 0);
    EF_CHECK(!rxqs[0].overload.on);
}

/* Turns of 1,000 ticks that spend all they may and a burst more, as the last
 * burst may take longer than there is time for. */
EF_TEST(spends_its_percentage_and_no_more)
{
    for (unsigned percent = 0; percent <= 50; percent += 5) {
        const uint64_t turn = 1000, n_turns = 1000000;
        uint64_t spent = 0, now = 0;

        overload = (struct ef_overload) { .n_on = 1, .percent = percent };
        for (uint64_t i = 0; i < n_turns; i++) {
            uint64_t may;

            now += turn;
            may = ef_overload_earn(&overload, now);
            if (may) {
                ef_overload_spend(&overload, may + 200);
                spent += may + 200;
            }
        }
        EF_CHECK(spent <= now * percent / 100 + 200);
        EF_CHECK(spent >= now * percent / 100 * 9 / 10);
    }
}

EF_TEST(what_is_saved_has_a_limit)
{
    overload = (struct ef_overload) { .n_on = 1, .percent = 50 };
    EF_CHECK_EQ(ef_overload_earn(&overload, UINT64_MAX / 2),
                (uint64_t) EF_OVERLOAD_SAVED);
    EF_CHECK_EQ(overload.credit, EF_OVERLOAD_SAVED);
    /* Also for an overdrawn one. */
    ef_overload_spend(&overload, 2 * (uint64_t) EF_OVERLOAD_SAVED);
    EF_CHECK_EQ(ef_overload_earn(&overload, UINT64_MAX / 2 + 100), 0u);
}

EF_TEST(queues_share)
{
    overload = (struct ef_overload) { .n_on = 4, .percent = 4 };
    EF_CHECK_EQ(ef_overload_earn(&overload, 100000), 1000u);
    /* The smallest share is not nothing. */
    overload = (struct ef_overload) { .n_on = 4, .credit = 1 };
    EF_CHECK_EQ(ef_overload_earn(&overload, 0), 1u);
}

/* However long a packet takes, a turn is no longer than one of them or what
 * was allowed; nothing is shed while a whole burst fits. */
EF_TEST(turns_are_short)
{
    for (uint64_t each = 1; each < UINT64_C(1) << 40; each *= 2) {
        struct ef_rxq_overload q = { .on = true };
        unsigned n = BURST;

        for (int i = 0; i < 20; i++) {
            ef_overload_took(&q, each * n, n);
            n = ef_overload_share(&q);
            EF_CHECK(n >= 1 && n <= BURST);
            EF_CHECK(n == 1 || n * each <= EF_OVERLOAD_TURN);
            EF_CHECK(n == BURST || (n + 1) * each > EF_OVERLOAD_TURN);
        }
    }
}

EF_TEST(one_long_turn_is_forgotten)
{
    struct ef_rxq_overload q = { .on = true };

    EF_CHECK_EQ(ef_overload_share(&q), BURST);
    ef_overload_took(&q, 0, 0);
    EF_CHECK_EQ(ef_overload_share(&q), BURST);
    ef_overload_took(&q, UINT64_MAX, 1);
    EF_CHECK_EQ(ef_overload_share(&q), 1);
    for (int i = 0; i < 16; i++) {
        ef_overload_took(&q, 500, 1);
    }
    EF_CHECK_EQ(ef_overload_share(&q), BURST);
    /* So is all, when the queue is in overload again. */
    ef_overload_took(&q, UINT64_MAX, 1);
    ef_overload_set(&overload, &q, 0);
    ef_overload_set(&overload, &q, 1);
    EF_CHECK_EQ(ef_overload_share(&q), BURST);
}

EF_TEST_MUST_FAIL(planted_one_burst_is_enough)
{
    struct ef_rxq_overload q = { .on = false };

    EF_CHECK(ef_overload_is_near(&q, BURST, BURST));
}
