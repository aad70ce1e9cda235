// The Verilated fabric behind a few C functions, for `torusweave simulate --engine verilator`.
//
// Rust loads this as a shared object, binds a pointer to every router register once, and reads them in place.
// `inputs.inc` is written for each design: it lists the fabric's own-packet inputs, node by node.

#include <cstdint>
#include <memory>
#include <string>

#include "Vfabric.h"
#include "verilated.h"
#include "verilated_syms.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct Dut {
    std::unique_ptr<VerilatedContext> context{new VerilatedContext};
    std::unique_ptr<Vfabric> top{new Vfabric{context.get()}};
};

}  // namespace

EXPORT void* dut_new() {
    Dut* dut = new Dut;
    dut->top->clk = 0;
    dut->top->rst = 0;
    dut->top->run = 0;
    dut->top->eval();
    return dut;
}

EXPORT void dut_free(void* handle) { delete static_cast<Dut*>(handle); }

// One clock cycle: the registers have their new values when this returns.
EXPORT void dut_tick(void* handle, int rst, int run) {
    Dut* dut = static_cast<Dut*>(handle);
    dut->top->rst = rst;
    dut->top->run = run;
    dut->top->clk = 0;
    dut->top->eval();
    dut->top->clk = 1;
    dut->top->eval();
}

// The variable `name` of the instance `scope`, in place; null if there is none.
EXPORT void* dut_bind(void* handle, const char* scope, const char* name) {
    Dut* dut = static_cast<Dut*>(handle);
    const VerilatedScope* found = dut->context->scopeFind(scope);
    VerilatedVar* variable = found ? found->varFind(name) : nullptr;
    return variable ? variable->datap() : nullptr;
}

// Own-packet input `index`, counted node by node and packet by packet; null beyond the last.
EXPORT void* dut_input(void* handle, uint32_t index) {
    Vfabric* top = static_cast<Dut*>(handle)->top.get();
    void* const inputs[] = {
#include "inputs.inc"
        nullptr,
    };
    return index < sizeof(inputs) / sizeof(inputs[0]) ? inputs[index] : nullptr;
}

// The flit that every own-packet input must carry now.
EXPORT uint32_t dut_flit(void* handle) {
    Vfabric* top = static_cast<Dut*>(handle)->top.get();
    (void)top;
#ifdef HAS_FLIT
    return top->flit;
#else
    return 0;
#endif
}
