# SPDX-License-Identifier: Apache-2.0
"""What quickstart, bench-pairs and the system tests stand on.

    process    children that cannot outlive us, signals, clean-up
    hugepages  borrow huge pages and give them back
    netns      network namespaces without names
    switch     ovsdb-server and ovs-vswitchd in a private directory
    lab        a switch with hosts around it
    pcap       recordings: read, write, build frames
    checksum   what is wrong with a frame
    capture    record what a device receives, and check it
    jsonrpc    ask the switch or its database without a process for it
    openflow   bundles of flow changes, as bytes made beforehand
    debian     programs from packages that are not installed
    ovn        OVN over switches of ours
    testpmd    dpdk-testpmd as a guest

Nothing here leaves a trace: namespaces are held by processes of ours, not by
names under /run/netns; the switch runs in such a namespace, so its tap devices
go with it; DPDK takes its memory without files ("--in-memory").
"""
