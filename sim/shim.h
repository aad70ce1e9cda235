// What every simulator of a fabric is to `torusweave simulate --engine verilator`: a device under test behind a few C functions,
// which are in `sim/exports.cpp`.
//
// The compiler takes longer for a template of the standard library than for a small fabric: what is compiled for each design
// uses none.

#pragma once

#include <cstddef>
#include <cstdint>

// A variable in place, and how many bytes it takes.
struct Variable {
    void* data;
    size_t size;
};

// The device under test.
struct Dut {
    virtual ~Dut() = default;
    // One clock cycle: the registers have their new values when this returns.
    virtual void tick(bool rst, bool run) = 0;
    // The inputs take effect, and no clock edge comes yet.
    virtual void settle(bool, bool) {}
    // The variable `name` of the instance `scope`; null if there is none.
    virtual Variable bind(const char* scope, const char* name) = 0;
    // Port `index` of the list: own-packet inputs, counted node by node and packet by packet, then the other ports that are set
    // or looked at; null beyond the last.
    virtual Variable input(size_t index) = 0;
    // Whether the last clock edge took a flit from port `index`, a stream.
    virtual bool has_taken(size_t index) = 0;
    // The flit that every own-packet input must carry now, if they are no streams.
    virtual uint32_t flit() = 0;
};

// Each simulator's own; the table says how parts are wired, where there are parts.
Dut* make(const uint32_t* table);
