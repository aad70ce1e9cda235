//! Verilated RTL and model in lockstep, for every scheme, switching mode and parity case; wrong RTL is caught.

use std::collections::BTreeMap;

use torusweave::check;
use torusweave::emit::{self, Memory as Files};
use torusweave::paths::supply::Switching::{Memory, None, Periodic};
use torusweave::program::Program;
use torusweave::schemes::{hamiltonian::Hamiltonian, optimal::Optimal, staircase::Staircase, zigzag::Zigzag};
use torusweave::tools::lockstep;

use crate::fixtures::designs::{self, woven};
use crate::fixtures::mutants;
use crate::fixtures::tools::toolchain;

/// Plays designs given as program, width of a flit and flits a packet.
fn are_equal(designs: &[(Program, u32, u32)]) {
    let Some(tools) = toolchain() else { return };
    for (program, width, flits) in designs {
        let program = program.stretched(*flits).unwrap();
        let what = format!("{} {}, width {width}, {flits} flits", program.title.scheme, program.title.name);
        let outcome = lockstep::run(&tools, &program, &designs::options(*width), 7).unwrap();
        let agreement = outcome.unwrap_or_else(|difference| panic!("{what}: {difference}"));
        assert!(agreement.ticks > 3 * u64::from(program.ticks), "{what}: three passes and a part of one");
        assert!(agreement.registers > 0, "{what}");
    }
}

#[test]
fn staircase_without_off_cycle_nodes() {
    are_equal(&[(woven(&[4, 4], &Staircase, None), 32, 1), (woven(&[4, 4], &Staircase, None), 64, 4)]);
}

#[test]
fn staircase_with_one_odd_side() {
    are_equal(&[
        (woven(&[6, 7], &Staircase, None), 8, 1),
        (woven(&[6, 7], &Staircase, Memory), 9, 1),
        (woven(&[6, 7], &Staircase, Periodic), 1, 1),
        (woven(&[7, 6], &Staircase, Memory), 33, 1),
    ]);
}

#[test]
fn hamiltonian() {
    are_equal(&[
        (woven(&[7, 9], &Hamiltonian, None), 65, 1),
        (woven(&[3, 4], &Hamiltonian, None), 100, 1),
        (woven(&[3, 4], &Hamiltonian, None), 8, 4),
        (woven(&[3, 3, 3], &Hamiltonian, None), 128, 1),
    ]);
}

#[test]
fn zigzag_in_two_dimensions() {
    are_equal(&[
        (woven(&[8, 6], &Zigzag, None), 16, 1),
        (woven(&[8, 6], &Zigzag, Memory), 32, 1),
        (woven(&[8, 6], &Zigzag, Memory), 8, 4),
        (woven(&[8, 6], &Zigzag, Periodic), 31, 1),
        (woven(&[8, 5], &Zigzag, Memory), 63, 1),
        (woven(&[7, 7], &Zigzag, Memory), 17, 1),
    ]);
}

#[test]
fn zigzag_in_more_dimensions() {
    are_equal(&[
        (woven(&[3, 3, 4], &Zigzag, None), 32, 1),
        (woven(&[3, 3, 4], &Zigzag, Memory), 65, 1),
        (woven(&[4, 4, 4, 4], &Zigzag, Memory), 8, 1),
    ]);
}

#[test]
fn optimal() {
    are_equal(&[
        (woven(&[4, 4], &Optimal, None), 32, 1),
        (woven(&[3, 5], &Optimal, None), 8, 4),
        (woven(&[4, 4, 4], &Optimal, None), 33, 1),
    ]);
}

/// The RTL of a program, file by file.
fn rtl(program: &Program) -> BTreeMap<String, String> {
    let mut files = Files::default();
    emit::write_rtl(program, &designs::options(8), &mut files).unwrap();
    files.0.into_iter().map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect()
}

/// Plays a program beside RTL in which some files are others; whether lockstep sees it.
fn is_caught(tools: &lockstep::Toolchain, program: &Program, wrong: &BTreeMap<String, String>) -> bool {
    let swap = |path: &str, text: String| wrong.get(path).cloned().unwrap_or(text);
    lockstep::run_mutant(tools, program, &designs::options(8), 7, &swap).unwrap().is_err()
}

/// One part of the wrong sources of the 4x4, so that two run at once.
fn wrong_sources_are_caught(part: usize) {
    let Some(tools) = toolchain() else { return };
    let program = woven(&[4, 4], &Staircase, None);
    let routers: Vec<_> = rtl(&program).into_iter().filter(|(path, _)| path.contains("_router_")).collect();
    let mutants: Vec<_> = routers
        .iter()
        .flat_map(|(path, text)| mutants::wrong_sources(text).into_iter().map(move |wrong| (path, wrong)))
        .collect();
    assert_eq!(mutants.len(), 16 * routers.len(), "four outputs, three wrong inputs and one wrong packet each");
    let ours: Vec<_> = mutants.into_iter().skip(part).step_by(2).collect();
    let caught = ours
        .iter()
        .filter(|(path, wrong)| is_caught(&tools, &program, &BTreeMap::from([((*path).clone(), wrong.clone())])));
    let caught = caught.count();
    println!("{caught} of {} wrong sources caught", ours.len());
    assert_eq!(caught, ours.len());
}

#[test]
fn every_wrong_source_of_the_4x4_is_caught_first_half() {
    wrong_sources_are_caught(0);
}

#[test]
fn every_wrong_source_of_the_4x4_is_caught_second_half() {
    wrong_sources_are_caught(1);
}

#[test]
fn every_wrong_time_of_supply_is_caught_by_lockstep() {
    let Some(tools) = toolchain() else { return };
    let program = woven(&[8, 6], &Zigzag, Memory);
    for (what, mutant) in mutants::wrong_times(&program) {
        assert!(is_caught(&tools, &program, &rtl(&mutant)), "{what}");
    }
}

#[test]
fn every_wrong_time_of_supply_is_caught_by_both_checks() {
    let program = woven(&[8, 6], &Zigzag, Memory);
    let mutants = mutants::wrong_times(&program);
    assert!(mutants.len() >= 4, "a switch and a delay line, each wrong both ways");
    for (what, mutant) in mutants {
        assert!(!check::by_execution(&mutant).passed(), "by execution: {what}");
        assert!(!check::by_structure(&mutant).passed(), "by structure: {what}");
    }
}
