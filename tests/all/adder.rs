//! The module that combines two floats, in Verilator beside an independent reference: for every format, with and without subnormal
//! numbers, in as few clocks as it can be and in as many; and with a fault put in.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use torusweave::emit;
use torusweave::netlist::{FloatUnit, MOST_TICKS};
use torusweave::program::{Number, Operation};
use torusweave::tools::ScratchFolder;

use crate::fixtures::command::{Place, project};
use crate::fixtures::floats;
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{first_of, said, toolchain};
use crate::numbers::cases;

fn unit(number: Number, operation: Operation, flush: bool, ticks: u32) -> FloatUnit {
    FloatUnit::of(number, operation, flush, ticks).unwrap()
}

fn right(unit: FloatUnit, one: u32, other: u32) -> u32 {
    match unit.operation {
        Operation::Sum => floats::sum(unit.number, one, other, unit.flush),
        operation => floats::extreme(unit.number, one, other, operation == Operation::Max),
    }
}

/// Verilator's run-time library, as the first unit had it compiled.
static LIBRARY: Mutex<Vec<(&str, Vec<u8>)>> = Mutex::new(Vec::new());

/// Verilates a text of the module in a folder, for `sim` to play it; a mutant may leave signals unused.
fn verilate(folder: &Path, text: &str, clocks: u32, lint: &str) {
    std::fs::write(folder.join("unit.v"), text).unwrap();
    let objects = folder.join("obj_dir");
    std::fs::create_dir(&objects).unwrap();
    let kept = LIBRARY.lock().unwrap().clone();
    for (object, bytes) in &kept {
        std::fs::write(objects.join(object), bytes).unwrap();
    }
    let old: Vec<String> = kept.iter().map(|(object, _)| format!(" -MAKEFLAGS -o{object}")).collect();
    let what = format!(
        "--cc --exe --build {lint} --prefix Vunit --top-module unit -o sim -CFLAGS -DCLOCKS={clocks} -MAKEFLAGS OPT_FAST=-O1{}",
        old.concat()
    );
    let bench = project().join("sim/unit.cpp");
    let output =
        Command::new("verilator").args(what.split(' ')).arg("unit.v").arg(&bench).current_dir(folder).output().unwrap();
    let said = said(&output);
    assert!(output.status.success() && !said.contains("%Warning"), "{said}");
    if kept.is_empty() {
        let read = |object: &'static str| (object, std::fs::read(objects.join(object)).unwrap());
        *LIBRARY.lock().unwrap() = ["verilated.o", "verilated_threads.o"].map(read).to_vec();
    }
}

/// Compares outputs of a text of the module with the reference; what it says.
fn compared(unit: FloatUnit, text: &str, clocks: u32, cases: usize, lint: &str) -> (bool, String) {
    let folder = ScratchFolder::new().unwrap();
    verilate(folder.path(), text, clocks, lint);
    let mut child = Command::new(folder.path().join("obj_dir/sim"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = std::io::BufWriter::new(child.stdin.take().unwrap());
    for (one, other) in floats::pairs(unit.number, cases, 5) {
        for word in [one, other, right(unit, one, other)] {
            input.write_all(&word.to_ne_bytes()).unwrap();
        }
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    (output.status.success(), said(&output))
}

fn text(unit: FloatUnit) -> String {
    emit::unit(unit, "unit", "`tests`")
}

/// A sample, or all under `TORUSWEAVE_FULL`.
#[test]
fn the_adder_equals_an_independent_reference() {
    if toolchain().is_none() {
        return;
    }
    let all = [
        unit(Number::F32, Operation::Sum, false, 10),
        unit(Number::F32, Operation::Sum, true, MOST_TICKS),
        unit(Number::F32, Operation::Sum, false, 1),
        unit(Number::Bf16, Operation::Sum, false, 8),
        unit(Number::Bf16, Operation::Sum, true, 3),
        unit(Number::F16, Operation::Sum, false, 8),
        unit(Number::F16, Operation::Sum, true, 5),
    ];
    for unit in sampled(all, 7) {
        let cases = cases();
        let (is_right, said) = compared(unit, &text(unit), unit.ticks, cases, "-Wall");
        assert!(is_right && said.contains(&format!("{cases} compared, 0 wrong")), "{unit:?}: {said}");
        println!("{} in {} clocks, flush {}: {}", unit.number, unit.ticks, unit.flush, said.trim());
    }
}

/// A sample, or all under `TORUSWEAVE_FULL`.
#[test]
fn the_comparer_equals_an_independent_reference() {
    if toolchain().is_none() {
        return;
    }
    for (number, operation, ticks) in sampled(
        [(Number::F32, Operation::Max, 1), (Number::Bf16, Operation::Min, 2), (Number::F16, Operation::Max, 5)],
        2,
    ) {
        let unit = unit(number, operation, false, ticks);
        let (is_right, said) = compared(unit, &text(unit), ticks, cases() / 4, "-Wall");
        assert!(is_right && said.contains(", 0 wrong"), "{unit:?}: {said}");
    }
}

/// Rounding, the bit that remembers what was lost, the order of the operands, the place of the first digit, zeros, overflow, and a
/// clock more or less. A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn mutants_of_the_adder_are_caught() {
    if toolchain().is_none() {
        return;
    }
    let unit = unit(Number::F32, Operation::Sum, false, 4);
    let right = text(unit);
    let mutants = [
        ("a tie is always rounded up", "sum_9[2] & (sum_9[1] | sum_9[0] | sum_9[3])", "sum_9[2]"),
        ("nothing is rounded", "sum_9[2] & (sum_9[1] | sum_9[0] | sum_9[3])", "1'b0"),
        ("what is lost by ones is forgotten", "moved[0] | lost}", "moved[0]}"),
        ("what is lost by fours is forgotten", "wire lost = lost_4 | (", "wire lost = ("),
        ("what is lost by a carry is forgotten", "sum_6[1] | sum_6[0]}", "sum_6[1]}"),
        ("the order of the operands", "less_1 ? b_1 : a_1", "less_1 ? a_1 : b_1"),
        ("the sign of the larger", "less ? b[E+M] : a[E+M]", "a[E+M]"),
        ("the sign of zero", "(|sum_7) ? kind_7[1] : kind_7[0]", "kind_7[1]"),
        ("subnormal sums", "sum_9[S-1] ? exponent_9 : {(E+1){1'b0}}", "exponent_9"),
        ("where a sum must stop", "sum_6[S-2:0] | stop_6[S-2:0]", "sum_6[S-2:0]"),
        ("opposite infinities", "(a_top & b_top & opposite)", "1'b0"),
        ("overflow", "rounded_11[E+M] | (&rounded_11[E+M-1:M])", "rounded_11[E+M]"),
        ("far apart", "far_4 ? { {(S-1){1'b0}}, lost_4} : {moved", "{moved"),
    ];
    assert!(mutants.iter().all(|(_, from, _)| right.contains(from)));
    for (what, from, to) in sampled(mutants, 13) {
        let (is_right, said) = compared(unit, &right.replace(from, to), unit.ticks, 20_000, "-Wno-lint");
        assert!(!is_right && said.contains(" wrong"), "{what}: {said}");
    }
    for clocks in sampled([unit.ticks - 1, unit.ticks + 1], 2) {
        assert!(!compared(unit, &right, clocks, 20_000, "-Wall").0, "{clocks} clocks");
    }
}

/// A packet that is too short is told the fewest flits that will do, by one adder in a row.
#[test]
fn a_short_packet_is_told_how_many_flits_it_takes() {
    let place = Place::new();
    for (adder, flits) in [(1, 2), (3, 4), (5, 6)] {
        let design = "--path 5 --collective all-reduce --operation min --number f16 --scheme hamiltonian";
        let with = |flits: u32| place.run(&format!("check {design} --adder {adder} --flits {flits}"));
        let ended = with(flits - 1);
        assert!(ended.stderr.contains(&format!("with `link.flits: {flits}` it applies")), "{}", ended.stderr);
        assert_eq!(with(flits).code, 0);
    }
}

/// Other readers of Verilog find nothing wrong with it.
#[test]
fn the_units_are_clean_in_icarus_and_yosys() {
    let Some(yosys) = first_of(&["yosys"]) else { return };
    for (number, operation, flush, ticks) in [
        (Number::F32, Operation::Sum, false, 7),
        (Number::Bf16, Operation::Sum, true, 12),
        (Number::F16, Operation::Sum, false, 1),
        (Number::F16, Operation::Min, false, 3),
    ] {
        let folder = ScratchFolder::new().unwrap();
        std::fs::write(folder.path().join("unit.v"), text(unit(number, operation, flush, ticks))).unwrap();
        for (tool, arguments) in [
            ("iverilog", &["-g2005", "-Wall", "-o", "sim", "unit.v"][..]),
            (yosys, &["-q", "-p", "read_verilog unit.v; hierarchy -top unit; proc; opt; check -assert"]),
        ] {
            let output = Command::new(tool).args(arguments).current_dir(folder.path()).output().unwrap();
            assert!(output.status.success(), "{tool}: {}", said(&output));
            assert_eq!(said(&output), "", "{tool}, {number}");
        }
    }
}
