// What every simulator of a fabric is to `torusweave simulate --engine verilator`: a few C functions.
//
// Rust loads a simulator as a shared object, binds every router register once, with its size, and reads them in place.
// Nothing here may throw: an exception that leaves C++ ends the process, in order.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

// A variable in place, and how many bytes it takes.
struct Variable {
    void* data;
    size_t size;
};

// The device under test.
struct Dut {
    // own-packet inputs, counted node by node and packet by packet; then the other ports that are set or looked at
    std::vector<Variable> inputs;
    // for each of them that is a stream whether the last clock edge took a flit
    std::vector<uint8_t> taken;

    virtual ~Dut() = default;
    virtual void tick(bool rst, bool run) = 0;
    virtual Variable bind(const char* scope, const char* name) = 0;
    virtual uint32_t flit() = 0;
};

// Each simulator's own; the table says how parts are wired, where there are parts.
static Dut* make(const uint32_t* table);

EXPORT Dut* dut_new(const uint32_t* table) noexcept { return make(table); }

EXPORT void dut_free(Dut* dut) noexcept { delete dut; }

// One clock cycle: the registers have their new values when this returns.
EXPORT void dut_tick(Dut* dut, int rst, int run) noexcept { dut->tick(rst, run); }

// The variable `name` of the instance `scope`; null if there is none.
EXPORT Variable dut_bind(Dut* dut, const char* scope, const char* name) noexcept { return dut->bind(scope, name); }

// Port `index` of the list; null beyond the last.
EXPORT Variable dut_input(Dut* dut, size_t index) noexcept {
    return index < dut->inputs.size() ? dut->inputs[index] : Variable{nullptr, 0};
}

// Whether the last clock edge took a flit from own-packet input `index`, a stream.
EXPORT int dut_taken(Dut* dut, size_t index) noexcept { return index < dut->taken.size() && dut->taken[index]; }

// The flit that every own-packet input must carry now, if they are no streams.
EXPORT uint32_t dut_flit(Dut* dut) noexcept { return dut->flit(); }
