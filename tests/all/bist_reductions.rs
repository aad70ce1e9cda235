//! The self-test of reductions: it passes on every kind of network, and no wrong sum and no fault of the fabric passes it.

use std::fs;
use std::sync::Arc;

use torusweave::design::Design;
use torusweave::net::Port;
use torusweave::play::{Combiner, Payloads};
use torusweave::program::{Operand, Operands, Operation, Program, Source};

use crate::bist::{BLIND, checkers, options, parameters, says, says_with};
use crate::farm::{NETWORKS, config};
use crate::fixtures::designs::{self, Folder};
use crate::fixtures::mutants::wrong_operands;
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{call, has, play};
use crate::rtl_mutants::mutants;

fn is_full() -> bool {
    std::env::var_os("TORUSWEAVE_FULL").is_some()
}

/// A design of a reduction, by its network and its settings, separated by blanks.
fn design(network: &str, settings: &str) -> Design {
    let settings: Vec<&str> = settings.split(' ').chain(["bist=true", "name=d"]).collect();
    Design::new(config(network, &[&settings])).unwrap_or_else(|refusal| panic!("{network} {settings:?}: {refusal}"))
}

/// Arrivals at every input in every tick, with values that have room to differ.
fn arrivals(program: &Program) -> Vec<Vec<Option<Vec<u64>>>> {
    let mut combiner = Combiner::new(program, Payloads { width: 64, seed: 5 }).unwrap();
    let mut all = Vec::new();
    while !combiner.is_done() {
        combiner.step();
        all.push((0..program.registers()).map(|register| combiner.delivered(register).map(<[u64]>::to_vec)).collect());
    }
    all
}

/// Line of a fabric that is right: every arrival of a run is compared.
fn verdict(runs: u32, program: &Program) -> String {
    let arrivals = arrivals(program).into_iter().flatten().flatten().count();
    format!("PASS {runs} {} {arrivals} {}", program.ticks, checkers(program))
}

/// Networks and settings that have nothing to do with each other; the others of a full check.
fn cases() -> Vec<(&'static str, String)> {
    let mut cases = vec![
        ("torus: [2, 3]", "collective=all-reduce operation=sum link.width=8".to_owned()),
        ("mesh: [3, 3]", "collective=reduce operation=sum root=1,2 link.width=8 link.flits=5".to_owned()),
        ("cycle: 5", "collective=reduce operation=min root=3 link.width=8 link.flits=2".to_owned()),
        // narrower than a number, as narrow as can be, and wider than the key
        ("torus: [3, 4]", "collective=reduce-scatter operation=sum link.width=3".to_owned()),
        ("torus: [3, 4]", "collective=all-reduce operation=max link.width=1".to_owned()),
        ("cycle: 5", "collective=all-reduce operation=xor link.width=34".to_owned()),
        ("torus: [2, 2]", "collective=all-reduce operation=min link.width=8 link.flits=3 scheme=optimal".to_owned()),
        ("path: 2", "collective=reduce-scatter operation=or link.width=2".to_owned()),
        // values with a sign, and floats
        ("path: 4", "collective=all-reduce operation=max number=i32 link.width=32".to_owned()),
        ("path: 4", "collective=reduce-scatter operation=sum number=bf16 link.width=16".to_owned()),
        ("path: 4", "collective=all-reduce operation=min number=f16 link.width=16".to_owned()),
        ("path: 4", "collective=all-reduce operation=custom adder=2 link.width=8".to_owned()),
        // long links
        ("torus: [3, 4]", "collective=all-reduce operation=sum link.width=8 link.latency=3 scheme=general".to_owned()),
        ("path: 4", "collective=reduce-scatter operation=sum number=bf16 link.width=16 link.latency=2".to_owned()),
        // damaged networks
        (NETWORKS[13], "collective=all-reduce operation=sum link.width=8 link.flits=2".to_owned()),
        (NETWORKS[14], "collective=reduce-scatter operation=and link.width=8".to_owned()),
    ];
    if is_full() {
        for collective in ["all-reduce", "reduce-scatter", "reduce"] {
            for operation in Operation::ALL {
                let settings = format!("collective={collective} operation={operation} link.width=8");
                cases.extend(NETWORKS.map(|network| (network, settings.clone())));
            }
        }
    }
    cases
}

#[test]
fn reductions_pass_with_every_arrival_compared() {
    if !has("iverilog") {
        return;
    }
    for (network, settings) in sampled(cases(), 4) {
        let Design { program, .. } = &design(network, &settings);
        let width = settings.split("link.width=").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        let folder = Folder::with_options(program, &options(width));
        let said = says(&folder, "d", &parameters(9, None));
        assert_eq!(said, verdict(9, program), "{network} {settings}");
    }
}

/// Programs in which one operand is dropped, read at another time, added, or taken from another port.
fn wrong_sums(program: &Program) -> Vec<(String, Program)> {
    let mut wrong = wrong_operands(program);
    let tracks = (0..program.classes.len()).flat_map(|class| (0..program.outputs()).map(move |output| (class, output)));
    for (class, output) in tracks {
        for (index, run) in program.classes[class].outputs[output].runs.iter().enumerate() {
            let Source::Sum { operands } = run.source else { continue };
            let known: Vec<Operand> = operands.iter().collect();
            for port in (0..program.outputs()).map(Port::from_index) {
                let other = Operand { port, age: known.first().map_or(1, |operand| operand.age) };
                if known.contains(&other) {
                    continue;
                }
                let added = known.iter().copied().chain([other]).collect();
                let exchanged = (!known.is_empty()).then(|| known[1..].iter().copied().chain([other]).collect());
                for operands in [Some(added), exchanged].into_iter().flatten() {
                    let operands: Vec<Operand> = operands;
                    let what = format!("class {class}, output {output}, run {index}: {operands:?}, not {known:?}");
                    let mut mutant = program.clone();
                    let source = Source::Sum { operands: Operands::of(operands) };
                    mutant.classes[class].outputs[output].runs[index].source = source;
                    wrong.push((what, mutant));
                }
            }
        }
    }
    wrong
}

/// Serial output of the self-test of one program beside the RTL of another.
fn says_of(wrong: &Program, right: &Program, runs: u32) -> String {
    let folder = Folder::with_options(right, &options(8));
    for (path, text) in designs::rtl_in_place_of(wrong, right) {
        fs::write(folder.path().join(path), text).unwrap();
    }
    says(&folder, "d", &parameters(runs, None))
}

/// In every run of sums, and in as many runs as nodes have values where single values decide.
#[test]
fn operands_that_are_missing_added_or_exchanged_are_seen() {
    if !has("iverilog") {
        return;
    }
    let designs = [
        ("torus: [2, 3]", "collective=reduce-scatter operation=sum scheme=optimal link.width=8", 3),
        ("torus: [2, 3]", "collective=reduce-scatter operation=max scheme=optimal link.width=8", 5),
    ];
    for (network, settings, runs) in designs {
        let right = design(network, settings).program;
        let expected = arrivals(&right);
        let mutants = wrong_sums(&right);
        let apart = if is_full() { 1 } else { mutants.len() / 6 };
        let (mut tried, mut seen) = (0, 0);
        for (what, wrong) in mutants.iter().step_by(apart) {
            let said = says_of(wrong, &right, runs);
            let differs = arrivals(wrong) != expected;
            assert_eq!(said.starts_with("FAIL "), differs, "{settings}: {what}: {said}");
            tried += 1;
            seen += usize::from(differs);
        }
        println!("{settings}: {tried} wrong sums, {seen} differ and are seen in {runs} runs");
        assert!(seen >= 4);
    }
    let right = design("torus: [2, 3]", designs[0].1).program;
    let mut other = right.clone();
    Arc::make_mut(other.reduction.as_mut().unwrap()).operation = Operation::Xor;
    assert!(says_of(&other, &right, 3).starts_with("FAIL "));
}

/// An adder of floats that gives the larger operand is right where one of the two is zero.
#[test]
fn adders_of_floats_that_do_not_add_are_caught() {
    if !has("iverilog") {
        return;
    }
    let right = design("path: 3", "collective=reduce-scatter operation=sum number=bf16 link.width=16").program;
    let folder = Folder::with_options(&right, &options(16));
    let text = fs::read_to_string(folder.path().join("d_combine.v")).unwrap();
    let kept = text.lines().find(|line| line.contains("less_1 ? a_1 : b_1")).unwrap();
    let wrong = kept.replace("less_1 ? a_1 : b_1", "{(E+M){1'b0}}");
    let said = says_with(&right, "_combine.v", kept, &wrong);
    assert!(said.starts_with("FAIL "), "{said}");
    assert_eq!(says_with(&right, "_combine.v", kept, kept), verdict(4, &right));
}

/// A fault that passes the self-test passes the testbench, too: it is none.
#[test]
fn faults_of_the_fabric_of_a_reduction_do_not_pass() {
    if !has("iverilog") {
        return;
    }
    let right = design("torus: [2, 3]", "collective=all-reduce operation=sum scheme=optimal link.width=8").program;
    let folder = Folder::with_options(&right, &options(8));
    let list = fs::read_to_string(folder.path().join("d.f")).unwrap();
    let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
    let fabric = list.lines().filter(|file| !file.contains("_bist"));
    let all: Vec<_> = fabric.flat_map(|file| mutants(file, &read(file))).collect();
    let tried = if is_full() { 120 } else { 6 };
    let (mut caught, mut harmless) = (0, Vec::new());
    for mutant in all.iter().step_by(all.len() / tried).take(tried) {
        let text = read(&mutant.file);
        fs::write(folder.path().join(&mutant.file), &mutant.text).unwrap();
        let (compiles, _) = call(&folder, "iverilog", &["-g2005", "-o", "x", "-f", "d.f"]);
        if compiles {
            if says(&folder, "d", &parameters(7, None)).starts_with("PASS") {
                let printed = play(&folder, "d");
                assert!(printed.starts_with("PASS"), "{}: {printed}", mutant.what);
                harmless.push(&mutant.what);
            } else {
                caught += 1;
            }
        }
        fs::write(folder.path().join(&mutant.file), text).unwrap();
    }
    println!("{caught} faults caught, {} harmless: {harmless:#?}", harmless.len());
    assert!(caught > tried / 2);
}

/// Faults by which the balance of values is not seen.
const UNBALANCED: [(&str, &str, &str); 2] = [
    ("_bist_port.v", "else if (unspent & ", "else if (1'b0 & unspent & "),
    ("_bist.v", "wire closes = ", "wire closes = 1'b0 & "),
];

/// Integers, words in which one value decides, and floats.
#[test]
fn blind_checkers_of_a_reduction_fail_after_the_first_run() {
    if !has("iverilog") {
        return;
    }
    let designs = [
        ("path: 3", "collective=all-reduce operation=sum link.width=8"),
        ("path: 3", "collective=all-reduce operation=max link.width=8"),
        ("path: 3", "collective=reduce-scatter operation=sum number=bf16 link.width=16"),
    ];
    let faults: Vec<_> = BLIND.into_iter().chain(UNBALANCED).collect();
    for (number, (network, settings)) in designs.into_iter().enumerate() {
        let right = design(network, settings).program;
        let same = "wire bad = watch & (";
        assert_eq!(says_with(&right, "_bist_port.v", same, same), verdict(4, &right), "{settings}");
        for (file, from, to) in
            faults.iter().skip(if is_full() { 0 } else { number }).step_by(if is_full() { 1 } else { 3 })
        {
            let said = says_with(&right, file, from, to);
            assert!(said.starts_with("FAIL "), "{settings}: {to}: {said}");
        }
    }
    // nothing plays, and nothing is compared
    let right = design("torus: [2, 3]", "collective=all-reduce operation=sum link.width=8").program;
    let said = says_with(&right, "_leaf.v", "q <= d;", "q <= {BITS{1'b0}};");
    assert!(said.starts_with(&format!("FAIL 1 {} compared ", right.ticks)), "{said}");
}
