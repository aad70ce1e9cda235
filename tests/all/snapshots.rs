//! The emitted files of small designs, to be read.

use torusweave::emit::{self, MemoryFiles, Options};
use torusweave::files::sha256;
use torusweave::program::Program;
use torusweave::study::hardware::Hardware;

use crate::fixtures::chance::Chance;
use crate::fixtures::{by_chance, designs};
use crate::{crossbar, hardware, long_reductions};

fn emitted(program: &Program, width: u32) -> MemoryFiles {
    let mut memory = MemoryFiles::default();
    emit::write_all(program, &designs::options(width), &mut memory).unwrap();
    memory
}

fn text<'m>(memory: &'m MemoryFiles, path: &str) -> &'m str {
    std::str::from_utf8(&memory.0[path]).unwrap()
}

#[test]
fn the_paths_are_those_emitted() {
    for program in [designs::staircase(6, 8), designs::late_sender(), designs::repeater(), designs::rereader()] {
        let mut listed = emit::paths(&program, &designs::options(8));
        listed.sort();
        assert!(listed.iter().eq(emitted(&program, 8).0.keys()));
    }
}

#[test]
fn files_end_in_one_line_end_and_lines_in_none_but_that() {
    for program in [designs::staircase(2, 2).stretched(4).unwrap(), designs::late_sender(), designs::repeater()] {
        for (path, bytes) in emitted(&program, 8).0 {
            let text = String::from_utf8(bytes).unwrap();
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{path}");
            assert!(text.lines().all(|line| line.trim_end() == line), "{path}");
        }
    }
}

#[test]
fn staircase_2x2() {
    let memory = emitted(&designs::staircase(2, 2), 32);
    insta::assert_snapshot!("staircase_router", text(&memory, "torus_2x2_router_a.v"));
    insta::assert_snapshot!("staircase_fabric", text(&memory, "torus_2x2.v"));
    insta::assert_snapshot!("staircase_testbench", text(&memory, "tb/torus_2x2_tb.v"));
    insta::assert_snapshot!("staircase_core", text(&memory, "torus_2x2.core"));
    insta::assert_snapshot!("staircase_list", text(&memory, "torus_2x2.f"));
}

#[test]
fn staircase_2x2_of_four_flits() {
    let memory = emitted(&designs::staircase(2, 2).stretched(4).unwrap(), 8);
    insta::assert_snapshot!("four_flits_router", text(&memory, "torus_2x2_router_a.v"));
    insta::assert_snapshot!("four_flits_fabric", text(&memory, "torus_2x2.v"));
}

#[test]
fn tables() {
    let meander = emitted(&designs::meander(), 8);
    insta::assert_snapshot!("meander_control", text(&meander, "meander_control_a.v"));
    insta::assert_snapshot!("meander_router", text(&meander, "meander_router_a.v"));
    let rereader = emitted(&designs::rereader(), 8);
    insta::assert_snapshot!("rereader_control", text(&rereader, "rereader_control_a.v"));
    insta::assert_snapshot!("rereader_router", text(&rereader, "rereader_router_a.v"));
}

#[test]
fn delay_lines_and_repeats() {
    insta::assert_snapshot!(
        "late_sender_router",
        text(&emitted(&designs::late_sender(), 32), "late_sender_router_a.v")
    );
    insta::assert_snapshot!("repeater_router", text(&emitted(&designs::repeater(), 32), "repeater_router_a.v"));
}

/// Changes meant to keep the Verilog and its cell counts must keep them for every kind of design; no simulator is
/// needed.
#[test]
fn the_rtl_of_every_kind_of_design_by_digest() {
    let reductions = long_reductions::to_play().map(|(name, design)| shown(&name, &design.program, &design.options()));
    let cases = hardware::cases();
    let cases = cases.iter().map(|case| shown(case.name, &case.program, &case.options));
    let configurable = crossbar::designs();
    let configurable =
        configurable.iter().map(|design| shown(&design.program.title.name, &design.program, &design.options()));
    insta::assert_snapshot!(cases.chain(reductions).chain(configurable).collect::<String>());
}

#[test]
fn the_rtl_of_programs_by_chance_by_digest() {
    let programs =
        (0..60).flat_map(|seed| [by_chance::program(&mut Chance(seed)), by_chance::reduction(&mut Chance(seed))]);
    insta::assert_snapshot!(programs.map(|it| shown(&it.title.name, &it, &designs::options(8))).collect::<String>());
}

fn shown(name: &str, program: &Program, options: &Options) -> String {
    let hardware = Hardware::of(program, &emit::netlist(program, options));
    format!("{name}\n  {}\n  {hardware:?}\n", digest(program, options))
}

fn digest(program: &Program, options: &Options) -> String {
    let mut memory = MemoryFiles::default();
    emit::write_rtl(program, options, &mut memory).unwrap();
    let all: Vec<u8> = memory.0.iter().flat_map(|(path, text)| [path.as_bytes(), text].concat()).collect();
    sha256(&all)[..16].to_owned()
}
