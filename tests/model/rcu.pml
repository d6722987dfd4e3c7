/* SPDX-License-Identifier: Apache-2.0
 *
 * Promela model of lib/rcu: the epoch protocol (rcu/epoch.h), chunks of
 * postponed calls (rcu/deferral.h), and who waits for grace periods.
 *
 * It is checked under SEQUENTIAL CONSISTENCY ONLY: every statement is one step
 * that all processes see at once.  That the acquire and release pairs make the
 * real code behave so is argued in rcu/epoch.h and left to ThreadSanitizer.
 *
 *   reader      holds the object while it follows the pointer; passes
 *               quiescent states, goes offline and comes back
 *   producer    a reader, too; in its first section it postpones some call,
 *               in its second one it postpones the end of the object and
 *               unlinks it, in either order; after each it gives away what it
 *               has postponed, in a quiescent state
 *   waiters     two, each of which takes what was given away, advances the
 *               epoch, looks at one reader after the other, and runs what it
 *               took
 *
 * Checked: nobody holds an object that is freed; both calls run, once; every
 * process comes to its end (no invalid end states).
 *
 * Each of these changes a step, and must be found wrong:
 *
 *   -DNO_ADVANCE      a period begins without a new epoch
 *   -DADVANCE_FIRST   the epoch is advanced before chunks are taken
 *   -DNO_EXCHANGE     who comes back from being offline may read objects
 *                     before its store is seen
 *   -DSTORE_FIRST     a reader says that it has passed before it lets go
 *   -DEARLY_FLUSH     a full chunk is given away in the middle of a section
 *   -DLOST_CHUNK      who takes forgets what was given away before the last
 *   -DNO_OFFLINE      who ends does not go offline: waited for without end
 */

#define OFFLINE 0
#define READER 0
#define PRODUCER 1              /* It is a reader, too. */
#define N_THREADS 2
#define N_WAITERS 2

#define OLD 0
#define NEW 1

byte epoch = 1;
byte seen[N_THREADS];
bit pointer = OLD;              /* What readers find. */
bool freed = false;             /* OLD is. */
bool holds[N_THREADS];          /* OLD is held. */

/* Chunks, as bits: 1 has the end of OLD, 2 another call. */
byte own = 0;                   /* The producer's. */
byte stack = 0;
byte n_run[2];
bool has_produced = false;      /* Nothing more will be given away. */

/* What a reader does with OLD while it holds it. */
#define LOOK_AT_OLD(me) assert(!holds[me] || !freed)

/* A read of the pointer; the object is held from then on. */
#define FOLLOW(me)                                      \
    d_step {                                            \
        if                                              \
        :: pointer == OLD ->                            \
            holds[me] = true;                           \
            assert(!freed)                              \
        :: else                                         \
        fi                                              \
    }

#define LET_GO__(me)                                    \
    LOOK_AT_OLD(me);                                    \
    holds[me] = false
#define LET_GO(me) d_step { LET_GO__(me) }

#ifdef STORE_FIRST
#define QUIESCENT(me, loaded)                           \
    loaded = epoch;                                     \
    seen[me] = loaded;                                  \
    LET_GO(me)
#else
#define QUIESCENT(me, loaded)                           \
    d_step { LET_GO__(me); loaded = epoch };            \
    d_step { seen[me] = loaded; loaded = 0 }
#endif

/* The load of the epoch and the exchange are two steps.  What a processor may
 * do without the exchange is written out: a read ahead of the store. */
#ifdef NO_EXCHANGE
#define COME_BACK(me, loaded)                           \
    loaded = epoch;                                     \
    FOLLOW(me);                                         \
    seen[me] = loaded
#else
#define COME_BACK(me, loaded)                           \
    loaded = epoch;                                     \
    d_step { seen[me] = loaded; loaded = 0 }
#endif

proctype reader(byte me; byte n_rounds)
{
    byte loaded;

    do
    :: n_rounds > 0 ->
        n_rounds--;
        COME_BACK(me, loaded);
        FOLLOW(me);
        if
        :: QUIESCENT(me, loaded);
           FOLLOW(me)
        :: skip
        fi;
        atomic {
            LET_GO__(me);
#ifndef NO_OFFLINE
            seen[me] = OFFLINE
#endif
        }
    :: else -> break
    od
}

/* The end of OLD fills a chunk.  With EARLY_FLUSH that goes at once. */
inline postpone_end_of_old()
{
#ifdef EARLY_FLUSH
    stack = stack | 1
#else
    own = own | 1
#endif
}

inline flush()
{
    d_step {
        stack = stack | own;
        own = 0
    }
}

proctype producer()
{
    byte loaded;

    COME_BACK(PRODUCER, loaded);
    FOLLOW(PRODUCER);
    own = own | 2;
    LET_GO(PRODUCER);
    flush();
    QUIESCENT(PRODUCER, loaded);
    FOLLOW(PRODUCER);
    if
    :: pointer = NEW; postpone_end_of_old()     /* As cmap's users do... */
    :: postpone_end_of_old(); pointer = NEW     /* ...or "ovs-rcu.h". */
    fi;
    LET_GO(PRODUCER);
    flush();
    d_step {
        seen[PRODUCER] = OFFLINE;
        has_produced = true
    }
}

inline take(taken)
{
    d_step {
#ifdef LOST_CHUNK
        taken = stack & 1;
#else
        taken = stack;
#endif
        stack = 0
    }
}

inline advance(target)
{
    d_step {
#ifndef NO_ADVANCE
        epoch++;
#endif
        target = epoch
    }
}

/* The second look, which confirms that a thread is offline, could only be
 * stricter than the first: the model does without. */
inline wait_for(i, target)
{
    seen[i] == OFFLINE || seen[i] >= target
}

inline run_calls(taken)
{
    d_step {
        if
        :: taken & 1 ->
            n_run[0]++;
            freed = true;
            assert(!holds[READER] && !holds[PRODUCER])
        :: else
        fi;
        if
        :: taken & 2 -> n_run[1]++
        :: else
        fi;
        taken = 0
    }
}

proctype waiter()
{
    byte taken, target, i;

    do
    :: stack != 0 ->
#ifdef ADVANCE_FIRST
        advance(target);
        take(taken);
#else
        take(taken);
        advance(target);
#endif
        i = 0;
        do
        :: i < N_THREADS ->
            atomic {
                wait_for(i, target);
                i++
            }
        :: else -> break
        od;
        atomic { i = 0; target = 0 };
        run_calls(taken)
    :: has_produced && stack == 0 -> break
    od
}

init
{
    byte i;

    atomic {
        run reader(READER, 2);
        run producer();
        do
        :: i < N_WAITERS -> run waiter(); i++
        :: else -> break
        od
    };
    /* All others have ended. */
    _nr_pr == 1;
    assert(n_run[0] == 1 && n_run[1] == 1);
    assert(stack == 0 && own == 0 && freed)
}
