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

EF_TEST(older_syntax_is_fine)
{
    EF_CHECK(ef_devargs_is_digestible(""));
    EF_CHECK(ef_devargs_is_digestible("0000:03:00.0,class=net"));
    EF_CHECK(ef_devargs_is_digestible("net_virtio_user0,path=/a/b/c/d/e"));
    EF_CHECK(ef_devargs_is_digestible("bus0,driver_x=1"));
}

EF_TEST(whole_layers_are_fine)
{
    EF_CHECK(ef_devargs_is_digestible("bus=vdev,name=net_null0/driver=x"));
    EF_CHECK(ef_devargs_is_digestible(
                 "bus=pci,addr=03:00.0/class=eth,mac=x/driver=net_x,y=1"));
}

/* Each of these crashed DPDK, or is like one that did. */
EF_TEST(lacking_layers_are_not)
{
    EF_CHECK(!ef_devargs_is_digestible("class=eth"));
    EF_CHECK(!ef_devargs_is_digestible("class"));
    EF_CHECK(!ef_devargs_is_digestible(",class,x"));
    EF_CHECK(!ef_devargs_is_digestible("class/driver==eth"));
    EF_CHECK(!ef_devargs_is_digestible("driver=x"));
    EF_CHECK(!ef_devargs_is_digestible("net_null0=bus=vdev,x"));
    EF_CHECK(!ef_devargs_is_digestible("bus=x/y=z/class=eth/driver=i"));
    EF_CHECK(!ef_devargs_is_digestible("bus=vdev/class=eth/driver=i/a=b"));
    EF_CHECK(!ef_devargs_is_digestible("bus=[a,bus=b]/driver=i"));
    EF_CHECK(!ef_devargs_is_digestible(",,\t=class"));
    EF_CHECK(!ef_devargs_is_digestible("bus=vdev,name=net_null0"));
    EF_CHECK(!ef_devargs_is_digestible("bus=vdev/class=eth"));
    EF_CHECK(!ef_devargs_is_digestible("bus=/driver=x"));
    EF_CHECK(!ef_devargs_is_digestible("bus/driver=x"));
    EF_CHECK(!ef_devargs_is_digestible("bus=vdev/driver="));
    EF_CHECK(!ef_devargs_is_digestible("net_null0/driver=x"));
}

EF_TEST(more_layers_than_there_are_are_not)
{
    EF_CHECK(!ef_devargs_is_digestible(
                 "bus=vdev/class=eth/driver=x/driver=y"));
    EF_CHECK(!ef_devargs_is_digestible("a/bus=b/bus=c/bus=d"));
}

EF_TEST_MUST_FAIL(start_of_a_name_is_not_it)
{
    EF_CHECK(ef_devargs_is_same_name("net_null1", "net_null10"));
}
