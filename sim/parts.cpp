// A fabric of parts that Verilator makes one by one, for `--by class`: the same for every design, compiled once.
//
// How many instances there are of each part, and what is wired to what, is handed over as a table when a fabric is made.

#include <cstring>
#include <memory>
#include <vector>

#include "parts.h"
#include "verilated.h"

namespace {

// What no part drives: the clock, or all that is set from outside.
struct Pins final : Instance {
    std::vector<std::vector<uint8_t>> values;

    void add(size_t size) { values.emplace_back(size); }
    void eval() override {}
    Variable port(size_t index) override { return {values[index].data(), values[index].size()}; }
};

// What an output drives: one input of one instance.
struct Wire {
    const void* from;
    void* to;
    uint32_t size;
    uint32_t reader;
};

// Copies what has changed.
bool copy(const Wire& wire) {
    const auto copied = [&](auto zero) {
        decltype(zero) now, before;
        std::memcpy(&now, wire.from, sizeof zero);
        std::memcpy(&before, wire.to, sizeof zero);
        std::memcpy(wire.to, &now, sizeof zero);
        return now != before;
    };
    switch (wire.size) {
        case 1: return copied(uint8_t{});
        case 2: return copied(uint16_t{});
        case 4: return copied(uint32_t{});
        case 8: return copied(uint64_t{});
        default: {
            const bool changes = std::memcmp(wire.to, wire.from, wire.size) != 0;
            std::memcpy(wire.to, wire.from, wire.size);
            return changes;
        }
    }
}

// Wires that never settle are left as they are: the model says what they should be.
constexpr int MOST_ROUNDS = 100;
constexpr uint32_t CLOCK = 0;
constexpr uint32_t OUTSIDE = 1;

struct Fabric final : Dut {
    std::unique_ptr<VerilatedContext> context{new VerilatedContext};
    // the clock, what is outside, then the parts
    std::vector<std::unique_ptr<Instance>> instances;
    // by the instance that drives them, and where those of each begin
    std::vector<Wire> wires;
    std::vector<size_t> begins;
    std::vector<Variable> inputs;
    std::vector<Variable> takes;
    std::vector<Variable> flits;
    std::vector<uint8_t> taken;
    // instances whose outputs may have changed, and those whose inputs have
    std::vector<uint32_t> changed;
    std::vector<uint32_t> due;
    std::vector<uint8_t> is_due;
    // whether every wire has the same width at both ends: `src/tools/lockstep/parts.rs` compares them by the text
    bool fits = true;

    explicit Fabric(const uint32_t* table) {
        auto* clock = new Pins;
        clock->add(1);
        instances.emplace_back(clock);
        auto* outside = new Pins;
        instances.emplace_back(outside);
        for (uint32_t left = *table++; left; --left) outside->add(*table++);
        for (uint32_t left = *table++; left; --left) instances.emplace_back(instance_of(*table++, context.get()));
        begins.resize(instances.size() + 1);
        for (uint32_t left = *table++; left; --left) {
            const Variable from = instances[table[0]]->port(table[1]);
            const Variable to = instances[table[2]]->port(table[3]);
            fits = fits && from.data && to.data && from.size == to.size;
            wires.push_back({from.data, to.data, static_cast<uint32_t>(to.size), table[2]});
            ++begins[table[0] + 1];
            table += 4;
        }
        for (size_t at = 1; at < begins.size(); ++at) begins[at] += begins[at - 1];
        for (auto* list : {&inputs, &takes, &flits}) {
            for (uint32_t left = *table++; left; --left) {
                list->push_back(instances[table[0]]->port(table[1]));
                table += 2;
            }
        }
        if (!fits) return;
        taken.resize(takes.size());
        is_due.resize(instances.size());
        for (uint32_t at = 0; at < instances.size(); ++at) changed.push_back(at);
        for (const uint32_t at : changed) instances[at]->eval();
        settle();
    }

    uint8_t& pin(uint32_t instance, size_t index) { return *static_cast<uint8_t*>(instances[instance]->port(index).data); }

    // Takes what has changed to its readers, and lets each of these say what follows from it.
    bool round() {
        due.clear();
        for (const uint32_t instance : changed) {
            for (size_t at = begins[instance]; at < begins[instance + 1]; ++at) {
                const Wire& wire = wires[at];
                if (copy(wire) && !is_due[wire.reader]) {
                    is_due[wire.reader] = 1;
                    due.push_back(wire.reader);
                }
            }
        }
        for (const uint32_t instance : due) {
            is_due[instance] = 0;
            instances[instance]->eval();
        }
        changed.swap(due);
        return !changed.empty();
    }

    void settle() {
        for (int rounds = 0; rounds < MOST_ROUNDS && round(); ++rounds) {
        }
    }

    void tick(bool rst, bool run) override {
        pin(OUTSIDE, 0) = rst;
        pin(OUTSIDE, 1) = run;
        changed.assign(1, OUTSIDE);
        settle();
        for (size_t at = 0; at < takes.size(); ++at) taken[at] = *static_cast<uint8_t*>(takes[at].data) & 1;
        changed.assign(1, CLOCK);
        pin(CLOCK, 0) = 1;
        round();
        // the clock falls while the wires take on what the registers say: nothing waits for that edge
        pin(CLOCK, 0) = 0;
        changed.push_back(CLOCK);
        settle();
    }

    Variable input(size_t index) override { return index < inputs.size() ? inputs[index] : Variable{nullptr, 0}; }

    bool has_taken(size_t index) override { return index < taken.size() && taken[index]; }

    // Nothing is read but at the ports of parts.
    Variable bind(const char*, const char*) override { return {nullptr, 0}; }

    uint32_t flit() override {
        uint32_t flit = 0;
        for (const Variable& shown : flits) std::memcpy(&flit, shown.data, shown.size < 4 ? shown.size : 4);
        return flit;
    }
};

}  // namespace

Dut* make(const uint32_t* table) {
    std::unique_ptr<Fabric> made{new Fabric{table}};
    return made->fits ? made.release() : nullptr;
}
