//! The generated testbench passes on the generated RTL and catches RTL that is wrong.

use std::fs;

use torusweave::emit::{self, Options};
use torusweave::netlist::Rom;
use torusweave::paths::supply::Switching;
use torusweave::program::Program;
use torusweave::schemes::zigzag::Zigzag;
use torusweave::tools::icarus;

use crate::fixtures::by_hand;
use crate::fixtures::designs::{self, Folder};
use crate::fixtures::mutants::{self, replaced, wrong_sources};
use crate::fixtures::ranges::quick_or_full;
use crate::fixtures::tools::{call, edited, has, play, toolchain, verilated};

fn passes(program: &Program, width: u32) {
    passes_with(program, &designs::options(width));
}

fn passes_with(program: &Program, options: &Options) {
    let name = &program.title.name;
    let printed = play(&Folder::with_options(program, options), name);
    let start = format!("PASS {} ticks, ", program.ticks);
    assert!(printed.starts_with(&start), "{name}, {options:?}, {} flits: {printed}", program.flits);
}

#[test]
fn icarus_agrees_with_the_model() {
    if !has("iverilog") {
        return;
    }
    passes(&designs::staircase(2, 2), 32);
    if quick_or_full(false, true) {
        passes(&designs::staircase(6, 8), 100);
        passes(&designs::optimal(&[8, 8]), 32);
        passes(&designs::optimal(&[4, 4, 4]).stretched(2).unwrap(), 8);
    }
    passes(&designs::staircase(4, 4).stretched(4).unwrap(), 8);
    passes(&designs::late_sender(), 32);
    passes(&designs::late_sender().stretched(4).unwrap(), 8);
    passes(&designs::repeater(), 16);
    passes(&designs::meander(), 32);
    passes(&designs::meander().stretched(4).unwrap(), 8);
    passes(&designs::rereader(), 32);
    passes(&designs::rereader().stretched(3).unwrap(), 8);
    passes(&designs::optimal(&[4, 6]), 8);
    passes(&designs::optimal(&[2, 5, 4]), 16);
    let per_node = Options { rom: Rom::PerNode, ..designs::options(8) };
    passes_with(&designs::meander(), &per_node);
    passes_with(&designs::rereader(), &per_node);
    passes(&designs::repeater().stretched(3).unwrap(), 16);
    for program in by_hand::beyond_gossip() {
        passes(&program, 8);
    }
}

/// Nearly all of the time is the C++ compiler's: a second design only on demand.
#[test]
fn verilator_agrees_with_the_model() {
    if !has("verilator") {
        return;
    }
    let mut programs = vec![designs::staircase(4, 4).stretched(4).unwrap()];
    if std::env::var_os("TORUSWEAVE_FULL").is_some() {
        programs.extend([designs::late_sender(), designs::repeater().stretched(3).unwrap(), designs::staircase(6, 8)]);
    }
    for program in programs {
        let name = &program.title.name;
        let folder = Folder::with(&program, 8);
        let (_, printed) = call(&folder, verilated(&folder, name), &[]);
        assert!(printed.starts_with(&format!("PASS {} ticks, ", program.ticks)), "{printed}");
    }
}

/// Every node with the router of another class, and every node with two outputs swapped.
fn wrong_nodes(fabric: &str) -> Vec<String> {
    let mut mutants = Vec::new();
    for instance in fabric.split("\n\n").filter(|part| part.contains(") node_")) {
        let other_class = [("router_a", "router_b"), ("router_b", "router_a")];
        let wrong = [
            replaced(instance, "torus_4x4_router", &other_class),
            replaced(instance, ".", &[(".t_out", ".b_out"), (".b_out", ".t_out")]),
            replaced(instance, ".", &[(".l_out", ".r_out"), (".r_out", ".l_out")]),
            replaced(instance, ".", &[(".t_out", ".r_out"), (".r_out", ".t_out")]),
        ];
        mutants.extend(wrong.iter().map(|wrong| fabric.replace(instance, wrong)));
    }
    mutants
}

/// Plays every mutant of one file of the 4x4: how many the testbench caught, and how many there were.
fn caught(folder: &Folder, file: &str, mutate: impl Fn(&str) -> Vec<String>) -> (usize, usize) {
    let path = folder.path().join(file);
    let good = fs::read_to_string(&path).unwrap();
    let mutants = mutate(&good);
    let is_caught = |mutant: &String| {
        assert!(*mutant != good, "a mutant of {file} is no mutant");
        fs::write(&path, mutant).unwrap();
        play(folder, "torus_4x4").starts_with("FAIL tick ")
    };
    let score = (mutants.iter().filter(|mutant| is_caught(mutant)).count(), mutants.len());
    fs::write(&path, good).unwrap();
    score
}

#[test]
fn the_testbench_catches_every_wrong_source_of_the_4x4() {
    if !has("iverilog") {
        return;
    }
    let program = designs::staircase(4, 4);
    let folder = Folder::with(&program, 8);
    let mut total = (0, 0);
    assert_eq!(program.classes.len(), 2);
    for class in ["a", "b"] {
        let (hits, made) = caught(&folder, &format!("torus_4x4_router_{class}.v"), wrong_sources);
        assert_eq!(made, 4 * (3 + 1), "four outputs, three wrong inputs and one wrong packet each");
        total = (total.0 + hits, total.1 + made);
    }
    println!("{} of {} wrong sources caught", total.0, total.1);
    assert_eq!(total.0, total.1);
}

#[test]
fn the_testbench_catches_every_wrong_node_of_the_4x4() {
    if !has("iverilog") {
        return;
    }
    let folder = Folder::with(&designs::staircase(4, 4), 8);
    let (hits, made) = caught(&folder, "torus_4x4.v", wrong_nodes);
    println!("{hits} of {made} wrong nodes and swapped links caught");
    assert_eq!((hits, made), (16 * 4, 16 * 4));
}

/// The RTL of a wrong program, played by the testbench of the right one.
#[test]
fn the_testbench_catches_every_wrong_time_of_supply() {
    if !has("iverilog") {
        return;
    }
    let program = designs::woven(&[8, 6], &Zigzag, Switching::Memory);
    let mutants = mutants::wrong_times(&program);
    assert!(mutants.len() >= 4, "a switch and a delay line, each wrong both ways");
    for (what, mutant) in &mutants {
        let mut folder = Folder::with(&program, 8);
        emit::write_rtl(mutant, &designs::options(8), &mut folder).unwrap();
        let printed = play(&folder, &program.title.name);
        assert!(printed.starts_with("FAIL tick "), "{what}: {printed}");
    }
    println!("{0} of {0} wrong times caught", mutants.len());
}

/// Also where Verilator runs the testbench: its `$stop` aborts.
#[test]
fn a_testbench_that_fails_says_so_by_its_exit_status() {
    if !has("iverilog") || !has("verilator") || !has("make") {
        return;
    }
    let program = designs::staircase(4, 4);
    let name = program.title.name.as_str();
    let right = "~(hold | last | over)";
    for (fault, passes) in [("~(over | last | hold)", true), ("~hold", false)] {
        let folder = Folder::with(&program, 8);
        let fabric = folder.path().join(format!("{name}.v"));
        let text = fs::read_to_string(&fabric).unwrap();
        assert!(text.contains(right));
        fs::write(&fabric, text.replace(right, fault)).unwrap();
        let icarus::Ended { passed, printed } = icarus::run_testbench(folder.path(), &program, None).unwrap();
        assert_eq!(passed, passes, "{printed}");
        let (passed, printed) = call(&folder, verilated(&folder, name), &[]);
        assert_eq!(passed, passes, "{printed}");
    }
}

/// After the last tick nothing moves, even with `run` held high.
#[test]
fn nothing_moves_after_the_last_tick() {
    let Some(tools) = toolchain() else { return };
    let program = designs::staircase(4, 4);
    let goes_on = |_: &str, text: String| text.replace("~(hold | last | over)", "~hold");
    let simulator = edited(&tools, &program, &designs::options(8), None, &goes_on).unwrap();
    assert!(simulator.play(1).unwrap().is_err(), "packets that move on are not noticed");
}

#[test]
fn icarus_records_a_waveform_of_the_whole_run() {
    if !has("iverilog") {
        return;
    }
    let program = designs::staircase(4, 4);
    let folder = Folder::with(&program, 8);
    let wave = folder.path().join("run.vcd");
    let icarus::Ended { passed, printed } = icarus::run_testbench(folder.path(), &program, Some(&wave)).unwrap();
    assert_eq!((passed, printed), (true, format!("PASS {} ticks, 512 arrivals\n", program.ticks)));
    let wave = fs::read_to_string(wave).unwrap();
    assert!(wave.contains("node_3_3") && wave.contains("t_out_valid"), "registers are recorded");
    assert!(wave.lines().filter(|line| line.starts_with('#')).count() > 2 * program.ticks as usize);
}
