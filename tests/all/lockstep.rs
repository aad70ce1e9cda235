//! Verilated RTL and model in lockstep, for every scheme, switching mode and parity case; wrong RTL is caught.

use std::collections::{BTreeMap, BTreeSet};

use torusweave::check;
use torusweave::emit::{self, MemoryFiles as Files};
use torusweave::paths::supply::Switching::{Memory, None, Periodic};
use torusweave::play::Machine;
use torusweave::program::Program;
use torusweave::schemes::{hamiltonian::Hamiltonian, optimal::Optimal, staircase::Staircase, zigzag::Zigzag};
use torusweave::tools::ScratchFolder;
use torusweave::tools::lockstep::{self, By, LockstepError, PartsError, Simulator, Toolchain, Verilated};

use crate::fixtures::by_hand;
use crate::fixtures::designs::{self, woven};
use crate::fixtures::mutants;
use crate::fixtures::tools::{edited, toolchain};

/// Both units of Verilation: the whole fabric, and module by module.
const WAYS: [By; 2] = [By::Fabric, By::Class];

/// Plays designs given as program, width of a flit and flits per packet, both ways.
fn are_equal(designs: &[(Program, u32, u32)]) {
    let Some(tools) = toolchain() else { return };
    for (program, width, flits) in designs {
        let program = program.stretched(*flits).unwrap();
        let what = format!("{} {}, width {width}, {flits} flits", program.title.scheme, program.title.name);
        for by in WAYS {
            let outcome = lockstep::run(&tools, &program, &designs::options(*width), Some(by), 7).unwrap();
            let agreement = outcome.unwrap_or_else(|difference| panic!("{what}, {by:?}: {difference}"));
            assert!(agreement.ticks > 3 * u64::from(program.ticks), "{what}: three passes and a part of one");
            assert_eq!(agreement.registers, registers_ever_valid(&program), "{what}");
            assert_eq!(agreement.verilated == Verilated::Fabric, by == By::Fabric, "{what}");
        }
    }
}

/// Number of registers that ever hold a flit, by the model: those are all that there must be.
fn registers_ever_valid(program: &Program) -> usize {
    let mut machine = Machine::new(program);
    let mut seen = BTreeSet::new();
    while !machine.is_done() {
        machine.step();
        seen.extend((0..program.registers()).filter(|&register| machine.register(register).is_some()));
    }
    seen.len()
}

/// A register of one of them is never valid, so that there are more than ever hold a flit.
#[test]
fn beyond_gossip() {
    let Some(tools) = toolchain() else { return };
    for (program, by) in by_hand::beyond_gossip().into_iter().flat_map(|program| WAYS.map(|by| (program.clone(), by))) {
        let outcome = lockstep::run(&tools, &program, &designs::options(16), Some(by), 3).unwrap();
        let agreement = outcome.unwrap_or_else(|difference| panic!("{}: {difference}", program.title.name));
        assert!(agreement.registers >= registers_ever_valid(&program));
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

/// A simulator of a program's interface and other RTL.
fn with_files<'p>(tools: &Toolchain, program: &'p Program, by: By, other: &BTreeMap<String, String>) -> Simulator<'p> {
    let swap = |path: &str, text: String| other.get(path).cloned().unwrap_or(text);
    edited(tools, program, &designs::options(8), Some(by), &swap).unwrap()
}

/// All of them in one simulator, which a file tells which to play: building takes a hundred times as long as playing.
#[test]
fn every_wrong_source_of_the_4x4_is_caught() {
    let Some(tools) = toolchain() else { return };
    let program = woven(&[4, 4], &Staircase, None);
    let folder = ScratchFolder::new().unwrap();
    let file = folder.path().join("fault.hex");
    let (mut routers, mut faults) = (BTreeMap::new(), 0);
    for (path, text) in rtl(&program).into_iter().filter(|(path, _)| path.contains("_router_")) {
        let mutants = mutants::wrong_sources(&text);
        routers.insert(path, mutants::selectable(&text, &mutants, faults + 1, &file));
        faults += mutants.len();
    }
    assert_eq!(faults, 2 * 4 * (3 + 1), "two routers, four outputs, three wrong inputs and one wrong packet each");
    for by in WAYS {
        let simulator = with_files(&tools, &program, by, &routers);
        let is_caught = |fault: usize| {
            std::fs::write(&file, format!("{fault:x}\n")).unwrap();
            simulator.play(7).unwrap().is_err()
        };
        assert!(!is_caught(0), "without a fault it is right, {by:?}");
        for fault in 1..=faults {
            assert!(is_caught(fault), "fault {fault}, {by:?}");
        }
    }
}

#[test]
fn every_wrong_time_of_supply_is_caught_by_lockstep() {
    let Some(tools) = toolchain() else { return };
    let program = woven(&[8, 6], &Zigzag, Memory);
    for (what, mutant) in mutants::wrong_times(&program) {
        for by in WAYS {
            assert!(with_files(&tools, &program, by, &rtl(&mutant)).play(7).unwrap().is_err(), "{what}, {by:?}");
        }
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

/// Inputs are written in place, so a wider port would be read beyond the end of the buffer.
#[test]
fn wider_inputs_of_a_fabric_are_refused() {
    let Some(tools) = toolchain() else { return };
    let program = woven(&[4, 4], &Staircase, None);
    for input in ["clk", "rst", "run"] {
        let wider = |path: &str, text: String| {
            if path != format!("{}.v", program.title.name) {
                return text;
            }
            let wider = text.replacen(&format!("wire             {input},"), &format!("wire [4095:0] {input},"), 1);
            assert!(wider != text, "nothing of {input} changes");
            wider
        };
        for by in WAYS {
            let refused = edited(&tools, &program, &designs::options(8), Some(by), &wider).map(|_| ()).unwrap_err();
            if by == By::Class {
                let LockstepError::Parts(PartsError::Width { found, .. }) = refused else { panic!("{refused}") };
                assert!(found == 4096 || input == "clk", "{input}: {found}");
            }
        }
    }
}

/// RTL that was edited is a library's input: it must not become code in this process.
#[test]
fn edited_rtl_with_code_of_its_own_is_refused() {
    let Some(tools) = toolchain() else { return };
    let program = woven(&[2, 2], &Staircase, None);
    for code in ["initial $c(\"abort();\");", "`include \"/etc/hostname\"", "import \"DPI-C\" function void f();"] {
        let added = |_: &str, text: String| text.replace("endmodule", &format!("{code}\nendmodule"));
        for by in WAYS {
            let refused = edited(&tools, &program, &designs::options(8), Some(by), &added).map(|_| ()).unwrap_err();
            assert!(
                matches!(&refused, LockstepError::Edited { what, .. } if code.ends_with(what.as_str())),
                "{refused}"
            );
        }
    }
}

/// Another width in the RTL than in the design would be read or written beyond its end.
#[test]
fn variables_of_another_size_than_the_design_says_are_refused() {
    let Some(tools) = toolchain() else { return };
    let program = woven(&[2, 2], &Staircase, None);
    for ((width, bytes, other, other_bytes), by) in
        [(4096, 512, 8, 1), (8, 1, 4096, 512), (64, 8, 8, 1)].into_iter().flat_map(|case| WAYS.map(|by| (case, by)))
    {
        let swap = |_: &str, text: String| text.replace(&format!("WIDTH = {width}"), &format!("WIDTH = {other}"));
        if by == By::Class {
            let refused = edited(&tools, &program, &designs::options(width), Some(by), &swap).map(|_| ()).unwrap_err();
            assert!(
                matches!(refused, LockstepError::Parts(PartsError::Width { found, .. }) if found == other),
                "{refused}"
            );
            continue;
        }
        let simulator = edited(&tools, &program, &designs::options(width), Some(by), &swap).unwrap();
        let refused = simulator.play(7).unwrap_err();
        let LockstepError::Size { found, expected, .. } = refused else { panic!("{refused}") };
        assert_eq!((found, expected), (other_bytes, bytes));
    }
}
