//! Reductions on links on which a flit is on its way for some ticks: read from their JSON alone, checked, played, and beside
//! their Verilog.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use torusweave::check;
use torusweave::design::Design;
use torusweave::net::ShapeName;
use torusweave::paths::supply::Switching;
use torusweave::program::{Operation, Program, Source};
use torusweave::schemes::zigzag::Zigzag;
use torusweave::tools::lockstep;
use torusweave::transform::reverse;

use crate::fixtures::called::PYTHON;
use crate::fixtures::designs::{self, Folder, woven};
use crate::fixtures::judge::judged;
use crate::fixtures::mutants::wrong_operands;
use crate::fixtures::ranges::{quick_or_full, sampled, sparsely_sampled};
use crate::fixtures::tools::{call, has, toolchain};
use crate::reduce::{are_caught_in_place, design, is_played_right, pass_in_icarus};

const SCHEMES: [(&[u32], &str); 6] = [
    (&[4, 6], "staircase none"),
    (&[4, 5], "staircase memory"),
    (&[3, 4], "hamiltonian none"),
    (&[4, 6], "zigzag memory"),
    (&[6, 6], "zigzag periodic"),
    (&[3, 4], "optimal none"),
];

const LATENCIES: [u32; 3] = [1, 3, 8];

/// The fewest flits per packet: a scheme that sends on what has just come in needs as many as a link has ticks.
fn flits(scheme: &str, latency: u32) -> u32 {
    if scheme.starts_with("optimal") { 1 } else { latency }
}

/// Every scheme on links of every latency, by every operation that differs in hardware.
pub fn to_play() -> impl Iterator<Item = (String, Design)> {
    let all = SCHEMES.into_iter().enumerate().flat_map(|(row, scheme)| LATENCIES.map(|latency| (row, scheme, latency)));
    all.flat_map(|(row, (sides, scheme), latency)| {
        [(0, "sum"), (1, "max"), (2, "xor")].map(|(column, operation)| {
            let collective = ["all-reduce", "reduce-scatter"][(row + column + latency as usize) % 2];
            let config = format!("{scheme} {collective} {operation} {} {latency}", flits(scheme, latency));
            (format!("{sides:?} {config}"), design(ShapeName::Torus, sides, &config))
        })
    })
}

#[test]
fn every_scheme_reduces_on_long_links() {
    if !has(PYTHON) {
        return;
    }
    let networks = [(ShapeName::Mesh, &[3, 4][..], "hamiltonian none"), (ShapeName::Cycle, &[7], "hamiltonian none")];
    let tori = SCHEMES.map(|(sides, scheme)| (ShapeName::Torus, sides, scheme));
    for (shape, sides, scheme) in tori.into_iter().chain(networks) {
        for latency in LATENCIES {
            for (collective, operation, more) in
                [("reduce-scatter", "sum", 0), ("all-reduce", "xor", 1), ("all-reduce", "min", 0)]
            {
                let config = format!("{scheme} {collective} {operation} {} {latency}", flits(scheme, latency) + more);
                let design = design(shape, sides, &config);
                let program = &design.program;
                assert_eq!(judged(program), Ok(()), "{sides:?} {config}");
                let report = check::by_execution(program);
                assert!(report.passed(), "{sides:?} {config}: {:?}", report.violations.first());
                assert_eq!(report.complete_at, Some(program.ticks), "{sides:?} {config}");
                assert!(u64::from(report.complete_at.unwrap()) >= design.bound().ticks, "{sides:?} {config}");
                assert!(is_played_right(program), "{sides:?} {config}");
            }
        }
    }
}

/// Each part takes the latency once, and `optimal` both at the bound.
#[test]
fn the_ticks_are_those_of_the_bound() {
    let ticks = |sides: &[u32], config: &str| {
        let design = design(ShapeName::Torus, sides, config);
        (design.program.ticks, design.bound().ticks)
    };
    assert_eq!(ticks(&[16, 16], "optimal none reduce-scatter sum 1 8"), (128, 128));
    assert_eq!(ticks(&[16, 16], "optimal none all-reduce sum 1 8"), (257, 191));
    assert_eq!(ticks(&[8, 8], "optimal none all-reduce sum 1 32"), (513, 271));
    for (flits, latency) in [(3, 3), (8, 5)] {
        let of = |latency| ticks(&[4, 6], &format!("staircase none all-reduce sum {flits} {latency}")).0;
        assert_eq!(of(latency), of(1) + 2 * (latency - 1));
    }
}

/// Mutants that every check must find.
#[test]
fn mutants_are_caught_by_every_check() {
    if !has(PYTHON) {
        return;
    }
    let mut tried = 0;
    for latency in sampled([3, 8], 2) {
        let gather = woven(&[4, 6], &Zigzag, Switching::None);
        let long = |program: Program| program.stretched(latency).unwrap().on_links_of_latency(latency).unwrap();
        let duplicates = (0..).map_while(|n| reverse::with_a_duplicate(&gather, Operation::Sum, n)).map(long);
        let duplicates = duplicates.enumerate().map(|(n, mutant)| (format!("duplicate {n}"), mutant));
        let right = long(reverse::reduction(&gather, Operation::Sum));
        let gather = gather.stretched(latency).unwrap().on_links_of_latency(latency).unwrap();
        let both = right.followed_by(&gather).unwrap();
        let off = [&right, &both].map(|program| {
            [latency - 1, latency + 1]
                .map(|off| (format!("latency {off}"), Program { latency: off, ..program.clone() }))
        });
        let mutants = duplicates.chain(sparse(wrong_operands(&right))).chain(off.into_iter().flatten());
        for (what, mutant) in mutants.chain([("too late".to_owned(), sent_too_late(&both))]) {
            assert!(!check::by_execution(&mutant).passed(), "check, {latency}: {what}");
            assert!(judged(&mutant).is_err(), "from its JSON, {latency}: {what}");
            // the model knows no links that are too long for the program, but values that are missing
            assert!(what == "too late" || !is_played_right(&mutant), "model, {latency}: {what}");
            tried += 1;
        }
    }
    println!("{tried} mutants caught by check, by the model and from their JSON");
    assert!(tried > quick_or_full(30, 60));
}

fn sparse<T>(all: Vec<T>) -> impl Iterator<Item = T> {
    sampled(all, 5)
}

/// A partial that is still on its way when the results are read.
fn sent_too_late(program: &Program) -> Program {
    let mut late = program.clone();
    let runs = &mut late.classes[0].outputs[0].runs;
    let sum = runs.iter().rposition(|run| matches!(run.source, Source::Sum { .. })).unwrap();
    runs[sum].ticks += 1;
    runs[sum + 1].ticks -= 1;
    late
}

#[test]
fn icarus_agrees_with_the_model_on_long_links() {
    pass_in_icarus(sampled(to_play(), 20));
}

/// Nearly all of the time is the C++ compiler's: most designs only on demand.
#[test]
fn lockstep_agrees_with_the_model_on_long_links() {
    let Some(tools) = toolchain() else { return };
    let mut played = 0;
    for (what, Design { program, .. }) in sparsely_sampled(to_play(), 13) {
        let outcome = lockstep::run(&tools, &program, &designs::options(70), None, 5).unwrap();
        outcome.unwrap_or_else(|difference| panic!("{what}: {difference}"));
        played += 1;
    }
    println!("{played} reductions in lockstep, on links of latency {LATENCIES:?}");
}

/// Wrong Verilog by the file that is wrong: of a wrong program, or of the right one with another text in it.
fn wrong_rtl(right: &Program, gather: &Program) -> Vec<(String, BTreeMap<String, String>)> {
    let of = |mutant: &Program| designs::rtl_in_place_of(mutant, right);
    let mut swapped = right.clone();
    Arc::make_mut(swapped.reduction.as_mut().unwrap()).operation = Operation::Xor;
    let duplicate = reverse::with_a_duplicate(gather, Operation::Sum, 1).unwrap();
    let duplicate = duplicate.stretched(right.flits).unwrap().on_links_of_latency(right.latency).unwrap();
    let operands = wrong_operands(right);
    let [dropped, aged] = [0, 1].map(|n| &operands[n].1);
    let longer = Program { latency: right.latency + 1, ..right.clone() };
    let shorter = Program { latency: right.latency - 1, ..right.clone() };
    let folder = Folder::with(right, 8);
    let name = &right.title.name;
    let text = |file: String, from: &str, to: &str| {
        let text = fs::read_to_string(folder.path().join(&file)).unwrap();
        assert!(text.contains(from), "{file}: {from}");
        BTreeMap::from([(file, text.replace(from, to))])
    };
    let wrong = [
        ("another operation", of(&swapped)),
        ("a duplicate", of(&duplicate)),
        ("an operand dropped", of(dropped)),
        ("an age off", of(aged)),
        ("a longer link", of(&longer)),
        ("a shorter link", of(&shorter)),
        (
            "a stage left out",
            text(format!("{name}_link.v"), "= valid_and_next[STAGES];", "= valid_and_next[STAGES-1];"),
        ),
    ];
    wrong.map(|(what, files)| (what.to_owned(), files)).into()
}

/// The Verilog of a wrong program beside the right one.
#[test]
fn mutants_are_caught_by_testbench_and_lockstep_on_long_links() {
    let gather = woven(&[4, 6], &Zigzag, Switching::None);
    let right = reverse::reduction(&gather, Operation::Sum);
    let right = right.stretched(3).unwrap().on_links_of_latency(3).unwrap();
    are_caught_in_place(&right, &wrong_rtl(&right, &gather), 2);
}

/// The registers of a link have no reset: what was on its way when a run was broken off must not be combined in the next.
#[test]
fn flits_in_flight_are_not_combined_in_the_next_run() {
    let program = design(ShapeName::Torus, &[4, 4], "staircase none reduce-scatter sum 8 8").program;
    let folder = Folder::with(&program, 8);
    let name = &program.title.name;
    for class in 0..program.classes.len() as u32 {
        let router = format!("{name}_router_{}.v", program.class_name(torusweave::program::ClassId(class)));
        let text = fs::read_to_string(folder.path().join(&router)).unwrap();
        assert!(text.contains("_counts_0}}"), "{router} keeps out what comes too early");
        let wrong = ["t", "b", "l", "r"]
            .iter()
            .fold(text, |text, port| text.replace(&format!("{port}_counts_0}}}}"), "1'b1}}"));
        fs::write(folder.path().join(router), wrong).unwrap();
    }
    if has("iverilog") {
        let (built, said) =
            call(&folder, "iverilog", &["-g2005", "-o", "sim", "-f", &format!("{name}.f"), &format!("tb/{name}_tb.v")]);
        assert!(built, "{said}");
        let (_, printed) = call(&folder, "vvp", &["sim"]);
        assert!(printed.contains("FAIL tick "), "{printed}");
    }
}
