// The parts of a design, for `sim/parts.cpp`.
//
// `models.h` and `models.inc` are written for each design: what Verilator makes of each part, and its ports. This is compiled for
// each, too: nothing else belongs here.

#include "models.h"
#include "parts.h"

namespace {

#define PART(model)                                              \
    struct Instance_##model final : Instance {                   \
        model top;                                               \
        explicit Instance_##model(VerilatedContext* context) : top{context} {} \
        void eval() override { top.eval(); }                     \
        Variable port(size_t index) override {                   \
            const Variable ports[] = {
#define PORT(name) {&top.name, sizeof(top.name)},
#define END                    \
            };                 \
            return index < sizeof ports / sizeof *ports ? ports[index] : Variable{nullptr, 0}; \
        }                      \
    };
#include "models.inc"
#undef END
#undef PORT
#undef PART

using Make = Instance* (*)(VerilatedContext*);

const Make makes[] = {
#define PART(model) [](VerilatedContext* context) -> Instance* { return new Instance_##model{context}; },
#define PORT(name)
#define END
#include "models.inc"
#undef END
#undef PORT
#undef PART
};

}  // namespace

Instance* instance_of(uint32_t part, VerilatedContext* context) { return makes[part](context); }
