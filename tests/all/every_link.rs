//! Every scheme on every kind of half-duplex links it can use, on every shape of network: clean to every tool, right by its
//! testbench and in lockstep; and wrong RTL is caught by check, testbench and lockstep. A sample, all under `TORUSWEAVE_FULL=all`.

use std::fs;

use torusweave::check;
use torusweave::net::{ShapeName, Topology};
use torusweave::play::Machine;
use torusweave::program::{Duplex, Link, Program, Run, Source};
use torusweave::schemes::{SCHEMES, SchemeName};
use torusweave::task::{Choice, Task};
use torusweave::tools::lockstep;

use crate::fixtures::designs::{self, Folder};
use crate::fixtures::ranges::sparsely_sampled;
use crate::fixtures::tools::{call, edited, has, play, toolchain};

/// Two sizes of every shape, an even one and an odd one.
const NETWORKS: [(ShapeName, &[u32]); 8] = [
    (ShapeName::Path, &[5]),
    (ShapeName::Path, &[6]),
    (ShapeName::Cycle, &[5]),
    (ShapeName::Cycle, &[6]),
    (ShapeName::Mesh, &[3, 4]),
    (ShapeName::Mesh, &[3, 3]),
    (ShapeName::Torus, &[3, 4]),
    (ShapeName::Torus, &[3, 3]),
];

struct Case {
    what: String,
    program: Program,
}

/// Every combination that applies. Schemes are innermost, so that a sample has some of each.
fn cases() -> Vec<Case> {
    let kinds = [Duplex::Half, Duplex::Pads, Duplex::OneWay];
    let links = kinds.into_iter().flat_map(|duplex| [1, 2].map(|lanes| Link { duplex, lanes, latency: 1 }));
    let mut cases = Vec::new();
    for (link, (shape, sides)) in links.flat_map(|link| NETWORKS.map(|network| (link, network))) {
        let topology = Topology::new(shape, sides).unwrap();
        let task = Task { topology: &topology, link, choice: Choice::default() };
        for &scheme in SCHEMES.iter().filter(|scheme| scheme.fits(&task).is_ok()) {
            let program = SchemeName::from(scheme).build(&task, "d").unwrap().program;
            let what = format!("{scheme} on a {}, {}", topology.describe(), link.describe());
            cases.push(Case { what, program });
        }
    }
    cases
}

/// Fault in an output of a class.
type Fault<'f> = &'f dyn Fn(&mut Program, usize, usize);

/// Programs with faults that routers must not have: both ends drive, a flit leaves a tick early, lanes are swapped.
/// Only faults that change anything.
fn mutants(right: &Program) -> Vec<(&'static str, Program)> {
    let outputs = (0..right.classes.len()).flat_map(|class| (0..right.outputs()).map(move |output| (class, output)));
    let kinds: [(&str, Fault); 3] = [
        ("both ends driven", &|program, class, output| {
            let (ticks, track) = (program.ticks, &mut program.classes[class].outputs[output]);
            // the packet that it sends anyway, so that the router keeps its ports
            let own = track.runs.iter().map(|run| run.source).find(|source| matches!(source, Source::Own { .. }));
            track.runs = vec![Run { source: own.unwrap_or(Source::own(0)), ticks }];
        }),
        ("a tick early", &|program, class, output| {
            let runs = &mut program.classes[class].outputs[output].runs;
            let idle = usize::from(runs[0].source == Source::Idle);
            if idle == 1 && runs.len() > 1 || runs[0].ticks > 1 && runs.len() > 1 {
                runs[0].ticks -= 1;
                runs.last_mut().unwrap().ticks += 1;
                runs.retain(|run| run.ticks > 0);
            }
        }),
        ("lanes swapped", &|program, class, output| {
            if program.lanes == 2 && output.is_multiple_of(2) {
                program.classes[class].outputs.swap(output, output + 1);
            }
        }),
    ];
    let expected = arrivals(right);
    let first = |(kind, fault): (&'static str, Fault)| {
        let tried = outputs.clone().filter(|&(class, output)| !right.classes[class].outputs[output].is_idle());
        let mutant = tried.map(|(class, output)| {
            let mut mutant = right.clone();
            fault(&mut mutant, class, output);
            mutant
        });
        mutant.into_iter().find(|mutant| arrivals(mutant) != expected).map(|mutant| (kind, mutant))
    };
    kinds.into_iter().filter_map(first).collect()
}

/// Arrivals everywhere, tick by tick.
fn arrivals(program: &Program) -> Vec<Vec<u32>> {
    let mut machine = Machine::new(program);
    let mut seen = Vec::new();
    while !machine.is_done() {
        machine.step();
        let register = |index| machine.register(index).map_or(u32::MAX, |flit| flit.0);
        seen.push((0..program.registers()).map(register).collect());
    }
    seen
}

#[test]
fn every_combination_is_in_the_list() {
    let cases = cases();
    for (scheme, most) in [("lau-zhang", 12), ("fujita-yamashita", 4), ("optimal", 16), ("hamiltonian", 10)] {
        let on = |link: &str| {
            let end = |case: &&Case| case.what.starts_with(scheme) && case.what.contains(link);
            cases.iter().filter(end).count()
        };
        assert_eq!(on("half-duplex links of") - on("silent"), most, "{scheme}");
        assert_eq!(on("silent"), most, "{scheme}");
    }
    assert_eq!(cases.len(), 2 * 42 + 11, "those that never turn have one-way links too");
}

#[test]
fn every_combination_passes_every_tool_and_its_testbench_and_mutants_do_not() {
    let (mut played, mut caught) = (0, 0);
    for Case { what, program } in sparsely_sampled(cases(), 16) {
        let report = check::by_execution(&program);
        assert!(report.passed() && report.duplicates == Some(0), "{what}: {report:?}");
        let folder = Folder::with(&program, 8);
        if has("verilator") {
            let said = call(&folder, "verilator", &["--lint-only", "-Wall", "--top-module", "d", "-f", "d.f"]);
            assert_eq!(said, (true, String::new()), "{what}");
        }
        if has("yosys") {
            let list = fs::read_to_string(folder.path().join("d.f")).unwrap();
            let fabric: Vec<&str> = list.lines().filter(|path| !path.contains("_pads_")).collect();
            let script = format!("read_verilog {}; hierarchy -check -top d; proc; check -assert", fabric.join(" "));
            assert_eq!(call(&folder, "yosys", &["-q", "-p", &script]), (true, String::new()), "{what}");
        }
        for (fault, mutant) in mutants(&program) {
            let report = check::by_execution(&mutant);
            // with its lanes swapped a program may do the same another way
            let is_wrong = !report.passed() || report.duplicates != Some(0);
            assert!(is_wrong || fault == "lanes swapped", "{what}, {fault}: check says nothing");
            if has("iverilog") {
                let wrong = Folder::with(&program, 8);
                for (path, text) in designs::rtl_in_place_of(&mutant, &program) {
                    fs::write(wrong.path().join(path), text).unwrap();
                }
                let printed = play(&wrong, "d");
                assert!(printed.starts_with("FAIL "), "{what}, {fault}: {printed}");
                caught += 1;
            }
        }
        if has("iverilog") {
            let printed = play(&folder, "d");
            assert!(printed.starts_with("PASS "), "{what}: {printed}");
            played += 1;
        }
    }
    println!("{played} testbenches pass, {caught} mutants are caught by check and testbench");
}

#[test]
fn every_combination_equals_the_model_in_lockstep_and_mutants_do_not() {
    let Some(tools) = toolchain() else { return };
    let (mut equal, mut caught) = (0, 0);
    for Case { what, program } in sparsely_sampled(cases(), 48) {
        let outcome = lockstep::run(&tools, &program, &designs::options(8), None, 3).unwrap();
        outcome.unwrap_or_else(|difference| panic!("{what}: {difference}"));
        equal += 1;
        for (fault, mutant) in mutants(&program) {
            let wrong = designs::rtl_in_place_of(&mutant, &program);
            let instead = |path: &str, text: String| wrong.get(path).cloned().unwrap_or(text);
            let simulator = edited(&tools, &program, &designs::options(8), None, &instead).unwrap();
            assert!(simulator.play(5).unwrap().is_err(), "{what}, {fault}");
            caught += 1;
        }
    }
    println!("{equal} designs are equal to the model, {caught} mutants are caught by lockstep");
}
