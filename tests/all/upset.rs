//! One bit of one register flips while the program plays, and the next run is right all the same: one tick of `run` low, and no
//! reset, clears whatever went wrong.

use std::fs;
use std::process::Command;

use rayon::prelude::*;
use torusweave::emit::names;
use torusweave::paths::supply::Switching;
use torusweave::program::Program;
use torusweave::schemes::{staircase::Staircase, zigzag::Zigzag};

use crate::fixtures::command::project;
use crate::fixtures::designs::{self, Folder};
use crate::fixtures::ranges::quick_or_full;
use crate::fixtures::recording;
use crate::fixtures::tools::{call, has};

/// A register of the fabric or a word of a router's memories, and its bits.
struct Register {
    path: String,
    bits: usize,
}

/// The words of the memories that the routers have, which no simulator records.
fn memory_words(folder: &Folder, program: &Program, width: usize) -> Vec<Register> {
    let mut found = Vec::new();
    for node in program.topology.node_ids() {
        let module = names::router(program, program.class_of[node.index()]);
        let instance = names::instance(&program.topology, node);
        // a class that sends nothing has no router
        let text = fs::read_to_string(folder.path().join(format!("{module}.v"))).unwrap_or_default();
        for line in text.lines().filter_map(|line| line.trim().strip_prefix("(* no_rw_check *) reg [WIDTH")) {
            let (valid, rest) = line.split_once(":0] ").unwrap();
            let (name, last) = rest.strip_suffix("];").unwrap().split_once(" [1:").unwrap();
            let bits = if valid == "-1" { width } else { width + 1 };
            let word =
                |word| Register { path: format!("{0}_tb.fabric.{instance}.{name}[{word}]", program.title.name), bits };
            found.extend((1..=last.parse::<u32>().unwrap()).map(word));
        }
    }
    found
}

/// Compiles the testbench with a run before it in which a bit flips.
fn compile(folder: &Folder, program: &Program, upsets: &str) {
    let name = &program.title.name;
    fs::copy(project().join("sim/upset.v"), folder.path().join("upset.v")).unwrap();
    fs::write(folder.path().join("upsets.inc"), upsets).unwrap();
    let bench = folder.path().join(format!("tb/{name}_tb.v"));
    let text = fs::read_to_string(&bench).unwrap();
    let begins = "        // a program that a reset interrupts leaves nothing behind\n";
    assert_eq!(text.matches(begins).count(), 1);
    fs::write(&bench, text.replace(begins, &format!("`include \"upset.v\"\n{begins}"))).unwrap();
    let line = format!("-g2005 -o sim -s {name}_tb -f {name}.f tb/{name}_tb.v");
    let (built, said) = call(folder, "iverilog", &line.split(' ').collect::<Vec<_>>());
    assert!(built, "{said}");
}

/// Flips so many bits, one per run, spread over registers, words of memories, bits and ticks; returns how many runs after it were
/// right, of how many, and how many words there are.
fn survived(program: &Program, width: u32, flips: usize) -> (usize, usize, usize) {
    let name = &program.title.name;
    let folder = Folder::with(program, width);
    let wave = folder.path().join("registers.vcd");
    torusweave::tools::icarus::run_testbench(folder.path(), program, Some(&wave)).unwrap();
    let mut registers: Vec<Register> = recording::registers(&wave, &[&format!("{name}_tb"), "fabric"])
        .into_iter()
        .map(|(path, bits)| Register { path, bits })
        .collect();
    assert!(registers.len() > program.topology.registers(), "{} registers", registers.len());
    let words = memory_words(&folder, program, width as usize);
    let memory = words.len();
    registers.extend(words);
    let upset = |(number, register): (usize, &Register)| format!("`UPSET({}, {})\n", number + 1, register.path);
    compile(&folder, program, &registers.iter().enumerate().map(upset).collect::<String>());
    let bits: Vec<(usize, usize)> = registers
        .iter()
        .enumerate()
        .flat_map(|(victim, register)| (0..register.bits).map(move |bit| (victim + 1, bit)))
        .collect();
    let wrong_after = |flip: usize| {
        // large odd steps visit bits and ticks in no order
        let (victim, bit) = bits[flip * 7919 % bits.len()];
        // the run may be given up, or `run` stay high when it is over
        let ticks = 1 + flip * 17 % (program.ticks as usize + 8);
        let at = 1 + flip * 31 % ticks;
        let flip = [format!("+victim={victim}"), format!("+bit={bit}"), format!("+at={at}"), format!("+ticks={ticks}")];
        let output = Command::new("vvp").args(["-n", "sim"]).args(flip).current_dir(folder.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let is_right = output.status.success() && said.starts_with("PASS ");
        (!is_right).then(|| format!("bit {bit} of {} after tick {at}: {said}", registers[victim - 1].path))
    };
    // the last of the long tests: nothing else is left to do beside it
    let wrong: Vec<String> = (0..flips).into_par_iter().filter_map(wrong_after).collect();
    for what in &wrong {
        println!("{name}: {what}");
    }
    let right = flips - wrong.len();
    println!(
        "{name}: {right} of {flips} runs after an upset are right ({} bits, {memory} words of memories)",
        bits.len()
    );
    (right, flips, memory)
}

#[test]
fn the_run_after_an_upset_is_right() {
    if !has("iverilog") {
        return;
    }
    let flips = quick_or_full(2, 150);
    let mut words = Vec::new();
    for (program, width) in [
        (designs::woven(&[4, 4], &Staircase, Switching::None).stretched(2).unwrap(), 8),
        (designs::woven(&[6, 7], &Staircase, Switching::Memory), 4),
        (designs::woven(&[8, 6], &Zigzag, Switching::Periodic), 4),
        (designs::optimal(&[4, 6]), 4),
        (designs::rereader(), 4),
        (designs::late_sender(), 4),
    ] {
        let (right, all, memory) = survived(&program, width, flips);
        assert_eq!(right, all);
        words.push(memory);
    }
    // stores, and delay lines in memory
    assert!(words[..4] == [0; 4] && words[4..].iter().all(|&words| words > 100), "{words:?}");
}

/// The bench is tried: a fabric that a tick of `run` low does not clear is not right after an upset.
#[test]
fn an_upset_that_stays_is_seen() {
    if !has("iverilog") {
        return;
    }
    let program = designs::staircase(4, 4);
    let folder = Folder::with(&program, 8);
    let fabric = folder.path().join("torus_4x4.v");
    let text = fs::read_to_string(&fabric).unwrap();
    // `done`, once it is high, stays so until a reset
    let stays = "rst ? 6'd0 : {done | ending[4], ending[3:0], over}";
    let changed = text.replace("hold ? 6'd0 : {ending, over}", stays);
    assert_ne!(text, changed);
    fs::write(&fabric, changed).unwrap();
    compile(&folder, &program, "`UPSET(1, torus_4x4_tb.fabric.done)\n");
    let (passed, said) = call(&folder, "vvp", &["-n", "sim", "+victim=1", "+at=3"]);
    assert!(!passed && said.contains("FAIL"), "{said}");
}
