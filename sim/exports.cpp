// What leaves a simulator: Rust loads it as a shared object, binds every router register once, with its size, and reads them in
// place.
//
// Nothing here may throw: an exception that leaves C++ ends the process, in order.

#include "shim.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT Dut* dut_new(const uint32_t* table) noexcept { return make(table); }

EXPORT void dut_free(Dut* dut) noexcept { delete dut; }

EXPORT void dut_tick(Dut* dut, int rst, int run) noexcept { dut->tick(rst, run); }

EXPORT Variable dut_bind(Dut* dut, const char* scope, const char* name) noexcept { return dut->bind(scope, name); }

EXPORT Variable dut_input(Dut* dut, size_t index) noexcept { return dut->input(index); }

EXPORT int dut_taken(Dut* dut, size_t index) noexcept { return dut->has_taken(index); }

EXPORT uint32_t dut_flit(Dut* dut) noexcept { return dut->flit(); }
