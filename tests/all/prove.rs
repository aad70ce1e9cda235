//! `torusweave prove`: designs are proved in parts and as a whole, and a proof that would not see a fault is none.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use torusweave::emit::formal::{self, Question};
use torusweave::net::ShapeName;
use torusweave::program::{ClassId, Operands, Operation, Program, Source};
use torusweave::tools::ScratchFolder;
use torusweave::tools::prove::design::{self, Ending, ProofPart, ProofSubject};
use torusweave::tools::prove::{ProveError, Prover, SolverVerdict, YosysFiles};

use crate::fixtures::command::{Place, examples};
use crate::fixtures::designs;
use crate::fixtures::mutants::wrong_operands;
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::has;
use crate::reduce;
use crate::trees::wrong_gathers;

pub fn can_prove() -> bool {
    has("yosys") && has("yosys-smtbmc") && has("z3")
}

fn proved(arguments: &str) -> Value {
    let ended = Place::new().run(&format!("prove {arguments} --format json"));
    assert_eq!(ended.code, 0, "{arguments}: {}{}", ended.stdout, ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap()
}

/// Asserts the number of proofs, each of which must detect its fault.
fn are_proved(arguments: &str, proofs: usize) {
    let said = proved(arguments);
    let lines = said["proofs"].as_array().unwrap();
    assert_eq!(lines.len(), proofs, "{arguments}: {said:#}");
    for line in lines {
        let how = line["how"].as_str().unwrap();
        let control = ["its fault fails in step ", "two exchanged are seen", "it reads nothing that could be wrong"];
        assert!(line["proved"] == true && control.iter().any(|words| how.contains(words)), "{arguments}: {line}");
        assert!(!how.contains("NOT SEEN"), "{arguments}: {line}");
    }
    assert!(said["proved"] == true && said["complete"] == true, "{arguments}: {said:#}");
}

/// Delay lines and switches; a table; several flits; ports that look out of the grid. A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn every_class_and_the_fabric_are_proved() {
    if !can_prove() {
        return;
    }
    let designs = [
        ("--torus 5x6 --scheme staircase --switching memory", 4),
        ("--torus 5x6 --scheme staircase --switching periodic --flits 2", 4),
        ("--torus 5x7 --scheme optimal", 2),
        ("--mesh 3x4 --scheme hamiltonian", 10),
        ("--torus 4x6 --scheme staircase --crossbar configurable", 3),
        ("--mesh 4x5 --scheme hamiltonian --crossbar configurable --flits 2", 9),
    ];
    for (design, proofs) in sampled(designs, 3) {
        are_proved(&format!("{design} --part classes,fabric"), proofs);
    }
}

/// Networks of every kind, and messages with lengths; two of them in the check.
#[test]
fn twisted_open_and_damaged_networks_are_proved() {
    if !can_prove() {
        return;
    }
    let all = [
        "--lattice 2,1/0,3",
        "--lattice 2,1/0,3 --collective exchange",
        "--torus 2x3 --open x2",
        "--torus 3x3 --dead-link 0,0:x2+ --part classes,fabric",
        "--mesh 3x3 --dead-node 0,0",
        "--torus 2x3 --dead-node 1,1 --collective broadcast --root 0,0",
        "--torus 2x3 --dead-node 1,1 --collective scatter --root 0,0",
        "--lattice 2,1/0,3 --collective all-reduce --operation xor",
        "--path 3 --collective exchange --lengths 0,1,3/0,0,2/1,0,0",
    ];
    for design in sampled(all, 8) {
        let said = proved(design);
        let proofs = said["proofs"].as_array().unwrap();
        assert!(said["proved"] == true && proofs.len() >= 2, "{design}: {said:#}");
        for line in proofs {
            let how = line["how"].as_str().unwrap();
            assert!(line["proved"] == true && !how.contains("NOT SEEN"), "{design}: {line}");
        }
    }
}

#[test]
fn small_networks_are_proved_whole() {
    if !can_prove() {
        return;
    }
    for design in [
        "--torus 2x4 --scheme staircase",
        "--cycle 5 --scheme hamiltonian --flits 2",
        "--torus 3x3 --scheme optimal",
        "--torus 2x4 --scheme staircase --crossbar configurable",
    ] {
        let said = proved(&format!("{design} --part whole"));
        let how = said["proofs"][0]["how"].as_str().unwrap();
        assert!(how.contains("its fault fails in step "), "{design}: {how}");
    }
}

/// Small designs of every scheme and collective.
const SMALL: [&str; 50] = [
    "--cycle 6 --collective broadcast",
    "--torus 2x2 --collective broadcast --scheme fork",
    "--torus 2x3 --collective broadcast --scheme fork",
    "--torus 2x4 --collective broadcast --scheme fork",
    "--torus 2x5 --collective broadcast --scheme fork",
    "--torus 4x2 --collective broadcast --scheme fork",
    "--torus 3x4 --collective broadcast --scheme fork",
    "--torus 2x2x2 --collective broadcast --scheme fork",
    "--torus 2x3x3 --collective broadcast --scheme fork",
    "--torus 2x2 --collective broadcast --scheme trees",
    "--torus 3x3 --collective broadcast --scheme trees --flits 3",
    "--torus 4x4 --collective broadcast --scheme worm",
    "--torus 5x5 --collective broadcast --scheme worm",
    "--torus 3x3 --collective broadcast --scheme worm-free",
    "--torus 4x4 --collective broadcast --scheme worm-free",
    "--mesh 3x4 --collective broadcast --root 1,1",
    "--path 5 --collective broadcast",
    "--path 3 --collective broadcast --root 1",
    "--cycle 4 --collective exchange",
    "--cycle 5 --collective exchange",
    "--torus 3x3 --collective exchange",
    "--torus 4x4 --collective exchange",
    "--torus 4x4 --collective exchange --own streams",
    "--mesh 2x3 --collective exchange --own streams --flits 2",
    "--torus 3x3 --collective scatter",
    "--torus 3x4 --collective broadcast --flits 5",
    "--torus 2x4 --scheme staircase",
    "--torus 4x5 --scheme staircase --switching periodic --part classes,fabric",
    "--torus 4x6 --scheme staircase --crossbar configurable --part classes,fabric",
    "--torus 3x4 --scheme zigzag",
    "--torus 2x2 --scheme optimal",
    "--torus 2x2x2 --scheme optimal",
    "--torus 3x3x3 --scheme optimal --part classes,fabric",
    "--torus 3x4 --duplex half --scheme optimal",
    "--torus 3x3 --lanes 2 --duplex half --scheme optimal",
    "--torus 4x4 --duplex one-way --scheme optimal --part classes,fabric",
    "--cycle 3",
    "--cycle 6 --duplex one-way",
    "--cycle 6 --duplex pads",
    "--path 2",
    "--path 4 --duplex half",
    "--path 5 --duplex half --lanes 2",
    "--mesh 3x3 --duplex half --scheme lau-zhang",
    "--mesh 3x3 --duplex half --scheme fujita-yamashita --part classes,fabric",
    "--torus 2x3 --collective all-reduce --operation sum",
    "--torus 3x3 --collective all-reduce --operation max --scheme optimal",
    "--torus 3x4 --collective reduce-scatter --operation sum --scheme zigzag",
    "--mesh 2x2 --collective reduce-scatter --operation xor",
    "--cycle 5 --collective reduce-scatter --operation min --scheme hamiltonian",
    "--torus 3x3x3 --collective all-reduce --operation or --scheme hamiltonian --part classes,fabric",
];

/// Every design of `SMALL`, or a sample of them in the check: proved, beside a fault that is seen.
#[test]
fn every_scheme_and_collective_is_proved_on_small_networks() {
    if !can_prove() {
        return;
    }
    let mut proofs = 0;
    // two that stand for a fault that takes a port, and one that takes a whole router, are always among them
    for design in SMALL[..2].iter().chain(sampled(SMALL[2..].iter(), 15)) {
        let said = proved(design);
        for line in said["proofs"].as_array().unwrap() {
            let how = line["how"].as_str().unwrap();
            assert!(line["proved"] == true && !how.contains("NOT SEEN"), "{design}: {line}");
            proofs += 1;
        }
        assert!(said["proved"] == true, "{design}: {said:#}");
    }
    println!("{proofs} proofs of small designs");
}

/// Examples that no proof covers, and the reason that is given.
const REFUSED: [(&str, &str); 2] =
    [("path-6-gather", "schemes that find out lengths while they run"), ("torus-4x5-gather", "inputs that are joined")];

/// All examples, or in the check a sample, with those that have memories beside their routers.
#[test]
fn examples_are_proved_or_refused_by_name() {
    if !can_prove() {
        return;
    }
    let (with_memories, others): (Vec<_>, Vec<_>) =
        examples().into_iter().partition(|path| fs::read_to_string(path).unwrap().contains("local:"));
    assert!(!with_memories.is_empty());
    let (mut proved, mut refused) = (0, 0);
    for path in with_memories.iter().chain(sampled(others.iter(), 9)) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let ended = Place::new().run(&format!("prove {} --part classes,fabric --format json", path.display()));
        if let Some((_, reason)) = REFUSED.iter().find(|(of, _)| *of == name) {
            assert!(ended.code == 2 && ended.stderr.contains(reason), "{name}: {}", ended.stderr);
            refused += 1;
        } else {
            assert_eq!(ended.code, 0, "{name}: {}{}", ended.stdout, ended.stderr);
            assert!(!ended.stdout.contains("NOT SEEN"), "{name}: {}", ended.stdout);
            proved += 1;
        }
    }
    println!("{proved} examples proved, {refused} refused by name");
}

/// The memories of nodes stand beside the fabric that is proved, and wait for what a faulty program does not bring.
#[test]
fn fabrics_with_memories_are_proved() {
    if !can_prove() {
        return;
    }
    for design in [
        "--torus 2x4 --scheme staircase --set local.order=arrival",
        "--cycle 4 --collective exchange --set local.order=origin",
        "--cycle 6 --collective broadcast --set local.order=origin",
        "--torus 2x4 --scheme staircase --bist true",
    ] {
        assert!(proved(&format!("{design} --part classes"))["proved"] == true, "{design}");
    }
}

/// Designs without assertions are refused by name, not by a tool.
#[test]
fn a_design_that_cannot_be_proved_is_refused_by_name() {
    if !can_prove() {
        return;
    }
    for (design, reason) in [
        ("--torus 3x3 --collective gather", "windows in which nodes send"),
        ("--path 4 --collective gather --scheme shoulder-tap", "schemes that find out lengths while they run"),
    ] {
        let ended = Place::new().run(&format!("prove {design}"));
        assert_eq!(ended.code, 2, "{design}: {}", ended.stderr);
        assert!(ended.stderr.contains(reason), "{design}: {}", ended.stderr);
    }
}

/// Assertions come from the program, not from the Verilog: the router of another program must fail.
#[test]
fn the_verilog_of_another_program_is_refuted() {
    if !can_prove() {
        return;
    }
    let (program, options) = (designs::staircase(4, 4), designs::options(8));
    let prover = Prover::find().unwrap();
    let proofs = design::prove(&prover, &program, &options, &[ProofPart::Classes], |_| ()).unwrap();
    assert_eq!(proofs.len(), 2);
    for proof in &proofs {
        assert!(matches!(proof.subject, ProofSubject::Class { .. }) && proof.holds());
        let Ending::Checked { verdict, fault, .. } = &proof.ending else { panic!("{proof:?}") };
        assert_eq!(*verdict, SolverVerdict::Holds);
        // in step 0 registers hold anything, 9 steps later nothing; tick 1 sends own packets, tick 2 the first input
        assert!(matches!(fault, Some(SolverVerdict::Fails { step: 11, .. })), "{fault:?}");
    }
}

/// A proof stands on what is asserted: every output in every tick, and that nothing is left of earlier runs.
#[test]
fn every_output_is_asserted_in_every_tick() {
    let program = designs::rereader();
    let question = formal::class(&program, &designs::options(8), &program, ClassId(0)).unwrap();
    let spans: Vec<(u32, u32)> = question
        .text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("if (tick >= ")?.split_once(" && tick <= "))
        .map(|(first, rest)| (first.parse().unwrap(), rest.split(')').next().unwrap().parse().unwrap()))
        .collect();
    let outputs = program.classes[0].outputs.iter().filter(|track| !track.is_idle()).count() as u32;
    assert_eq!(spans.iter().map(|(first, last)| last + 1 - first).sum::<u32>(), outputs * program.ticks);
    assert_eq!(question.text.matches("if (tick == 0) assert (!").count(), outputs as usize);
    // the step before, the control's way to tick 1 and after the last tick, and two more
    assert_eq!(question.steps, program.ticks + 2 * 8 + 3);
}

#[test]
fn without_its_tools_nothing_is_proved() {
    let place = Place::new();
    let output = place.command().args(["prove", "--torus", "4x4"]).env("PATH", "").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: `yosys` is not installed"), "{said}");
    assert!(
        said.ends_with("help: install it with `apt-get install yosys`; `torusweave check` needs nothing\n"),
        "{said}"
    );
}

/// Adders, delay lines and switches, values taken at once and a tick ahead; what rests at ones; long packets. A sample; all under
/// `TORUSWEAVE_FULL`.
#[test]
fn reductions_are_proved_class_by_class() {
    if !can_prove() {
        return;
    }
    let designs = [
        ("--torus 4x4 --scheme staircase --collective all-reduce --operation sum --flits 2", 3),
        ("--torus 4x5 --scheme staircase --switching memory --collective reduce-scatter --operation max", 4),
        ("--torus 3x4 --scheme optimal --collective all-reduce --operation and", 2),
        ("--mesh 3x4 --scheme hamiltonian --collective all-reduce --operation xor", 10),
    ];
    for (design, proofs) in sampled(designs, 2) {
        are_proved(design, proofs);
    }
}

/// Units in the place of the adders: one, two in a row, of values that are taken at once or a tick ahead.
#[test]
fn reductions_of_floats_are_proved_for_any_function_of_two_values() {
    if !can_prove() {
        return;
    }
    for (design, proofs) in [
        ("--cycle 4 --scheme hamiltonian --collective all-reduce --operation sum --number bf16 --adder 1 --flits 2", 2),
        ("--path 3 --collective reduce-scatter --operation max --number f16", 4),
        (
            "--torus 2x3 --scheme optimal --flits 3 --collective reduce-scatter --operation sum --number f32 --adder 1",
            2,
        ),
    ] {
        are_proved(design, proofs);
    }
}

/// Function that puts a question to the prover.
type Ask = fn(&Prover, &YosysFiles, &Question, &Path) -> Result<SolverVerdict, ProveError>;

/// Asks the question about a class of `right` of the Verilog of `wrong`.
fn confront(ask: Ask, right: &Program, wrong: &Program, class: usize) -> SolverVerdict {
    let options = designs::options(if right.adder_ticks() > 0 { 2 } else { 3 });
    let question = formal::class(right, &options, wrong, ClassId(class as u32)).unwrap();
    let folder = ScratchFolder::new().unwrap();
    let rtl = YosysFiles::write(wrong, &options, folder.path().join("rtl")).unwrap();
    ask(&Prover::find().unwrap(), &rtl, &question, &folder.path().join("class")).unwrap()
}

/// The last of the steps that are asked about at once is not the last of all.
#[test]
fn a_fault_in_the_last_tick_of_many_is_found_at_once_and_step_by_step() {
    if !can_prove() {
        return;
    }
    let right = designs::design_on(ShapeName::Cycle, &[75], &["scheme=hamiltonian"]).program;
    let mut early = right.clone();
    early.ticks -= 1;
    for run in early.classes.iter_mut().flat_map(|class| &mut class.outputs).filter_map(|it| it.runs.last_mut()) {
        run.ticks -= 1;
    }
    assert_eq!(confront(Prover::prove, &right, &right, 0), SolverVerdict::Holds);
    let [at_once, by_steps] = [Prover::prove, Prover::refute].map(|ask: Ask| confront(ask, &right, &early, 0));
    assert!(matches!(at_once, SolverVerdict::Fails { step, .. } if step > right.ticks), "{at_once:?}");
    assert_eq!(at_once, by_steps);
}

/// A solver finds each: another operation, an operand dropped, an age off, another input gathered, one tick too few.
#[test]
fn the_verilog_of_a_wrong_reduction_is_refuted() {
    if !can_prove() {
        return;
    }
    for (sides, config) in [(&[4, 4][..], "staircase none all-reduce sum"), (&[3, 4], "optimal none all-reduce max")] {
        let right = reduce::design(ShapeName::Torus, sides, config).program;
        for class in 0..right.classes.len() {
            assert_eq!(confront(Prover::prove, &right, &right, class), SolverVerdict::Holds, "{sides:?} {config}");
        }
        let mut swapped = right.clone();
        let reduction = Arc::make_mut(swapped.reduction.as_mut().unwrap());
        reduction.operation = if reduction.operation == Operation::Sum { Operation::Xor } else { Operation::Min };
        // many steps at once are refuted as well, and in the same step
        let [at_once, by_steps] = [Prover::prove, Prover::refute].map(|ask: Ask| confront(ask, &right, &swapped, 0));
        assert!(
            at_once == by_steps && at_once != SolverVerdict::Holds,
            "{sides:?} {config}: {at_once:?}, {by_steps:?}"
        );
        let mut refuted = 1;
        for (what, mutant) in sampled(wrong_operands(&right), 11).chain(sampled(wrong_gathers(&right), 13)) {
            let mut classes = 0..right.classes.len();
            let is_refuted =
                classes.any(|class| confront(Prover::refute, &right, &mutant, class) != SolverVerdict::Holds);
            assert!(is_refuted, "{sides:?} {config}: {what}");
            refuted += 1;
        }
        println!("{sides:?} {config}: {refuted} mutants refuted");
    }
}

/// A solver finds each: operands that are dropped, late or in another order, another input gathered, an adder a tick longer.
#[test]
fn the_verilog_of_a_wrong_reduction_of_floats_is_refuted() {
    if !can_prove() {
        return;
    }
    let sum = ["collective=all-reduce", "operation=sum", "number=bf16", "adder=1", "link.flits=3", "scheme=optimal"];
    let right = designs::design_on(ShapeName::Torus, &[2, 3], &sum).program;
    assert_eq!(right.adder_rows(), 2);
    let mut mutants: Vec<_> = sampled(wrong_operands(&right), 7).chain(sampled(wrong_gathers(&right), 7)).collect();
    let mut longer = right.clone();
    Arc::make_mut(longer.reduction.as_mut().unwrap()).adding += right.adder_rows();
    mutants.push(("an adder a tick longer".into(), longer));
    let mut turned = right.clone();
    let mut orders = 0;
    for run in turned.classes.iter_mut().flat_map(|class| &mut class.outputs).flat_map(|track| &mut track.runs) {
        if let Source::Sum { operands } = run.source
            && operands.iter().len() > 1
        {
            run.source = Source::Sum { operands: Operands::of(operands.iter().collect::<Vec<_>>().into_iter().rev()) };
            orders += 1;
        }
    }
    assert!(orders > 0);
    mutants.push(("operands in another order".into(), turned));
    for (what, mutant) in &mutants {
        assert!(matches!(confront(Prover::refute, &right, mutant, 0), SolverVerdict::Fails { .. }), "{what}");
    }
    println!("{} mutants refuted", mutants.len());
}

/// Units that are connected in another way than the program says are refuted, whatever they compute.
#[test]
fn adders_with_exchanged_operands_are_refuted() {
    if !can_prove() {
        return;
    }
    let sum = ["collective=reduce-scatter", "operation=sum", "number=f32", "adder=1", "link.flits=3", "scheme=optimal"];
    let right = designs::design_on(ShapeName::Torus, &[2, 3], &sum).program;
    let options = designs::options(2);
    let question = formal::class(&right, &options, &right, ClassId(0)).unwrap();
    let folder = ScratchFolder::new().unwrap();
    let rtl = YosysFiles::write(&right, &options, folder.path().join("rtl")).unwrap();
    let router = folder.path().join("rtl").join(format!("{}_router_a.v", right.title.name));
    let text = fs::read_to_string(&router).unwrap();
    let edits = [
        ("_row_1_0), .b(", "_row_1_1), .b("),
        ("_operand_0), .b(", "_operand_1), .b("),
        (".b({1'b1, {(WIDTH-1){1'b0}}})", ".b({WIDTH{1'b0}})"),
    ];
    for (index, (from, to)) in edits.into_iter().enumerate() {
        assert!(text.contains(from), "{from}\n{text}");
        fs::write(&router, text.replacen(from, to, 1)).unwrap();
        let verdict = Prover::find().unwrap().refute(&rtl, &question, &folder.path().join(format!("class_{index}")));
        assert!(matches!(verdict.unwrap(), SolverVerdict::Fails { .. }), "{to}");
    }
}
