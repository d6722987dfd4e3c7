/* SPDX-License-Identifier: Apache-2.0 */

/* Does on purpose what a sanitizer must see: "planted race", "planted leak",
 * or "planted nothing".
 *
 * Started by tests/scripts/sanitizer.py, which thereby knows that the lists of
 * suppressions do not hide more than they say. */

#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "ovs-atomic.h"
#include "ovs-thread.h"
#include "util.h"

static bool race, leak;
static atomic_int n_running = ATOMIC_VAR_INIT(0);
static int shared;              /* Unprotected, with "race". */
static char *volatile lost;

/* The wait orders nothing: it only makes the threads overlap. */
static void *
writer_main(void *aux OVS_UNUSED)
{
    int n;

    atomic_add_relaxed(&n_running, 1, &n);
    do {
        atomic_read_relaxed(&n_running, &n);
    } while (n < 2);
    if (race) {
        shared++;
    }
    return NULL;
}

/* In a thread of its own, whose stack does not remember the pointer. */
static void *
loser_main(void *aux OVS_UNUSED)
{
    if (leak) {
        lost = xmalloc(123);
        lost = NULL;
    }
    return NULL;
}

int
main(int argc, char *argv[])
{
    pthread_t threads[3];

    set_program_name(argv[0]);
    race = argc > 1 && !strcmp(argv[1], "race");
    leak = argc > 1 && !strcmp(argv[1], "leak");
    threads[0] = ovs_thread_create("writer1", writer_main, NULL);
    threads[1] = ovs_thread_create("writer2", writer_main, NULL);
    threads[2] = ovs_thread_create("loser", loser_main, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
        xpthread_join(threads[i], NULL);
    }
    return EXIT_SUCCESS;
}
