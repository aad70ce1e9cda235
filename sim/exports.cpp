// What leaves a simulator: Rust loads it as a shared object, binds every router register once, with its size, and reads them in
// place.
//
// Nothing here may throw: an exception that leaves C++ ends the process, in order.

#include "shim.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// What is to be done with an object when its thread ends.
struct Ending {
    void (*end)(void*);
    void* object;
    Ending* before;
};
Ending* endings;

}  // namespace

// Takes the place of the C++ library's, which keeps the code in memory until the thread ends. A simulator is made, used and freed
// by one thread: what Verilator has for each thread ends with it.
extern "C" int __cxa_thread_atexit(void (*end)(void*), void* object, void*) noexcept {
    endings = new Ending{end, object, endings};
    return 0;
}

EXPORT Dut* dut_new(const uint32_t* table) noexcept { return make(table); }

EXPORT void dut_free(Dut* dut) noexcept {
    delete dut;
    while (Ending* last = endings) {
        endings = last->before;
        last->end(last->object);
        delete last;
    }
}

EXPORT void dut_tick(Dut* dut, int rst, int run) noexcept { dut->tick(rst, run); }

EXPORT void dut_settle(Dut* dut, int rst, int run) noexcept { dut->settle(rst, run); }

EXPORT Variable dut_bind(Dut* dut, const char* scope, const char* name) noexcept { return dut->bind(scope, name); }

EXPORT Variable dut_input(Dut* dut, size_t index) noexcept { return dut->input(index); }

EXPORT int dut_taken(Dut* dut, size_t index) noexcept { return dut->has_taken(index); }

EXPORT uint32_t dut_flit(Dut* dut) noexcept { return dut->flit(); }
