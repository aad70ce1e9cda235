// The Verilated fabric behind a few C functions, for `torusweave simulate --engine verilator`.
//
// Rust loads this as a shared object, binds every router register once, with its size, and reads them in place.
// `inputs.inc` is written for each design: it lists the fabric's own-packet inputs, node by node, and which of them are
// streams, taken flit by flit; then the inputs for lengths, and outputs that are to stay silent. Nothing here may throw: an exception that leaves C++ ends the process, in order.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "Vfabric.h"
#include "verilated.h"
#include "verilated_syms.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

// A variable in place, and how many bytes it takes.
struct Variable {
    void* data;
    size_t size;
};

namespace {

struct Dut {
    std::unique_ptr<VerilatedContext> context{new VerilatedContext};
    std::unique_ptr<Vfabric> top{new Vfabric{context.get()}};
    // own-packet inputs, counted node by node and packet by packet, and the other ports of the list
    std::vector<Variable> inputs{
#define INPUT(name) {&top->name, sizeof(top->name)},
#define STREAM(name) INPUT(name)
#include "inputs.inc"
#undef STREAM
#undef INPUT
    };
    // for each of them whether the last clock edge took a flit
    std::vector<uint8_t> taken = std::vector<uint8_t>(inputs.size());

    void note_taken() {
        size_t index = 0;
#define INPUT(name) index++;
#define STREAM(name) taken[index++] = top->name##_take;
#include "inputs.inc"
#undef STREAM
#undef INPUT
        (void)index;
    }
};

}  // namespace

// How parts are wired is no question here.
EXPORT void* dut_new(const uint32_t*) noexcept {
    Dut* dut = new Dut;
    dut->top->clk = 0;
    dut->top->rst = 0;
    dut->top->run = 0;
    dut->top->eval();
    return dut;
}

EXPORT void dut_free(void* handle) noexcept { delete static_cast<Dut*>(handle); }

// One clock cycle: the registers have their new values when this returns.
EXPORT void dut_tick(void* handle, int rst, int run) noexcept {
    Dut* dut = static_cast<Dut*>(handle);
    dut->top->rst = rst;
    dut->top->run = run;
    dut->top->clk = 0;
    dut->top->eval();
    dut->note_taken();
    dut->top->clk = 1;
    dut->top->eval();
}

// The variable `name` of the instance `scope`; null if there is none.
EXPORT Variable dut_bind(void* handle, const char* scope, const char* name) noexcept {
    Dut* dut = static_cast<Dut*>(handle);
    const VerilatedScope* found = dut->context->scopeFind(scope);
    VerilatedVar* variable = found ? found->varFind(name) : nullptr;
    return variable ? Variable{variable->datap(), variable->totalSize()} : Variable{nullptr, 0};
}

// Port `index` of the list; null beyond the last.
EXPORT Variable dut_input(void* handle, size_t index) noexcept {
    Dut* dut = static_cast<Dut*>(handle);
    return index < dut->inputs.size() ? dut->inputs[index] : Variable{nullptr, 0};
}

// Whether the last clock edge took a flit from own-packet input `index`, a stream.
EXPORT int dut_taken(void* handle, size_t index) noexcept {
    Dut* dut = static_cast<Dut*>(handle);
    return index < dut->taken.size() && dut->taken[index];
}

// The flit that every own-packet input must carry now, if they are no streams.
EXPORT uint32_t dut_flit(void* handle) noexcept {
    Vfabric* top = static_cast<Dut*>(handle)->top.get();
    (void)top;
#ifdef HAS_FLIT
    return top->flit;
#else
    return 0;
#endif
}
