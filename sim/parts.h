// What `sim/parts.cpp`, the same for every design, knows of the parts of a design, which are in `sim/models.cpp`.

#pragma once

#include "shim.h"

class VerilatedContext;

// An instance of a part.
struct Instance {
    virtual ~Instance() = default;
    virtual void eval() = 0;
    virtual Variable port(size_t index) = 0;
};

// A new instance of a design's part.
Instance* instance_of(uint32_t part, VerilatedContext* context);
