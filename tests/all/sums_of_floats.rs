//! Reductions of floats: Verilog, model, `reduce` and somebody who has only program.json have the same bits.

use std::process::Command;

use torusweave::check;
use torusweave::design::Design;
use torusweave::net::{NodeId, ShapeName};
use torusweave::play::{Combiner, Payloads, Values};
use torusweave::program::{Number, Operands, Program, Source};
use torusweave::study::roundings;

use crate::fixtures::called::PYTHON;
use crate::fixtures::command::{Place, project};
use crate::fixtures::designs::{Folder, design_on};
use crate::fixtures::floats;
use crate::fixtures::judge::reduced;
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{edited, equals_the_model, has, play, toolchain};

/// A config in short: `f32 sum all-reduce staircase 16 3`, the last its flits and the ticks of its adders.
fn design(shape: ShapeName, sides: &[u32], config: &str) -> Design {
    let fields = ["number", "operation", "collective", "scheme", "link.flits", "adder"];
    let mut settings: Vec<String> =
        fields.iter().zip(config.split(' ')).map(|(field, it)| format!("{field}={it}")).collect();
    if config.ends_with("flush") {
        settings.push("flush=true".into());
    }
    design_on(shape, sides, &settings.iter().map(String::as_str).collect::<Vec<_>>())
}

const DESIGNS: [(ShapeName, &[u32], &str); 10] = [
    (ShapeName::Torus, &[4, 4], "f32 sum all-reduce staircase 8 3"),
    (ShapeName::Torus, &[3, 5], "bf16 sum all-reduce hamiltonian 4 2 flush"),
    (ShapeName::Torus, &[4, 6], "f16 sum all-reduce optimal 1 2"),
    (ShapeName::Torus, &[4, 4], "f32 sum reduce-scatter optimal 3 5"),
    (ShapeName::Mesh, &[3, 4], "f32 sum all-reduce hamiltonian 5 4 flush"),
    (ShapeName::Torus, &[3, 4], "f32 max all-reduce hamiltonian 2 1"),
    (ShapeName::Torus, &[4, 4], "bf16 min all-reduce zigzag 7 3"),
    (ShapeName::Torus, &[3, 3, 3], "bf16 sum all-reduce optimal 1 1"),
    (ShapeName::Cycle, &[7], "f16 max reduce-scatter hamiltonian 3 2"),
    (ShapeName::Torus, &[6, 7], "f32 sum all-reduce staircase 23 11"),
];

/// Values of every node for every word, as drawn for a run.
fn drawn(program: &Program, width: u32, seed: u64) -> Vec<Vec<u64>> {
    let values = Values::drawn(program, Payloads { width, seed });
    let of = |node| (0..program.demand.flits() as u32).map(|flit| values.of(node, flit)[0]).collect();
    program.topology.node_ids().map(of).collect()
}

/// Results of the model.
fn combined(program: &Program, width: u32, values: &[Vec<u64>]) -> Vec<u64> {
    let mut combiner = Combiner::with(program, Values::given(program, width, values.concat())).unwrap();
    while !combiner.is_done() {
        combiner.step();
    }
    (0..program.demand.flits() as u32).map(|flit| combiner.result(NodeId(0), flit)[0]).collect()
}

#[test]
fn readers_of_the_json_have_the_bits_of_the_model() {
    if !has(PYTHON) {
        return;
    }
    for (shape, sides, config) in DESIGNS {
        let program = design(shape, sides, config).program;
        let report = check::by_execution(&program);
        assert!(report.passed(), "{config}: {:?}", report.violations.first());
        let read = Program::from_json(&program.json()).unwrap();
        assert!(read == program, "{config} is read back as another program");
        let width = program.reduction.as_ref().unwrap().number.width().unwrap();
        for seed in 0..3 {
            let values = drawn(&program, width, seed);
            let read = reduced(&program, &values);
            assert_eq!(read.unwrap(), combined(&program, width, &values), "{config}, seed {seed}");
        }
    }
}

/// Structure and execution agree on what adders make longer.
#[test]
fn programs_that_adders_make_longer_are_certified_where_all_nodes_are_alike() {
    for config in
        ["f32 sum all-reduce optimal 1 4", "f32 sum reduce-scatter optimal 5 3", "f32 sum all-reduce optimal 16 3"]
    {
        let program = design(ShapeName::Torus, &[5, 5], config).program;
        let (executed, certified) = (check::by_execution(&program), check::by_structure(&program));
        assert!(executed.passed() && certified.passed(), "{config}: {:?}", certified.violations.first());
        assert_eq!(executed.complete_at, certified.complete_at, "{config}");
    }
}

#[test]
fn the_verilog_of_floats_equals_the_model() {
    let Some(tools) = toolchain() else { return };
    for (shape, sides, config) in sampled(&DESIGNS[..7], 2) {
        let design = design(*shape, sides, config);
        equals_the_model(&tools, config, &design.program, &design.options());
    }
}

#[test]
fn the_testbench_of_floats_passes_under_icarus() {
    if !has("iverilog") {
        return;
    }
    for (shape, sides, config) in [DESIGNS[1], DESIGNS[2]] {
        let design = design(shape, sides, config);
        let folder = Folder::with_options(&design.program, &design.options());
        let printed = play(&folder, &design.program.title.name);
        assert!(printed.starts_with("PASS "), "{config}: {printed}");
    }
}

/// A bit that rounds, one that remembers, operands in another order, an adder a clock faster, a sum taken a tick early.
#[test]
fn mutants_of_fabrics_of_floats_are_caught() {
    let Some(tools) = toolchain() else { return };
    let design = design(ShapeName::Torus, &[4, 4], "bf16 sum all-reduce optimal 8 2");
    let mutants = [
        ("rounding", "_combine.v", "sum_9[2] & (sum_9[1] | sum_9[0] | sum_9[3])", "sum_9[2]"),
        ("what is lost", "_combine.v", "moved[0] | lost}", "moved[0]}"),
        ("the order of operands", "_router_", ".b(t_operand_1)", ".b(t_operand_2)"),
        ("another operand", "_router_", "t_pick_1 == ", "t_pick_1 != "),
        ("what is gathered", "_router_", "case (t_from)", "case (~t_from)"),
    ];
    let mut seen = 0;
    for (what, file, from, to) in mutants {
        let edit = |path: &str, text: String| if path.contains(file) { text.replacen(from, to, 1) } else { text };
        let simulator = edited(&tools, &design.program, &design.options(), None, &edit).unwrap();
        let outcome = simulator.play(7).unwrap();
        let changes = emitted(&design).iter().any(|(path, text)| path.contains(file) && text.contains(from));
        seen += usize::from(changes);
        assert!(!changes || outcome.is_err(), "{what} is not caught");
    }
    assert!(seen >= 4, "only {seen} mutants change anything");
    // an adder of another number of clocks
    let faster = self::design(ShapeName::Torus, &[4, 4], "bf16 sum all-reduce optimal 8 1");
    let unit = emitted(&faster).into_iter().find(|(path, _)| path.contains("_combine.v")).unwrap().1;
    let edit = |path: &str, text: String| if path.contains("_combine.v") { unit.clone() } else { text };
    let simulator = edited(&tools, &design.program, &design.options(), None, &edit).unwrap();
    assert!(simulator.play(7).unwrap().is_err(), "an adder a clock faster");
}

/// The count of leading zeros, bits that are lost, the rounding bit: benches of fabrics, of nodes and of designs try the adder alone,
/// with numbers that cancel, are subnormal or lie halfway.
#[test]
fn benches_of_floats_catch_mutants_of_the_adder() {
    if !has("iverilog") {
        return;
    }
    let place = Place::new();
    let settings = "number: f16\nadder: 2\nlink: { width: 16 }\n";
    let one = format!("topology: {{ torus: [2, 3] }}\ncollective: all-reduce\noperation: sum\n{settings}");
    place.write("fabric.yaml", format!("name: fabric\n{one}"));
    place.write("nodes.yaml", format!("name: nodes\n{one}local: {{ order: origin }}\n"));
    let list = "programs:\n  - { collective: all-reduce, operation: sum }\n";
    place.write(
        "calls.yaml",
        format!("name: calls\ntopology: {{ torus: [2, 3] }}\n{settings}host: {{ bus: ring }}\n{list}"),
    );
    let zeros = "~probe[15] & (probe[14] | ~probe[13])";
    let mutants = [
        (zeros, "~probe[15] | (probe[14] | ~probe[13])"),
        (zeros, "~probe[15] & (probe[14] & ~probe[13])"),
        ("~(|probe[7:6])", "(|probe[7:6])"),
        ("sum_9[2] & (sum_9[1]", "sum_9[2] | (sum_9[1]"),
        ("distance_3 = exponent - below", "distance_3 = exponent + below"),
    ];
    for (name, list, bench) in [
        ("fabric", "fabric.f", "fabric_tb"),
        ("nodes", "nodes_system.f", "nodes_system_tb"),
        ("calls", "calls.f", "calls_tb"),
    ] {
        let ended = place.run(&format!("generate {name}.yaml --out {name}"));
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let folder = place.path().join(name);
        let play = || {
            let line = format!("iverilog -g2005 -Wall -o sim -f {list} tb/{bench}.v && vvp -n sim");
            let output = Command::new("sh").args(["-c", &line]).current_dir(&folder).output().unwrap();
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
        };
        let printed = play();
        assert!(printed.starts_with("PASS "), "{name}: {printed}");
        let path = folder.join(format!("{name}_combine.v"));
        let good = std::fs::read_to_string(&path).unwrap();
        // the fabric's bench with all of them, the others with the first
        for (right, wrong) in mutants.into_iter().take(if name == "fabric" { mutants.len() } else { 1 }) {
            assert!(good.contains(right), "`{right}` is not there");
            std::fs::write(&path, good.replace(right, wrong)).unwrap();
            let printed = play();
            assert!(printed.contains("FAIL ") && printed.contains(" + "), "{name}: `{wrong}`: {printed}");
        }
    }
}

fn emitted(design: &Design) -> Vec<(String, String)> {
    let mut files = torusweave::emit::MemoryFiles::default();
    torusweave::emit::write_rtl(&design.program, &design.options(), &mut files).unwrap();
    files.0.into_iter().map(|(path, text)| (path, String::from_utf8(text).unwrap())).collect()
}

/// The order of operands is part of the program: with another one some bits are others.
#[test]
fn another_order_of_operands_is_another_sum() {
    if !has(PYTHON) {
        return;
    }
    let right = design(ShapeName::Torus, &[4, 4], "f32 sum reduce-scatter optimal 8 1").program;
    let mut other = right.clone();
    let mut swapped = 0;
    for run in other.classes.iter_mut().flat_map(|class| &mut class.outputs).flat_map(|track| &mut track.runs) {
        if let Source::Sum { operands } = run.source
            && operands.iter().len() > 1
        {
            run.source = Source::Sum { operands: Operands::of(operands.iter().collect::<Vec<_>>().into_iter().rev()) };
            swapped += 1;
        }
    }
    assert!(swapped > 0 && check::by_execution(&other).passed());
    let values = drawn(&right, 32, 0);
    assert_ne!(combined(&right, 32, &values), combined(&other, 32, &values));
    let read = reduced(&other, &values);
    assert_eq!(read.unwrap(), combined(&other, 32, &values), "what is read is in the order in which it is listed");
}

/// Every sum of plain data is as close to the exact one as `check` says.
#[test]
fn sums_are_as_close_as_is_said() {
    for (number, unit) in [(Number::F32, 24), (Number::Bf16, 8), (Number::F16, 11)] {
        for scheme in ["staircase", "hamiltonian", "zigzag", "optimal"] {
            let flits = if scheme == "optimal" { 1 } else { 7 };
            let design = design(ShapeName::Torus, &[8, 8], &format!("{number} sum reduce-scatter {scheme} {flits} 3"));
            let program = &design.program;
            let depth = roundings::depth(program).unwrap();
            let width = number.width().unwrap();
            let mut bits = floats::Bits::new(3);
            let top = number.read("1", width).unwrap();
            // between 1/2 and 1 and of both signs: nothing overflows
            let mut value = || {
                let below =
                    number.read("0.5", width).unwrap() + bits.next() % (top - number.read("0.5", width).unwrap());
                below | (bits.next() & 1) << (width - 1)
            };
            let each = program.demand.flits();
            let values: Vec<Vec<u64>> =
                program.topology.node_ids().map(|_| (0..each).map(|_| value()).collect()).collect();
            let (mut worst, mut squares) = (0.0f64, 0.0);
            for (word, &sum) in combined(program, width, &values).iter().enumerate() {
                let exact: f64 = values.iter().map(|of| floats::value(number, of[word] as u32)).sum();
                let sizes: f64 = values.iter().map(|of| floats::value(number, of[word] as u32).abs()).sum();
                let off = (floats::value(number, sum as u32) - exact).abs() / sizes * 2f64.powi(unit);
                assert!(off <= f64::from(depth) * 1.2, "{number}, {scheme}: {off} units, {depth} roundings");
                worst = worst.max(off);
                squares += off * off;
            }
            let mean = (squares / each as f64).sqrt();
            println!(
                "8x8 {scheme} {number}: {depth} roundings, worst {worst:.3}, root mean square {mean:.3} units of 2^-{unit}"
            );
            assert!(worst > 0.0 && depth >= 6, "{scheme}: {depth} roundings of 64 values");
        }
    }
}

/// 4096 floats on 4x4: what adders cost with long packets, and what without.
#[test]
fn long_packets_hide_the_adders() {
    let ticks = |number: &str, more: &[&str]| {
        let number = format!("number={number}");
        let settings =
            [&["collective=all-reduce", "operation=sum", "scheme=staircase", "link.flits=128", &number], more];
        design_on(ShapeName::Torus, &[4, 4], &settings.concat()).program.ticks
    };
    let (integers, floats) = (ticks("i32", &[]), ticks("f32", &[]));
    println!("4x4 staircase, 128 flits: {integers} ticks of integers, {floats} of floats");
    assert!(
        floats > integers && f64::from(floats) < 1.03 * f64::from(integers),
        "{floats} ticks, {integers} of integers"
    );
}

/// Twenty million values, where a few are wanted, with a quarter of a gigabyte of addresses.
#[test]
#[cfg(target_os = "linux")]
fn values_are_counted_without_being_kept() {
    let place = Place::new();
    place.write("values", "0 ".repeat(20_000_000));
    let line = "ulimit -v 250000; exec \"$0\" reduce --cycle 3 --collective all-reduce --operation sum --values values";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", line, crate::fixtures::command::TORUSWEAVE]).current_dir(place.path());
    let ended = crate::fixtures::command::Ended::from(command.output().unwrap());
    assert!(ended.code == 2 && ended.stderr.contains("20000000 values where 3 nodes have"), "{}", ended.stderr);
    place.write("values", "# three of each\n1 2 3# of node 0\n4,5;6\n#\n7\t8 9\r\n");
    let right = place.run("reduce --cycle 3 --collective all-reduce --operation sum --values values");
    assert_eq!(right.stdout, "0x0000000c 12\n0x0000000f 15\n0x00000012 18\n", "{}", right.stderr);
    place.write("values", "1 2 3\n\n# 4\n4 5 six");
    let wrong = place.run("reduce --cycle 3 --collective all-reduce --operation sum --values values");
    assert!(wrong.stderr.contains("line 4: `six` is no "), "{}", wrong.stderr);
}

#[test]
fn reduce_adds_in_the_order_of_the_program() {
    if !has(PYTHON) {
        return;
    }
    let place = Place::new();
    let design = design(ShapeName::Torus, &[3, 4], "f32 sum all-reduce hamiltonian 3 1");
    let values = drawn(&design.program, 32, 5);
    let lines: Vec<String> = values
        .iter()
        .map(|of| of.iter().map(|bits| Number::hexadecimal(*bits, 32)).collect::<Vec<_>>().join(" ") + " # a node")
        .collect();
    place.write("values.txt", lines.join("\n"));
    let config =
        "--torus 3x4 --collective all-reduce --operation sum --number f32 --scheme hamiltonian --flits 3 --adder 1";
    let ended = place.run(&format!("reduce {config} --values values.txt"));
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let printed = ended.stdout;
    let bits: Vec<u64> = printed
        .lines()
        .map(|line| u64::from_str_radix(line.split(' ').next().unwrap().trim_start_matches("0x"), 16).unwrap())
        .collect();
    assert_eq!(bits, combined(&design.program, 32, &values));
    assert_eq!(bits, reduced(&design.program, &values).unwrap());
    // the schedule decides the order, not the ticks that an adder takes
    let slower = place.run(&format!("reduce {} --values values.txt", config.replace("--adder 1", "--adder 2"))).stdout;
    assert_eq!(slower, printed);
    let ended = place.run(&format!("simulate {config}"));
    let is_said = ended.stdout.ends_with("; every node's values are combined\n");
    assert!(ended.code == 0 && is_said, "{}{}", ended.stdout, ended.stderr);
}

/// Rows of docs/tables/sums.md are measured anew, and all of them stay far below their bounds.
#[test]
fn the_measured_errors_are_those_of_the_table_and_below_a_tenth_of_the_bound() {
    let table = std::fs::read_to_string(project().join("docs/tables/sums.md")).unwrap();
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(rows.len(), 15);
    for row in &rows {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [depth, worst] = [cells[2], cells[4]].map(|cell| cell.parse::<f64>().unwrap());
        assert!(worst > 0.0 && 10.0 * worst < depth, "{row}");
    }
    if !has("python3") {
        return;
    }
    for (scheme, number) in [("staircase", "bf16"), ("general", "f32")] {
        let script = project().join("sim/sums.py");
        let mut command = Command::new("python3");
        let output = command.arg(script).args([env!("CARGO_BIN_EXE_torusweave"), scheme, number]).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && rows.contains(&printed.trim_end()), "{printed}");
    }
}
