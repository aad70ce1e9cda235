//! Faults of the fabric's timing that a solver finds: sequences that go on wrongly, runs that are held, and runs broken off.

use std::fs;

use torusweave::emit::formal::{self, Question};
use torusweave::net::ShapeName;
use torusweave::program::{ClassId, Program};
use torusweave::tools::ScratchFolder;
use torusweave::tools::prove::{Prover, SolverVerdict, YosysFiles};

use crate::fixtures::designs;
use crate::prove::can_prove;

/// Verilog of a program, and the questions about its classes.
struct Case {
    folder: ScratchFolder,
    prover: Prover,
    rtl: YosysFiles,
    questions: Vec<Question>,
    name: String,
}

impl Case {
    fn new(program: &Program, width: u32) -> Self {
        let (folder, options) = (ScratchFolder::new().unwrap(), designs::options(width));
        let classes = (0..program.classes.len() as u32).map(ClassId);
        Self {
            rtl: YosysFiles::write(program, &options, folder.path().join("rtl")).unwrap(),
            questions: classes.filter_map(|class| formal::class(program, &options, program, class)).collect(),
            prover: Prover::find().unwrap(),
            name: program.title.name.clone(),
            folder,
        }
    }

    fn is_proved(&self) -> bool {
        let asked = self.folder.path().join("asked");
        let holds = |question| self.prover.prove(&self.rtl, question, &asked).unwrap() == SolverVerdict::Holds;
        self.questions.iter().all(holds)
    }

    /// Returns true if some class is refuted once a file of the design says something else in one place.
    fn is_refuted(&self, file: &str, from: &str, to: &str) -> bool {
        let path = self.folder.path().join("rtl").join(format!("{}{file}", self.name));
        let right = fs::read_to_string(&path).unwrap();
        assert_eq!(right.matches(from).count(), 1, "{from}");
        fs::write(&path, right.replace(from, to)).unwrap();
        let is_refuted = !self.is_proved();
        fs::write(&path, right).unwrap();
        is_refuted
    }
}

/// With periodic switching, the control of class c goes on with entry 3 after its last, 6, and with no other.
#[test]
fn control_that_goes_on_with_another_entry_is_refuted() {
    if !can_prove() {
        return;
    }
    let settings = ["scheme=staircase", "switching=periodic"];
    let case = Case::new(&designs::design_on(ShapeName::Torus, &[5, 6], &settings).program, 1);
    assert!(case.is_proved());
    for other in [0, 1, 2, 4, 5] {
        let to = format!("3'd6: {{entry, left, over}} <= {{3'd{other},");
        assert!(case.is_refuted("_control_c.v", "3'd6: {entry, left, over} <= {3'd3,", &to), "{to}");
    }
}

/// A tick played after the end would show one control latency later, while `run` is still high.
#[test]
fn fabric_that_plays_on_while_run_is_held_is_refuted() {
    if !can_prove() {
        return;
    }
    let case = Case::new(&designs::design_on(ShapeName::Torus, &[3, 5], &["scheme=optimal"]).program, 1);
    assert!(case.is_proved());
    for wrong in ["last & over", "last", "over & last"] {
        assert!(case.is_refuted(".v", "go <= ~(hold | last | over);", &format!("go <= ~(hold | {wrong});")), "{wrong}");
    }
}

/// A run may be broken off before its first tick, and the next one begin a clock later: no value is taken in between.
#[test]
fn values_that_are_taken_for_a_run_broken_off_are_refuted() {
    if !can_prove() {
        return;
    }
    let settings = ["scheme=optimal", "collective=reduce-scatter", "operation=sum"];
    let case = Case::new(&designs::design_on(ShapeName::Torus, &[3, 3], &settings).program, 2);
    assert!(case.is_proved());
    let shift = "playing <= hold ? 6'd0 : {playing[4:0], go};";
    for (from, to) in [
        (shift, "playing <= {playing[4:0], go};"),
        (shift, "playing <= hold ? 6'd1 : {playing[4:0], go};"),
        ("n0_0_own_0_taken & playing[5] & ~hold", "n0_0_own_0_taken & playing[5]"),
        ("n0_0_own_0_taken & playing[5] & ~hold", "n0_0_own_0_taken & playing[4] & ~hold"),
    ] {
        assert!(case.is_refuted(".v", from, to), "{to}");
    }
}
