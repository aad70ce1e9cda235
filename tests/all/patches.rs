//! Patches of fabrics whose tables are in memory: few words, at the bound, right in the testbench with dead wires at X and in
//! lockstep, for RTL that is the same whatever dies.

use torusweave::check;
use torusweave::emit::{self, MemoryFiles, Options, PatchBench};
use torusweave::net::{NodeId, Port, ShapeName, Topology};
use torusweave::netlist::Loadable;
use torusweave::program::{Link, Program, Title};
use torusweave::schemes::SchemeName;
use torusweave::schemes::general::patch::{Patch, patch};
use torusweave::schemes::optimal;
use torusweave::study::bounds::{self, Goal};
use torusweave::task::{Choice, Task};
use torusweave::tools::ScratchFolder;
use torusweave::tools::lockstep::Simulator;

use crate::fixtures::command::{Ended, Place};
use crate::fixtures::designs::options;
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{has, toolchain};

/// A whole network with the parts of it that die.
struct Case {
    whole: Program,
    damaged: Topology,
    found: Patch,
    loadable: Loadable,
    least: u32,
}

fn case(network: &Topology, nodes: &[u32], links: &[(u32, usize)], latency: u32) -> Case {
    let task = Task { topology: network, link: Link { latency, ..Link::default() }, choice: Choice::default() };
    let scheme = if network.is_homogeneous() { "optimal" } else { "general" };
    let pick: SchemeName = serde_json::from_value(scheme.into()).unwrap();
    let shortest = optimal::along_shortest_ways(network, &Title::new("any", "optimal")).filter(|_| latency == 1);
    let program = shortest.unwrap_or_else(|| pick.build(&task, "any").unwrap().program);
    let whole = if latency > 1 { program.on_links_of_latency(latency).unwrap() } else { program };
    let whole = Program { title: Title::new("any", "any"), ..whole };
    let nodes: Vec<NodeId> = nodes.iter().map(|&node| NodeId(node)).collect();
    let links: Vec<(NodeId, Port)> = links.iter().map(|&(node, port)| (NodeId(node), Port::from_index(port))).collect();
    let damaged = network.clone().without(&nodes, &links).unwrap();
    let link = Link { latency, ..Link::default() };
    let least = bounds::lower_bound(&damaged, link, Goal::Gossip { flits: 1 }).ticks as u32;
    let loadable = Loadable::of(&whole).unwrap();
    let found = patch(&whole, &damaged, least, loadable.most_ticks()).unwrap();
    Case { whole, damaged, found, loadable, least }
}

fn torus(sides: &[u32]) -> Topology {
    Topology::new(ShapeName::Torus, sides).unwrap()
}

/// A dead link, a dead node, both, a mesh, a twisted torus, a cylinder, long links.
fn cases() -> Vec<Case> {
    let mesh = Topology::new(ShapeName::Mesh, &[3, 4]).unwrap();
    let lattice = Topology::of_lattice(&[vec![4, 2], vec![0, 4]]).unwrap();
    vec![
        case(&torus(&[4, 4]), &[], &[(0, 1)], 1),
        case(&torus(&[4, 5]), &[7], &[], 1),
        case(&torus(&[4, 4]), &[10], &[(0, 1), (5, 2)], 1),
        case(&mesh, &[], &[(5, 1)], 1),
        case(&lattice, &[], &[(3, 3)], 1),
        case(&torus(&[3, 4]).with_open(&[1]).unwrap(), &[], &[(4, 0)], 1),
        case(&torus(&[4, 4]), &[], &[(0, 1)], 3),
        case(&torus(&[3, 3, 3]), &[13], &[], 1),
    ]
}

fn frames(case: &Case) -> Vec<Vec<bool>> {
    case.loadable.frames(&case.whole.topology, &case.damaged, case.found.program.ticks, &case.found.words)
}

fn loaded() -> Options {
    Options { loaded: true, ..options(8) }
}

/// Folder with the RTL and the bench of a case, and these frames.
fn folder(case: &Case, frames: &[Vec<bool>]) -> ScratchFolder {
    let mut memory = MemoryFiles::default();
    let bench = PatchBench { whole: &case.whole, patched: &case.found.program, frames };
    emit::write_patch(bench, &loaded(), &mut memory).unwrap();
    let folder = ScratchFolder::new().unwrap();
    std::fs::create_dir(folder.path().join("tb")).unwrap();
    for (path, bytes) in memory.0 {
        std::fs::write(folder.path().join(path), bytes).unwrap();
    }
    folder
}

/// Output of the first program that fails, or of the last.
fn shell(folder: &ScratchFolder, script: &str) -> String {
    let output = std::process::Command::new("sh").args(["-c", script]).current_dir(folder.path()).output().unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

fn bench(folder: &ScratchFolder) -> String {
    shell(folder, "iverilog -g2005 -Wall -o sim -f any.f tb/any_patch_tb.v 2>&1 | grep -v timescale; vvp sim")
}

#[test]
fn a_dead_link_of_an_8x8_torus_takes_128_words_at_21_ticks() {
    for port in [1, 3] {
        let Case { found, least, whole, .. } = case(&torus(&[8, 8]), &[], &[(0, port)], 1);
        assert_eq!((found.words.len(), found.program.ticks, least, whole.ticks), (128, 21, 21, 16));
        let report = check::by_execution(&found.program);
        assert!(report.passed() && report.duplicates == Some(0), "{:?}", report.violations.first());
    }
}

#[test]
fn larger_networks_are_patched_near_the_bound() {
    let twisted = Topology::of_lattice(&[vec![4, 0, 4], vec![0, 4, 4], vec![0, 0, 8]]).unwrap();
    for (network, nodes, most) in
        [(torus(&[16, 16]), vec![], 1024), (twisted, vec![], 152), (torus(&[8, 8]), vec![9], 200)]
    {
        let links: &[(u32, usize)] = if nodes.is_empty() { &[(0, 3)] } else { &[] };
        let Case { found, least, .. } = case(&network, &nodes, links, 1);
        println!("{}: {} words, {} ticks, bound {least}", network.describe(), found.words.len(), found.program.ticks);
        assert!(found.words.len() <= most, "{}: {} words", network.describe(), found.words.len());
        assert!(found.program.ticks <= least + 1, "{}: {} for {least}", network.describe(), found.program.ticks);
        assert!(check::by_execution(&found.program).passed(), "{}", network.describe());
    }
}

#[test]
fn patched_schedules_are_right_and_near_the_bound() {
    for case in cases() {
        let what = case.damaged.describe();
        let report = check::by_execution(&case.found.program);
        assert!(report.passed(), "{what}: {:?}", report.violations.first());
        assert_eq!(report.duplicates, Some(0), "{what}");
        assert!(case.found.program.ticks <= case.least.max(case.whole.ticks) + 3, "{what}");
    }
}

#[test]
fn the_bench_passes_with_dead_wires_at_x_and_fails_without_a_part_of_the_patch() {
    if !has("iverilog") {
        return;
    }
    for case in sampled(cases(), 2) {
        let what = format!("{}, {} words", case.damaged.describe(), case.found.words.len());
        let right = frames(&case);
        let (before, after) = (case.whole.ticks, case.found.program.ticks);
        let printed = bench(&folder(&case, &right));
        assert!(
            printed.starts_with(&format!("PASS {before} ticks whole, {after} ticks patched, ")),
            "{what}: {printed}"
        );
        // the first frame is the number of ticks, then come the inputs that receive, then the words
        let words = right.len() - case.found.words.len();
        for (missing, part) in [(0..1, "ticks"), (1..words, "inputs"), (right.len() - 1..right.len(), "last word")] {
            if part == "ticks" && before == after {
                continue;
            }
            let mut wrong = right.clone();
            wrong.drain(missing);
            let printed = bench(&folder(&case, &wrong));
            assert!(printed.starts_with("FAIL "), "{what}, without the {part}: {printed}");
        }
    }
}

#[test]
fn the_bench_finds_faults_of_the_rtl() {
    if !has("iverilog") {
        return;
    }
    let all = cases();
    let folders = [&all[0], &all[3]].map(|case| folder(case, &frames(case)));
    for (file, text, fault) in [
        ("any_control_a.v", "? tick + ", "? tick - "),
        ("any_control_a.v", "_words[load_tick] <= ", "_words[tick] <= "),
        (
            "any_router_a.v",
            "default: t_early <= {r_in_valid, r_in_data}",
            "default: t_early <= {l_in_valid, l_in_data}",
        ),
        ("any_router_a.v", "_store[slot] <= ", "_store[slot - 1'b1] <= "),
        ("any_loader.v", "if (is_count) ", "if (1'b0) "),
        ("any.v", " & n0_0_alive[1]", ""),
        ("any.v", "played == last_count", "played > last_count"),
    ] {
        let is_found = |folder: &ScratchFolder| {
            let path = folder.path().join(file);
            let right = std::fs::read_to_string(&path).unwrap();
            let wrong = right.replace(text, fault);
            assert_ne!(wrong, right, "{file}: no {text}");
            std::fs::write(&path, wrong).unwrap();
            let printed = bench(folder);
            std::fs::write(&path, right).unwrap();
            printed.starts_with("FAIL ")
        };
        assert!(folders.iter().any(is_found), "{file}: {fault}");
    }
}

#[test]
fn the_bench_passes_for_a_dead_link_of_an_8x8_torus() {
    if !has("iverilog") {
        return;
    }
    let case = case(&torus(&[8, 8]), &[], &[(0, 3)], 1);
    let printed = bench(&folder(&case, &frames(&case)));
    assert!(printed.starts_with("PASS 16 ticks whole, 21 ticks patched, "), "{printed}");
}

#[test]
fn the_rtl_is_clean_to_every_tool() {
    for case in cases().iter().step_by(3) {
        let folder = folder(case, &frames(case));
        let what = case.whole.topology.describe();
        if has("verilator") {
            let said = shell(&folder, "verilator --lint-only -Wall --top-module any -f any.f");
            assert_eq!(said, "", "{what}");
        }
        if has("yosys") {
            let script = "yosys -q -p \"read_verilog $(cat any.f | tr '\\n' ' '); hierarchy -check -top any; proc; check -assert\"";
            assert_eq!(shell(&folder, script), "", "{what}");
        }
    }
}

#[test]
fn the_rtl_does_not_depend_on_what_dies() {
    let rtl = |links: &[(u32, usize)]| {
        let case = case(&torus(&[4, 4]), &[], links, 1);
        let mut memory = MemoryFiles::default();
        emit::write_rtl(&case.whole, &loaded(), &mut memory).unwrap();
        memory.0
    };
    assert_eq!(rtl(&[(0, 1)]), rtl(&[(9, 2), (3, 3)]));
}

#[test]
fn patched_fabrics_equal_the_model_in_lockstep_and_wrong_patches_do_not() {
    let Some(tools) = toolchain() else { return };
    for case in cases().iter().step_by(2) {
        let what = case.damaged.describe();
        let right = frames(case);
        let play = |program: &Program, frames: &[Vec<bool>]| {
            let built = Simulator::build_patched(&tools, &case.whole, program, &options(8), frames);
            built.unwrap().play(3).unwrap_or_else(|error| panic!("{what}: {error}"))
        };
        let patched = &case.found.program;
        let difference = play(patched, &right).err();
        assert!(difference.is_none(), "{what}: {}", difference.unwrap());
        let mut wrong = right.clone();
        wrong.pop();
        assert!(play(patched, &wrong).is_err(), "{what}: a word is missing");
    }
}

#[test]
fn the_command_says_how_many_words_there_are() {
    let place = Place::new();
    let Ended { code, stdout, stderr } = place.run("patch --torus 8x8 --dead-link 0,0:x2+ -o new");
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.contains("128 words of 5376, in 131 frames of "), "{stdout}");
    assert!(stdout.contains("21 ticks, the lower bound is 21, 16 before"), "{stdout}");
    assert!(place.path().join("new/torus_8x8_patch.hex").exists());
    // one program of a list has the fabric of its collective
    let programs =
        "programs: [{ collective: gossip }, { collective: all-reduce, operation: sum }], host: { bus: uart }";
    place.write(
        "list.yaml",
        format!("{{ topology: {{ torus: [8, 8], dead: {{ links: [\"0,0 x2+\"] }} }}, {programs} }}"),
    );
    let of_list = place.run("patch list.yaml --program gossip -o list");
    assert_eq!((of_list.code, of_list.stderr.as_str()), (0, ""), "{}", of_list.stdout);
    let frames = |folder: &str| std::fs::read(place.path().join(folder).join("torus_8x8_patch.hex")).unwrap();
    assert!(frames("list") == frames("new"));
    for (line, parts) in [
        ("patch --torus 4x4 --dead-link 0,0:x1+ --collective exchange", "not a gossip of packets of one flit"),
        ("patch --torus 4x4 --dead-link 0,0:x1+ --scheme optimal --flits 2", "not a gossip of packets of one flit"),
        ("patch --torus 4x4 --dead-link 9,0:x1+", "is no node"),
        ("patch list.yaml --program 1", "not a gossip of packets of one flit"),
        ("patch list.yaml", "must name one of 2 programs"),
    ] {
        let Ended { code, stderr, .. } = place.run(line);
        assert_eq!(code, 2, "{line}: {stderr}");
        assert!(stderr.contains(parts), "{line}: {stderr}");
    }
}
