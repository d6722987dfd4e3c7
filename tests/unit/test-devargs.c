/* SPDX-License-Identifier: Apache-2.0 */

/* What options:dpdk-devargs says without asking DPDK. */

#include <config.h>

#include "dpdk/devargs.h"

#include "ef-test.h"
#include "packets.h"

EF_TEST(address)
{
    struct eth_addr want = ETH_ADDR_C(02,00,00,0a,bc,de);
    struct eth_addr mac;

    EF_CHECK(ef_devargs_is_by_mac("class=eth,mac=02:00:00:0a:bc:de"));
    EF_REQUIRE(ef_devargs_get_mac("class=eth,mac=02:00:00:0A:bc:de", &mac));
    EF_CHECK(eth_addr_equals(mac, want));
}

EF_TEST(malformed_address)
{
    struct eth_addr mac;

    EF_CHECK(ef_devargs_is_by_mac("class=eth,mac="));
    EF_CHECK(!ef_devargs_get_mac("class=eth,mac=", &mac));
    EF_CHECK(!ef_devargs_get_mac("class=eth,mac=02:00:00:0a:bc", &mac));
    EF_CHECK(!ef_devargs_get_mac("class=eth,mac=02:00:00:0a:bc:de,x", &mac));
}

EF_TEST(name_is_no_address)
{
    struct eth_addr mac;

    EF_CHECK(!ef_devargs_is_by_mac(""));
    EF_CHECK(!ef_devargs_is_by_mac("class=eth"));
    EF_CHECK(!ef_devargs_is_by_mac("net_null0,mac=02:00:00:0a:bc:de"));
    EF_CHECK(!ef_devargs_get_mac("net_null0,mac=02:00:00:0a:bc:de", &mac));
}

EF_TEST(same_name)
{
    EF_CHECK(ef_devargs_is_same_name("net_null0", "net_null0"));
    EF_CHECK(ef_devargs_is_same_name("net_null0,size=64", "net_null0"));
    EF_CHECK(ef_devargs_is_same_name("net_null0,size=64", "net_null0,copy=1"));
    EF_CHECK(!ef_devargs_is_same_name("net_null0", "net_null01"));
    EF_CHECK(!ef_devargs_is_same_name("net_null01", "net_null0"));
    EF_CHECK(!ef_devargs_is_same_name("net_null0", ""));
}

EF_TEST(class_is_no_name)
{
    EF_CHECK(!ef_devargs_is_same_name("class=eth,mac=02:00:00:0a:bc:de",
                                      "class=eth,mac=02:00:00:0a:bc:df"));
    EF_CHECK(!ef_devargs_is_same_name("bus=vdev", "bus=vdev"));
}

EF_TEST_MUST_FAIL(start_of_a_name_is_not_it)
{
    EF_CHECK(ef_devargs_is_same_name("net_null1", "net_null10"));
}
