// The fabric as Verilator makes it of all its files at once.
//
// `inputs.inc` is written for each design: it lists the fabric's own-packet inputs, node by node, and which of them are
// streams, taken flit by flit; then the inputs for lengths, and outputs that are to stay silent.

#include "Vfabric.h"
#include "shim.h"
#include "verilated.h"
#include "verilated_syms.h"

// the input that begins a run
#ifndef RUN
#define RUN run
#endif

namespace {

// A sum of as many ones as there are ports would take the compiler a time that is the square of them.
enum : size_t {
#define INPUT(name) INDEX_##name,
#define STREAM(name) INPUT(name)
#include "inputs.inc"
#undef STREAM
#undef INPUT
    INPUTS
};

struct Fabric final : Dut {
    VerilatedContext context;
    Vfabric top{&context};
    // one more each than there are: nothing
    Variable inputs[INPUTS + 1] = {
#define INPUT(name) {&top.name, sizeof(top.name)},
#define STREAM(name) INPUT(name)
#include "inputs.inc"
#undef STREAM
#undef INPUT
        {nullptr, 0}};
    bool taken[INPUTS + 1] = {};

    Fabric() {
        top.clk = 0;
        top.rst = 0;
        top.RUN = 0;
        top.eval();
    }

    void note_taken() {
#define INPUT(name)
#define STREAM(name) taken[INDEX_##name] = top.name##_take;
#include "inputs.inc"
#undef STREAM
#undef INPUT
    }

    Variable input(size_t index) override { return inputs[index < INPUTS ? index : INPUTS]; }

    bool has_taken(size_t index) override { return taken[index < INPUTS ? index : INPUTS]; }

    void settle(bool rst, bool run) override {
        top.rst = rst;
        top.RUN = run;
        top.clk = 0;
        top.eval();
    }

    void tick(bool rst, bool run) override {
        settle(rst, run);
        note_taken();
        top.clk = 1;
        top.eval();
    }

    Variable bind(const char* scope, const char* name) override {
        const VerilatedScope* found = context.scopeFind(scope);
        VerilatedVar* variable = found ? found->varFind(name) : nullptr;
        return variable ? Variable{variable->datap(), variable->totalSize()} : Variable{nullptr, 0};
    }

    uint32_t flit() override {
#ifdef HAS_FLIT
        return top.flit;
#else
        return 0;
#endif
    }
};

}  // namespace

Dut* make(const uint32_t*) { return new Fabric; }
