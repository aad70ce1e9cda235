//! Links on which a flit is on its way for some ticks: what the program says, model and checks, and who refuses what.

use std::collections::BTreeSet;

use serde_json::Value;
use torusweave::check::{self, CheckReport};
use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::net::{ShapeName, Topology};
use torusweave::play::{Knowledge, Machine};
use torusweave::program::{Link, Program, Source};
use torusweave::study::bounds::{self, Goal};
use torusweave::tools::lockstep::By;

use crate::fixtures::command::{Ended, Place};
use crate::fixtures::designs::{self, Folder};
use crate::fixtures::interpreter;
use crate::fixtures::tools::{call, edited, equals_the_model, has, play, toolchain};

/// A design by its config.
fn design(topology: &str, scheme: &str, flits: u32, latency: u32, more: &str) -> Design {
    let text =
        format!("topology: {{ {topology} }}\nscheme: {scheme}\nlink: {{ flits: {flits}, latency: {latency} }}\n{more}");
    Design::new(Config::parse(&text).unwrap()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Lists for links longer than a packet, all others for links that are shorter; in one class, few and many.
fn programs() -> Vec<Program> {
    let designs = vec![
        design("torus: [4, 4]", "optimal", 1, 3, ""),
        design("torus: [5, 6]", "optimal", 1, 8, ""),
        design("torus: [3, 4, 3]", "optimal", 1, 2, ""),
        design("torus: [2, 5]", "optimal", 1, 4, ""),
        design("torus: [4, 5]", "optimal", 2, 5, ""),
        design("torus: [4, 5]", "optimal", 3, 2, "store: any"),
        design("torus: [4, 6]", "staircase", 4, 3, ""),
        design("torus: [4, 4]", "staircase", 3, 3, ""),
        design("torus: [5, 5]", "hamiltonian", 6, 6, ""),
        design("mesh: [3, 4]", "hamiltonian", 3, 2, ""),
        design("path: 5", "hamiltonian", 2, 2, ""),
        design("cycle: 7", "hamiltonian", 5, 4, ""),
        design("torus: [6, 6]", "zigzag", 4, 4, "switching: memory"),
        design("torus: [6, 12]", "zigzag", 3, 2, "switching: periodic"),
    ];
    designs.into_iter().map(|design| design.program).collect()
}

/// When everybody knows everything and how often a node is told what it knows, by nothing but the JSON.
fn read(json: &str) -> (Option<u64>, u64) {
    let json: Value = serde_json::from_str(json).unwrap();
    let number = |value: &Value| value.as_u64().unwrap();
    let (shape, sides) = json["topology"].as_object().unwrap().iter().next().unwrap();
    let sides: Vec<u64> =
        sides.as_array().map_or_else(|| vec![number(sides)], |sides| sides.iter().map(number).collect());
    let wraps = shape == "torus" || shape == "cycle";
    let latency = json["latency"].as_u64().unwrap_or(1);
    assert_eq!(
        json["format"],
        if latency > 1 || shape != "torus" { "torusweave-program/2" } else { "torusweave-program/1" }
    );
    let ports: Vec<&str> = json["ports"].as_array().unwrap().iter().map(|port| port.as_str().unwrap()).collect();
    let (nodes, ticks, flits) = (sides.iter().product::<u64>(), number(&json["ticks"]), number(&json["flits"]));
    let neighbour = |node: u64, port: usize| {
        let stride: u64 = sides[port / 2 + 1..].iter().product();
        let (side, at) = (sides[port / 2], node / stride % sides[port / 2]);
        let to = if port % 2 == 1 { at + 1 } else { at + side - 1 };
        let is_inside = if port % 2 == 1 { to < side } else { to >= side };
        (is_inside || wraps).then(|| node - at * stride + to % side * stride)
    };
    let mut known: Vec<BTreeSet<(u64, u64, u64)>> = vec![BTreeSet::new(); nodes as usize];
    // by tick from 0, of nodes and ports, what arrives
    let mut arrived = vec![vec![None; nodes as usize * ports.len()]; (ticks + latency) as usize];
    for tick in 1..=ticks {
        for node in 0..nodes {
            let class = &json["classes"][number(&json["class_of"][node as usize]) as usize];
            for (index, output) in class["outputs"].as_array().unwrap().iter().enumerate() {
                assert_eq!(output["repeat_from"].as_u64().filter(|_| latency > 1), None);
                let runs = output["runs"].as_array().unwrap();
                let length = |runs: &[Value]| runs.iter().map(|run| number(&run["ticks"])).sum::<u64>();
                let mut played = tick - 1;
                if let Some(from) = output["repeat_from"].as_u64().map(|from| from as usize)
                    && played >= length(runs)
                {
                    let once = length(&runs[..from]);
                    played = once + (played - once) % length(&runs[from..]);
                }
                let run = runs.iter().find(|run| {
                    let is_it = played < number(&run["ticks"]);
                    played -= if is_it { 0 } else { number(&run["ticks"]) };
                    is_it
                });
                let run = run.expect("runs last as long as the program");
                let input = run["in"].as_str().map(|port| ports.iter().position(|other| *other == port).unwrap());
                let sent = match input {
                    Some(input) => tick
                        .checked_sub(number(&run["age"]))
                        .and_then(|then| arrived[then as usize][node as usize * ports.len() + input]),
                    None => run["own"].as_u64().map(|packet| (node, packet, played % flits)),
                };
                let Some(flit) = sent else { continue };
                let (there, then) = (neighbour(node, index).unwrap(), tick + latency - 1);
                assert!(then <= ticks, "sent in tick {tick}, never to arrive");
                arrived[then as usize][there as usize * ports.len() + (index ^ 1)] = Some(flit);
            }
        }
    }
    let all = nodes * number(&json["packets"]) * flits;
    let (mut again, mut complete) = (0, None);
    for (tick, now) in arrived.iter().enumerate() {
        for (at, flit) in now.iter().enumerate().filter_map(|(at, flit)| Some((at, (*flit)?))) {
            let node = (at / ports.len()) as u64;
            again += u64::from(flit.0 == node || !known[at / ports.len()].insert(flit));
        }
        let own = number(&json["packets"]) * flits;
        if complete.is_none() && known.iter().all(|known| known.len() as u64 + own == all) {
            complete = Some(tick as u64);
        }
    }
    (complete, again)
}

#[test]
fn readers_of_the_json_execute_programs_on_long_links() {
    for program in programs() {
        let what = format!("{} on a {}, {}", program.title.scheme, program.topology, program.latency);
        let report = check::by_execution(&program);
        assert!(report.passed(), "{what}: {:?}", report.violations.first());
        let (complete, again) = read(&program.json());
        assert_eq!((complete, Some(again)), (report.complete_at.map(u64::from), report.duplicates), "{what}");
        assert_eq!(report.complete_at, Some(program.ticks), "{what}: the last tick is that of the last arrival");
    }
}

#[test]
fn model_and_all_checks_agree_on_long_links() {
    for program in programs() {
        let what = format!("{} on a {}, {}", program.title.scheme, program.topology, program.latency);
        let expected = interpreter::play(&program, program.ticks);
        let mut machine = Machine::new(&program);
        let mut knowledge = Knowledge::new(&program);
        for now in expected {
            assert!(knowledge.incomplete().next().is_some(), "{what}: complete before the end");
            machine.step();
            let registers: Vec<_> = (0..now.len()).map(|index| machine.register(index).map(|flit| flit.0)).collect();
            assert_eq!(registers, now, "{what}, tick {}", machine.tick());
            for (node, _, flit) in machine.arrivals() {
                knowledge.learn(node, flit);
            }
        }
        assert!(knowledge.incomplete().next().is_none(), "{what}");
        let executed = check::by_execution(&program);
        let figures =
            |report: &CheckReport| (report.complete_at, report.steps, report.duplicates.unwrap_or(0), report.link_use);
        assert_eq!(figures(&check::by_streams(&program)), figures(&executed), "{what}: streams");
        // programs that structure cannot follow on short links it cannot follow on long ones
        let by_structure = check::by_structure(&program);
        if !check::by_structure(&program.on_short_links().unwrap()).passed() {
            assert!(!by_structure.passed(), "{what}");
            continue;
        }
        assert!(by_structure.passed(), "{what}: {:?}", by_structure.violations.first());
        assert_eq!(
            (by_structure.complete_at, by_structure.link_use),
            (executed.complete_at, executed.link_use),
            "{what}"
        );
    }
}

#[test]
fn faults_on_long_links_are_caught_by_every_check() {
    let mut caught = 0;
    for program in programs().into_iter().filter(|program| program.latency > 1) {
        let mut mutants = vec![
            ("a tick shorter", Program { latency: program.latency - 1, ..program.clone() }),
            ("a tick longer", Program { latency: program.latency + 1, ..program.clone() }),
        ];
        for class in 0..program.classes.len().min(4) {
            for output in 0..program.outputs() {
                let mut late = program.clone();
                let runs = &mut late.classes[class].outputs[output].runs;
                if runs.len() > 1 {
                    runs[0].ticks += 1;
                    runs.last_mut().unwrap().ticks -= 1;
                    mutants.push(("a tick later", late));
                }
                let mut old = program.clone();
                let mut runs = old.classes[class].outputs[output].runs.iter_mut();
                if let Some(Source::In { age, .. }) =
                    runs.find(|run| matches!(run.source, Source::In { .. })).map(|run| &mut run.source)
                {
                    *age += 1;
                    mutants.push(("a tick older", old));
                }
            }
        }
        for (fault, mutant) in mutants {
            let what = format!("{} on a {}, {fault}", program.title.scheme, program.topology);
            let is_wrong =
                |report: CheckReport| !report.passed() || report.duplicates != check::by_execution(&program).duplicates;
            let executed = is_wrong(check::by_execution(&mutant));
            assert_eq!(is_wrong(check::by_streams(&mutant)), executed, "{what}: streams");
            assert!(!check::by_structure(&mutant).passed() || !executed, "{what}: structure");
            // no younger flit may be read, and on shorter links all are
            assert!(executed || fault == "a tick older", "{what}");
            caught += u32::from(executed);
        }
    }
    println!("{caught} mutants are caught");
    assert!(caught > 50);
}

#[test]
fn optimal_comes_near_the_bound_on_long_links() {
    for (sides, latency, ticks) in [(&[16, 16][..], 8, 128), (&[16, 16], 32, 512), (&[16, 16, 16], 64, 1536)] {
        let program = design(&format!("torus: {sides:?}"), "optimal", 1, latency, "").program;
        let report = check::by_structure(&program);
        assert!(report.passed(), "{sides:?}: {:?}", report.violations.first());
        let torus = Topology::new(ShapeName::Torus, sides).unwrap();
        let link = Link { latency, ..Link::default() };
        let bound = bounds::lower_bound(&torus, link, Goal::Gossip { flits: 1 }).ticks;
        assert_eq!((report.complete_at, bound, program.classes.len()), (Some(ticks), ticks.into(), 1), "{sides:?}");
    }
}

#[test]
fn schemes_with_packets_as_long_as_links_take_the_latency_once() {
    for (flits, latency) in [(4, 4), (5, 2), (8, 7)] {
        let plain = design("torus: [4, 6]", "staircase", flits, 1, "").program;
        let long = design("torus: [4, 6]", "staircase", flits, latency, "").program;
        assert_eq!(long.ticks, plain.ticks + latency - 1);
        assert_eq!((long.depth(), long.latency), (plain.depth() - (latency - 1), latency));
        assert_eq!(long.on_short_links().map(|short| short.ticks), Some(plain.ticks));
    }
}

#[test]
fn unsupported_settings_of_long_links_are_refused_with_a_cure() {
    let place = Place::new();
    for (line, parts) in [
        ("check --torus 4x6 --latency 0", &["`--latency 0`", "from 1 to"][..]),
        ("check --torus 4x6 --scheme staircase --latency 5 --flits 2", &["5", "`link.flits: 5`", "`scheme: optimal`"]),
        ("check --cycle 2000000 --scheme optimal --latency 1000", &["2^22 steps"]),
        ("check --mesh 4x5 --scheme optimal --latency 2 --duplex half", &["half-duplex"]),
        ("check --torus 4x4 --scheme worm --collective broadcast --latency 2", &["`scheme: fork`"]),
        (
            "prove --torus 4x4 --scheme optimal --latency 2",
            &["prove: not supported with links of more than one tick (2 ticks)"],
        ),
        (
            "draw --torus 4x4 --scheme optimal --latency 2 --what modules",
            &["draw --what modules: not supported with links of more than one tick"],
        ),
    ] {
        let Ended { code, stderr, .. } = place.run(line);
        assert_eq!(code, 2, "{line}: {stderr}");
        assert!(parts.iter().all(|part| stderr.contains(part)), "{line}: {stderr}");
    }
    for line in [
        "check --torus 4x6 --latency 5 --flits 2",
        "simulate --torus 4x4 --scheme optimal --latency 3 --engine model",
        "explain --torus 4x4 --scheme optimal --latency 3 --node 0,0",
        "report --torus 4x4 --scheme optimal --latency 3",
        "draw --torus 4x4 --scheme optimal --latency 3 --what progress",
    ] {
        let Ended { code, stderr, .. } = place.run(line);
        assert_eq!(code, 0, "{line}: {stderr}");
    }
}

/// More ticks than the control takes to start: else a link that is not cleared has lost what a run broken off left in it.
const FAR: u32 = 10;

/// For the RTL: a table and a store, a constant selector, a packet sent on as it comes; l = 1 among them.
fn generated() -> Vec<Program> {
    let designs = [
        design("torus: [3, 4]", "optimal", 1, 3, ""),
        design("torus: [4, 4]", "optimal", 1, FAR, ""),
        design("torus: [4, 4]", "staircase", FAR, FAR, ""),
        design("path: 5", "hamiltonian", 3, 3, ""),
        design("torus: [4, 4]", "optimal", 1, 1, ""),
    ];
    designs
        .into_iter()
        .map(|design| Program { title: torusweave::program::Title::new("d", "s"), ..design.program })
        .collect()
}

/// Links with a stage too few, and those whose registers keep what was on its way when a run was broken off: caught where
/// that is more than what the control takes to stop.
fn wrong_links(program: &Program) -> Vec<(&'static str, String)> {
    if program.latency == 1 {
        return Vec::new();
    }
    let folder = Folder::with(program, 8);
    let link = std::fs::read_to_string(folder.path().join("d_link.v")).unwrap();
    let fault = |from: &str, to: &str| {
        assert!(link.contains(from), "{from}");
        link.replace(from, to)
    };
    let short = fault("out_valid = valid_and_next[STAGES];", "out_valid = valid_and_next[STAGES-1];");
    let keeps = fault("playing ? valid_and_next[STAGES-1:0] : {STAGES{1'b0}}", "valid_and_next[STAGES-1:0]");
    let all = [("a stage is left out", short), ("it keeps what was there", keeps)];
    all.into_iter().take(if program.latency == FAR { 2 } else { 1 }).collect()
}

#[test]
fn long_links_pass_every_tool_and_their_testbench_and_wrong_ones_do_not() {
    for program in generated() {
        let what = format!("{}, {}", program.topology, program.latency);
        let folder = Folder::with(&program, 8);
        if has("verilator") {
            let said = call(&folder, "verilator", &["--lint-only", "-Wall", "--top-module", "d", "-f", "d.f"]);
            assert_eq!(said, (true, String::new()), "{what}");
        }
        if has("yosys") {
            let list = std::fs::read_to_string(folder.path().join("d.f")).unwrap().replace('\n', " ");
            let script = format!("read_verilog {list}; hierarchy -check -top d; proc; check -assert");
            assert_eq!(call(&folder, "yosys", &["-q", "-p", &script]), (true, String::new()), "{what}");
        }
        if !has("iverilog") {
            continue;
        }
        let printed = play(&folder, "d");
        assert!(printed.starts_with("PASS "), "{what}: {printed}");
        assert_eq!(folder.path().join("d_link.v").exists(), program.latency > 1, "{what}");
        for (fault, link) in wrong_links(&program) {
            std::fs::write(folder.path().join("d_link.v"), link).unwrap();
            let printed = play(&folder, "d");
            assert!(printed.starts_with("FAIL "), "{what}, {fault}: {printed}");
        }
    }
}

#[test]
fn long_links_equal_the_model_in_lockstep_and_wrong_ones_do_not() {
    let Some(tools) = toolchain() else { return };
    for program in generated() {
        let what = format!("{}, {}", program.topology, program.latency);
        equals_the_model(&tools, &what, &program, &designs::options(8));
        if program.latency != 3 {
            for (fault, link) in wrong_links(&program) {
                let instead = |path: &str, text: String| if path == "d_link.v" { link.clone() } else { text };
                for by in [By::Fabric, By::Class] {
                    let simulator = edited(&tools, &program, &designs::options(8), Some(by), &instead).unwrap();
                    assert!(simulator.play(5).unwrap().is_err(), "{what}, {fault}, {by:?}");
                }
            }
        }
    }
}
