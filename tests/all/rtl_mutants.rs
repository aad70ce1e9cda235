//! Mutants of the generated Verilog: the testbench catches each, or the proof finds it at fault or right after all.
//!
//! `just rtl-mutants` tries hundreds and prints the score; a test by itself tries a few.

use std::fs;
use std::path::Path;

use torusweave::emit::formal;
use torusweave::net::ShapeName;
use torusweave::paths::supply::Switching::{Memory, None as Never, Periodic};
use torusweave::program::{ClassId, Program};
use torusweave::schemes::{hamiltonian::Hamiltonian, optimal::Optimal, staircase::Staircase, zigzag::Zigzag};
use torusweave::tools::prove::{Prover, SolverVerdict, YosysFiles, wiring};

use crate::fixtures::designs::{self, Folder, woven};
use crate::fixtures::tools::{call, has};
use crate::reduce;

/// Number of mutants tried per design, evenly spaced: with `TORUSWEAVE_FULL=all`, and otherwise.
const TRIED: [usize; 2] = [30, 4];

/// Bits of a flit in the testbench; in a proof one will do, they are all treated alike, and three where they are combined.
const WIDTH: u32 = 8;

/// Every scheme and way of switching, several flits; few classes, of which each takes a proof.
fn programs() -> Vec<Program> {
    vec![
        woven(&[4, 4], &Staircase, Never),
        woven(&[4, 5], &Staircase, Memory),
        woven(&[5, 4], &Staircase, Periodic),
        woven(&[4, 4], &Hamiltonian, Never),
        woven(&[4, 6], &Zigzag, Memory),
        woven(&[4, 6], &Zigzag, Periodic),
        woven(&[4, 4], &Optimal, Never),
        woven(&[3, 4], &Optimal, Never).stretched(2).unwrap(),
        designs::along_a_path(5),
        reduce::design(ShapeName::Torus, &[4, 4], "staircase none all-reduce sum").program,
        reduce::design(ShapeName::Torus, &[3, 4], "optimal none reduce-scatter max").program,
    ]
}

/// A line of a file that says something else.
#[derive(Clone)]
pub struct Mutant {
    pub file: String,
    pub text: String,
    pub what: String,
}

/// Every mutant of a file, one change each.
pub fn mutants(file: &str, text: &str) -> Vec<Mutant> {
    let lines: Vec<&str> = text.lines().collect();
    let mut mutants = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let code = line.split("//").next().unwrap();
        for wrong in changed(code) {
            let mut all = lines.clone();
            all[index] = &wrong;
            mutants.push(Mutant {
                file: file.to_owned(),
                text: all.join("\n") + "\n",
                what: format!("{file}:{}: `{}`, not `{}`", index + 1, wrong.trim(), code.trim()),
            });
        }
    }
    mutants
}

/// Variants of a line of code, each with one change.
fn changed(code: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (gate, other) in [(" & ", " | "), (" | ", " & "), ("~", ""), (" == ", " != "), (" + ", " - ")] {
        all.extend(
            code.match_indices(gate).map(|(at, _)| format!("{}{other}{}", &code[..at], &code[at + gate.len()..])),
        );
    }
    if let Some((condition, arms)) = code.split_once(" ? ")
        && let Some((one, other)) = arms.trim_end().trim_end_matches([';', ')']).split_once(" : ")
    {
        let end = &arms.trim_end()[one.len() + 3 + other.len()..];
        all.push(format!("{condition} ? {other} : {one}{end}"));
    }
    for (at, _) in code.match_indices("'b") {
        let digits = &code[at + 2..];
        let length = digits.find(|digit| !matches!(digit, '0' | '1' | '_')).unwrap_or(digits.len());
        let places = digits[..length].char_indices().filter(|(_, digit)| *digit != '_');
        all.extend(places.map(|(place, digit)| {
            let flipped = if digit == '0' { '1' } else { '0' };
            format!("{}{flipped}{}", &code[..at + 2 + place], &code[at + 3 + place..])
        }));
    }
    for (at, _) in code.match_indices("'d") {
        let digits = &code[at + 2..];
        let length = digits.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(digits.len());
        let Ok(number) = digits[..length].parse::<u32>() else { continue };
        all.push(format!("{}{}{}", &code[..at + 2], number ^ 1, &digits[length..]));
    }
    let is_loaded = code.contains(" <= ") && code.trim_end().ends_with(';') && !code.contains('(');
    if is_loaded && !code.trim_start().starts_with("if ") {
        all.push(";".to_owned());
    }
    all
}

/// Outcome of the mutants.
#[derive(Debug, Default, PartialEq, Eq)]
struct Score {
    by_testbench: usize,
    by_proof: usize,
    /// mutants that are proved equivalent
    proved_right: Vec<String>,
    unknown: Vec<String>,
}

fn try_all(program: &Program, prover: &Prover, score: &mut Score) {
    let options = designs::options(WIDTH);
    let name = &program.title.name;
    let folder = Folder::with_options(program, &options);
    let list = fs::read_to_string(folder.path().join(format!("{name}.f"))).unwrap();
    let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
    let all: Vec<Mutant> = list.lines().flat_map(|file| mutants(file, &read(file))).collect();
    let [many, few] = TRIED;
    let tried = if is_full() { many } else { few };
    for mutant in all.iter().step_by((all.len() / tried).max(1)).take(tried) {
        let right = read(&mutant.file);
        fs::write(folder.path().join(&mutant.file), &mutant.text).unwrap();
        let bench = format!("tb/{name}_tb.v");
        let (compiles, _) = call(&folder, "iverilog", &["-g2005", "-o", "sim", "-f", &format!("{name}.f"), &bench]);
        let verdict = compiles.then(|| call(&folder, "vvp", &["-n", "sim"]).1);
        fs::write(folder.path().join(&mutant.file), right).unwrap();
        match verdict {
            // the mutant is not valid Verilog
            None => {}
            Some(printed) if !printed.starts_with("PASS") => score.by_testbench += 1,
            Some(_) => match proof(program, prover, mutant, folder.path()) {
                Some(true) => score.proved_right.push(format!("{name}: {}", mutant.what)),
                Some(false) => score.by_proof += 1,
                None => score.unknown.push(format!("{name}: {}", mutant.what)),
            },
        }
    }
}

/// Returns true if every class still meets its assertions and the fabric still joins them as the topology says.
fn proof(program: &Program, prover: &Prover, mutant: &Mutant, folder: &Path) -> Option<bool> {
    let options = designs::options(if program.reduction.is_some() { 3 } else { 1 });
    let scratch = folder.join("proof");
    fs::create_dir_all(&scratch).unwrap();
    let rtl = YosysFiles::write(program, &options, scratch.join("rtl")).unwrap();
    fs::write(scratch.join("rtl").join(&mutant.file), &mutant.text).unwrap();
    let classes = (0..program.classes.len() as u32).map(ClassId);
    let mut questions = classes.filter_map(|class| formal::class(program, &options, program, class));
    let verdict = questions.try_fold(true, |holds, question| {
        let asked = prover.prove(&rtl, &question, &scratch.join("asked")).ok()?;
        Some(holds && asked == SolverVerdict::Holds)
    });
    let netlist = torusweave::emit::netlist(program, &options);
    let joined = wiring::compare(prover, program, &netlist, &rtl, &scratch.join("joined")).ok()?;
    fs::remove_dir_all(&scratch).unwrap();
    Some(verdict? && joined.differences.is_empty())
}

#[test]
fn every_mutant_of_the_verilog_is_caught_or_proved_right() {
    if !has("iverilog") || !has("yosys") || !has("z3") {
        return;
    }
    let prover = Prover::find().unwrap();
    let mut score = Score::default();
    for program in programs() {
        try_all(&program, &prover, &mut score);
    }
    let Score { by_testbench, by_proof, proved_right, unknown } = &score;
    let right = proved_right.len();
    let tried = by_testbench + by_proof + right + unknown.len();
    println!("{tried} mutants: {by_testbench} caught by the testbench, {by_proof} more by proof, {right} proved right");
    println!("{proved_right:#?}");
    assert!(unknown.is_empty(), "{unknown:#?}");
    assert!(!is_full() || tried >= 200 && right * 10 < tried, "{score:?}");
}

pub fn is_full() -> bool {
    std::env::var_os("TORUSWEAVE_FULL").is_some_and(|full| full == "all")
}
