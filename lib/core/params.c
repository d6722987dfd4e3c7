/* SPDX-License-Identifier: Apache-2.0 */

/* Counter of changes of the output policy; see the header. */

#include <config.h>

#include "core/params.h"

atomic_uint32_t ef_params_output_seq = 0;

void
ef_params_output_changed(void)
{
    uint32_t old;

    atomic_add_explicit(&ef_params_output_seq, 1, &old, memory_order_release);
}
