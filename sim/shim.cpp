// The fabric as Verilator makes it of all its files at once.
//
// `inputs.inc` is written for each design: it lists the fabric's own-packet inputs, node by node, and which of them are
// streams, taken flit by flit; then the inputs for lengths, and outputs that are to stay silent.

#include <memory>

#include "Vfabric.h"
#include "shim.h"
#include "verilated.h"
#include "verilated_syms.h"

namespace {

struct Fabric final : Dut {
    std::unique_ptr<VerilatedContext> context{new VerilatedContext};
    std::unique_ptr<Vfabric> top{new Vfabric{context.get()}};

    Fabric() {
        inputs = {
#define INPUT(name) {&top->name, sizeof(top->name)},
#define STREAM(name) INPUT(name)
#include "inputs.inc"
#undef STREAM
#undef INPUT
        };
        taken.resize(inputs.size());
        top->clk = 0;
        top->rst = 0;
        top->run = 0;
        top->eval();
    }

    void note_taken() {
        size_t index = 0;
#define INPUT(name) index++;
#define STREAM(name) taken[index++] = top->name##_take;
#include "inputs.inc"
#undef STREAM
#undef INPUT
        (void)index;
    }

    void tick(bool rst, bool run) override {
        top->rst = rst;
        top->run = run;
        top->clk = 0;
        top->eval();
        note_taken();
        top->clk = 1;
        top->eval();
    }

    Variable bind(const char* scope, const char* name) override {
        const VerilatedScope* found = context->scopeFind(scope);
        VerilatedVar* variable = found ? found->varFind(name) : nullptr;
        return variable ? Variable{variable->datap(), variable->totalSize()} : Variable{nullptr, 0};
    }

    uint32_t flit() override {
#ifdef HAS_FLIT
        return top->flit;
#else
        return 0;
#endif
    }
};

}  // namespace

static Dut* make(const uint32_t*) { return new Fabric; }
