//! Reduce-scatter and all-reduce: programs of every scheme, read from their JSON alone and executed with integers; checked,
//! played, and beside their Verilog.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use torusweave::check::{self, Violation};
use torusweave::design::Design;
use torusweave::net::{NodeId, ShapeName};
use torusweave::paths::supply::Switching;
use torusweave::play::{Combiner, Payloads};
use torusweave::program::{ClassId, Entries, Number, Operand, Operands, Operation, Partial, Program, Source};
use torusweave::schemes::{
    SchemeName, hamiltonian::Hamiltonian, optimal::Optimal, staircase::Staircase, zigzag::Zigzag,
};
use torusweave::transform::reverse::{self, KeptPartials};

use crate::fixtures::called::PYTHON;
use crate::fixtures::command::Place;
use crate::fixtures::designs::{self, Folder, design_on, woven};
use crate::fixtures::judge::judged;
use crate::fixtures::mutants::wrong_operands;
use crate::fixtures::ranges::{quick_or_full, sampled};
use crate::fixtures::tools::{call, edited, equals_the_model, has, play, toolchain};

/// Returns true if the model combines every value rightly.
pub fn is_played_right(program: &Program) -> bool {
    let width = program.reduction.as_ref().unwrap().number.width().unwrap_or(40);
    let mut combiner = Combiner::new(program, Payloads { width, seed: 3 }).unwrap();
    while !combiner.is_done() {
        combiner.step();
    }
    combiner.is_right()
}

/// A config in short: `staircase none all-reduce sum 2`, the last its flits; after that the latency of its links.
pub fn design(shape: ShapeName, sides: &[u32], config: &str) -> Design {
    let fields = ["scheme", "switching", "collective", "operation", "link.flits", "link.latency"];
    let settings: Vec<String> =
        fields.iter().zip(config.split(' ')).map(|(field, it)| format!("{field}={it}")).collect();
    design_on(shape, sides, &settings.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn sums_are_right_and_without_pruning_wrong() {
    if !has(PYTHON) {
        return;
    }
    let gather = woven(&[6, 8], &Zigzag, Switching::None);
    let one = reverse::reversed(&gather, Operation::Sum, KeptPartials::One);
    assert_eq!(judged(&one), Ok(()));
    assert!(check::by_execution(&one).passed() && is_played_right(&one));
    for operation in Operation::ALL {
        let every = reverse::reversed(&gather, operation, KeptPartials::Every);
        let report = check::by_execution(&every);
        let is_right = operation.is_idempotent();
        assert_eq!(judged(&every).is_ok(), is_right, "{operation}");
        assert_eq!(report.passed(), is_right, "{operation}: {:?}", report.violations.first());
        assert_eq!(is_played_right(&every), is_right, "{operation}");
    }
}

#[test]
fn every_scheme_reduces_and_all_reduces() {
    if !has(PYTHON) {
        return;
    }
    let cases: [(ShapeName, &[u32], &str); 16] = [
        (ShapeName::Torus, &[6, 8], "staircase none"),
        (ShapeName::Torus, &[6, 7], "staircase none"),
        (ShapeName::Torus, &[6, 7], "staircase memory"),
        (ShapeName::Torus, &[6, 7], "staircase periodic"),
        (ShapeName::Torus, &[3, 4], "hamiltonian none"),
        (ShapeName::Torus, &[7, 7], "hamiltonian none"),
        (ShapeName::Torus, &[3, 3, 4], "hamiltonian none"),
        (ShapeName::Mesh, &[4, 5], "hamiltonian none"),
        (ShapeName::Cycle, &[7], "hamiltonian none"),
        (ShapeName::Torus, &[6, 8], "zigzag none"),
        (ShapeName::Torus, &[6, 8], "zigzag memory"),
        (ShapeName::Torus, &[6, 8], "zigzag periodic"),
        (ShapeName::Torus, &[7, 7], "zigzag none"),
        (ShapeName::Torus, &[8, 8], "optimal none"),
        (ShapeName::Torus, &[2, 3, 4], "optimal none"),
        (ShapeName::Torus, &[3, 3, 2, 2], "optimal none"),
    ];
    for (shape, sides, scheme) in cases {
        for rest in ["reduce-scatter sum 1", "reduce-scatter max 3", "all-reduce xor 2", "all-reduce and 1"] {
            let config = format!("{scheme} {rest}");
            let design = design(shape, sides, &config);
            let program = &design.program;
            assert_eq!(judged(program), Ok(()), "{sides:?} {config}");
            let report = check::by_execution(program);
            assert!(report.passed(), "{sides:?} {config}: {:?}", report.violations.first());
            assert!(u64::from(report.complete_at.unwrap()) >= design.bound().ticks, "{sides:?} {config}");
            assert!(is_played_right(program), "{sides:?} {config}");
        }
    }
}

/// The ticks of all-reduce, twice those of the gossip and one of silence between.
#[test]
fn all_reduce_takes_the_gossip_twice_and_a_tick() {
    let ticks = |sides: &[u32], scheme: &str| {
        let program = design(ShapeName::Torus, sides, &format!("{scheme} none all-reduce sum")).program;
        let report = check::by_execution(&program);
        assert!(report.passed(), "{sides:?} {scheme}: {:?}", report.violations.first());
        assert_eq!(report.complete_at, Some(program.ticks), "{sides:?} {scheme}");
        program.ticks
    };
    let found = [ticks(&[8, 8], "optimal"), ticks(&[16, 16], "optimal"), ticks(&[6, 8], "staircase")];
    assert_eq!(found, [33, 129, 49]);
    assert_eq!([ticks(&[3, 3, 4], "hamiltonian"), ticks(&[4, 4, 4], "hamiltonian")], [37, 65]);
    assert_eq!(ticks(&[6, 8], "zigzag"), 43);
}

/// Classes of the gossip, classes of the reduce-scatter, the most operands, the largest age.
#[test]
fn classes_operands_and_ages_are_those_that_were_measured() {
    type Case = (&'static [u32], SchemeName, Switching, [usize; 4]);
    let (none, memory) = (Switching::None, Switching::Memory);
    let cases: [Case; 13] = [
        (&[6, 8], (&Staircase).into(), none, [2, 2, 2, 1]),
        (&[6, 7], (&Staircase).into(), none, [3, 3, 4, 16]),
        (&[6, 7], (&Staircase).into(), memory, [3, 3, 4, 14]),
        (&[6, 7], (&Hamiltonian).into(), none, [12, 12, 2, 1]),
        (&[3, 3, 4], (&Hamiltonian).into(), none, [33, 33, 2, 1]),
        (&[4, 4, 4], (&Hamiltonian).into(), none, [44, 44, 2, 1]),
        (&[5, 5, 4], (&Hamiltonian).into(), none, [53, 54, 2, 1]),
        (&[4, 6, 5], (&Hamiltonian).into(), none, [46, 47, 2, 1]),
        (&[6, 8], (&Zigzag).into(), none, [2, 8, 4, 11]),
        (&[7, 7], (&Zigzag).into(), none, [15, 49, 4, 11]),
        (&[8, 8], (&Optimal).into(), none, [1, 1, 4, 1]),
        (&[16, 16], (&Optimal).into(), none, [1, 1, 4, 1]),
        (&[4, 4, 4, 4], (&Optimal).into(), none, [1, 1, 5, 27]),
    ];
    let found = cases.map(|(sides, scheme, switching, _)| {
        let gather = woven(sides, scheme, switching);
        let reduced = reverse::reduction(&gather, Operation::Sum);
        let runs = reduced.classes.iter().flat_map(|class| &class.outputs).flat_map(|track| &track.runs);
        let operands = |source| if let Source::Sum { operands } = source { Some(operands) } else { None };
        let sums: Vec<Vec<Operand>> = runs.filter_map(|run| Some(operands(run.source)?.iter().collect())).collect();
        let most = sums.iter().map(|operands| operands.len() + 1).max().unwrap_or(0);
        let age = sums.iter().flatten().map(|operand| operand.age as usize).max().unwrap_or(0);
        (sides, scheme, switching, [gather.classes.len(), reduced.classes.len(), most, age])
    });
    assert_eq!(found, cases);
}

/// Mutants that every check must find: each duplicate put back, each operand dropped, each age off by one.
#[test]
fn mutants_are_caught_by_every_check() {
    if !has(PYTHON) {
        return;
    }
    let gather = woven(&[4, 6], &Zigzag, Switching::None);
    let duplicates = (0..).map_while(|n| reverse::with_a_duplicate(&gather, Operation::Sum, n));
    let duplicates = duplicates.enumerate().map(|(n, mutant)| (format!("duplicate {n}"), mutant));
    let right = reverse::reduction(&gather, Operation::Sum);
    let of_floats = |mut program: Program| {
        Arc::make_mut(program.reduction.as_mut().unwrap()).number = Number::F32;
        program
    };
    assert!(is_played_right(&of_floats(right.clone())));
    let mut tried = 0;
    for (what, mutant) in duplicates.chain(wrong_operands(&right)) {
        assert!(!check::by_execution(&mutant).passed(), "check: {what}");
        assert!(judged(&mutant).is_err(), "from its JSON: {what}");
        assert!(!is_played_right(&mutant), "model: {what}");
        assert!(!is_played_right(&of_floats(mutant)), "model, floats: {what}");
        tried += 1;
    }
    println!("{tried} mutants caught by check, by the model and from their JSON");
    assert!(tried > 100);
}

/// Files in place of a design's own: its testbench fails with each, and so does every so many of them in lockstep.
pub fn are_caught_in_place(right: &Program, mutants: &[(String, BTreeMap<String, String>)], apart: usize) {
    if has("iverilog") {
        for (what, files) in mutants {
            let folder = Folder::with(right, 32);
            for (path, text) in files {
                fs::write(folder.path().join(path), text).unwrap();
            }
            let printed = play(&folder, &right.title.name);
            assert!(printed.contains("FAIL tick "), "{what}: {printed}");
        }
    }
    let Some(tools) = toolchain() else { return };
    for (what, files) in mutants.iter().step_by(apart) {
        let swap = |path: &str, text: String| files.get(path).cloned().unwrap_or(text);
        let simulator = edited(&tools, right, &designs::options(8), None, &swap).unwrap();
        assert!(simulator.play(7).unwrap().is_err(), "{what}");
    }
}

/// The Verilog of a wrong program beside the right one.
#[test]
fn mutants_are_caught_by_testbench_and_lockstep() {
    let gather = woven(&[4, 6], &Zigzag, Switching::None);
    let right = reverse::reduction(&gather, Operation::Sum);
    let mut swapped = right.clone();
    Arc::make_mut(swapped.reduction.as_mut().unwrap()).operation = Operation::Xor;
    let mut mutants = vec![("another operation".to_owned(), swapped)];
    let wrong = wrong_operands(&right);
    let apart = wrong.len() / quick_or_full(5, 12);
    mutants.extend(wrong.into_iter().step_by(apart));
    mutants.extend(
        [0, 5].map(|n| ("a duplicate".to_owned(), reverse::with_a_duplicate(&gather, Operation::Sum, n).unwrap())),
    );
    let mutants = mutants.iter().map(|(what, mutant)| (what.clone(), designs::rtl_in_place_of(mutant, &right)));
    are_caught_in_place(&right, &mutants.collect::<Vec<_>>(), 7);
}

/// The LUTs that yosys makes of the largest router.
fn luts(program: &Program) -> u64 {
    let folder = Folder::with(program, 32);
    let of_class = |class| {
        let module = format!("{}_router_{}", program.title.name, program.class_name(ClassId(class as u32)));
        let script = format!("read_verilog {module}.v; synth_ice40 -top {module}; tee -q -o stat.txt stat");
        let (success, said) = call(&folder, "yosys", &["-q", "-p", &script]);
        assert!(success, "{said}");
        let stat = std::fs::read_to_string(folder.path().join("stat.txt")).unwrap();
        let line = stat.lines().find(|line| line.contains("SB_LUT4")).expect("there are LUTs");
        line.split_whitespace().find_map(|word| word.parse::<u64>().ok()).expect("as many as it says")
    };
    (0..program.classes.len()).map(of_class).max().unwrap()
}

/// An adder takes the place of a multiplexer, and both parts of an all-reduce share it: no adder beside a multiplexer.
#[test]
fn a_router_that_combines_takes_no_more_luts() {
    if !has("yosys") {
        return;
    }
    let luts = |config: &str| luts(&design(ShapeName::Torus, &[6, 8], &format!("staircase none {config}")).program);
    let gather = luts("gossip");
    let found = ["reduce-scatter sum", "all-reduce sum", "all-reduce xor", "all-reduce max"].map(luts);
    println!("gather {gather}; reduce-scatter sum, all-reduce sum, xor, max {found:?}");
    // all-reduce says when own values are taken, to each output by itself; comparing takes a carry chain beside the multiplexer
    let [reduce, sum, xor, max] = found;
    assert!(reduce <= gather && sum.max(xor) <= gather + 4 && max < 3 * gather, "gather {gather}, others {found:?}");
}

#[test]
fn malformed_reductions_are_reported() {
    let right = design(ShapeName::Torus, &[4, 4], "staircase none all-reduce sum").program;
    let spoilt = |spoil: &dyn Fn(&mut Program)| {
        let mut program = right.clone();
        spoil(&mut program);
        check::by_execution(&program).violations
    };
    let first = |program: &mut Program, source| program.classes[0].outputs[0].runs[0].source = source;
    let found = spoilt(&|program| first(program, Source::own(0)));
    assert!(matches!(found[..], [Violation::Part { class: 0, tick: 1, .. }]), "{found:?}");
    let found = spoilt(&|program| program.reduction = None);
    assert!(matches!(found[0], Violation::Part { .. }), "{found:?}");
    let results = |program: &mut Program, change: &dyn Fn(&mut Vec<Operands>)| {
        change(&mut Arc::make_mut(program.reduction.as_mut().unwrap()).results[1]);
    };
    let found = spoilt(&|program| results(program, &|results| results.truncate(1)));
    assert_eq!(found, [Violation::Results { class: 1 }]);
    let found = spoilt(&|program| results(program, &|results| results[0] = Operands::of([])));
    assert!(found.iter().any(|it| matches!(it, Violation::NotCombined { packet: 0, .. })), "{found:?}");
    let found = spoilt(&|program| {
        let Entries::Nodes(nodes) = &mut Arc::make_mut(program.reduction.as_mut().unwrap()).order.entries else {
            panic!("cycles name what begins, node by node")
        };
        nodes[3][0].push(None);
    });
    assert!(matches!(found[..], [Violation::Entries { .. }]), "{found:?}");
    let begins = |begun| {
        spoilt(&|program| {
            let order = &mut Arc::make_mut(program.reduction.as_mut().unwrap()).order;
            let Entries::Nodes(nodes) = &mut order.entries else { panic!("cycles name what begins, node by node") };
            *nodes.iter_mut().flatten().flatten().next().unwrap() = begun;
        })
    };
    for (node, packet) in [(16, 0), (3, 9)] {
        assert_eq!(
            begins(Some(Partial { node: NodeId(node), packet })),
            begins(None),
            "what is not there is not begun"
        );
    }
    assert!(!check::by_structure(&right).passed() && !check::by_streams(&right).passed());
}

#[test]
fn unsupported_settings_of_reductions_are_refused_with_a_cure() {
    let cases = [
        ("check --torus 6x8 --collective reduce-scatter", "say `operation: sum`"),
        ("check --torus 6x8 --operation sum", "`collective: reduce`, `reduce-scatter` or `all-reduce`"),
        ("check --torus 6x8 --collective reduce", "say `operation: sum`"),
        ("check --torus 6x8 --collective reduce --operation sum --scheme staircase", "`scheme: auto` would take"),
        ("export --torus 4x4 --collective reduce --operation sum --to rccl", "or read program.json"),
        ("check --torus 6x8 --collective all-reduce --operation sum --duplex half", "leave `link.duplex` out"),
        ("check --torus 6x8 --collective all-reduce --operation sum --root 1,1", "leave `root` out"),
        ("check --torus 7x7 --collective all-reduce --operation sum --scheme staircase", "the nearest sizes are"),
        ("prove --torus 6x8 --collective all-reduce --operation sum --part whole", "leave --part out"),
        ("draw --torus 6x8 --collective all-reduce --operation sum --what waves", "say --what tree, links"),
        ("check --torus 300x300 --collective all-reduce --operation sum", "choose a smaller network"),
    ];
    let place = Place::new();
    for (command, help) in cases {
        let ended = place.run(command);
        assert_eq!(ended.code, 2, "{command}: {}", ended.stderr);
        assert!(ended.stderr.contains(help), "{command}: {}", ended.stderr);
    }
    let ended = place.run("simulate --torus 6x8 --collective all-reduce --operation max --flits 2");
    assert_eq!((ended.code, ended.stdout.contains("every node's values are combined")), (0, true), "{}", ended.stdout);
}

const SCHEMES: [(&[u32], &str); 5] = [
    (&[4, 6], "staircase none"),
    (&[4, 5], "staircase memory"),
    (&[3, 4], "hamiltonian none"),
    (&[4, 6], "zigzag none"),
    (&[4, 5], "optimal none"),
];

/// Every scheme with every operation that differs in hardware, in both collectives, in packets of one, two and three flits.
fn to_play() -> Vec<(String, Design)> {
    let operations = ["sum", "max", "xor", "min", "and", "or"];
    let mut designs = Vec::new();
    for (row, (sides, scheme)) in SCHEMES.into_iter().enumerate() {
        // all of the first scheme, the three that differ most of others
        for (column, operation) in operations.iter().enumerate().take(if row == 0 { 6 } else { 3 }) {
            let collective = ["reduce-scatter", "all-reduce"][(row + column) % 2];
            let config = format!("{scheme} {collective} {operation} {}", 1 + (row + 2 * column) % 3);
            designs.push((format!("{sides:?} {config}"), design(ShapeName::Torus, sides, &config)));
        }
    }
    designs
}

/// The testbench of each agrees with its Verilog.
pub fn pass_in_icarus(designs: impl IntoIterator<Item = (String, Design)>) {
    if !has("iverilog") {
        return;
    }
    for (what, Design { program, .. }) in designs {
        let printed = play(&Folder::with_options(&program, &designs::options(32)), &program.title.name);
        assert!(printed.starts_with("PASS "), "{what}: {printed}");
    }
}

#[test]
fn icarus_agrees_with_the_model() {
    pass_in_icarus(sampled(to_play(), 8));
}

/// Nearly all of the time is the C++ compiler's: most designs only on demand.
#[test]
fn lockstep_agrees_with_the_model() {
    let Some(tools) = toolchain() else { return };
    for (what, Design { program, .. }) in sampled(to_play(), 4) {
        equals_the_model(&tools, &what, &program, &designs::options(70));
    }
}
