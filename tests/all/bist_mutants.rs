//! Faults of fabric, leaf, control and checkers under the self-test: none that changes anything passes.
//!
//! A test by itself tries a few; with `TORUSWEAVE_FULL=1` it tries 120.

use std::fs;

use torusweave::net::ShapeName;

use crate::bist::{options, parameters, says};
use crate::fixtures::designs::{self, Folder};
use crate::fixtures::tools::{call, has, play};
use crate::rtl_mutants::{Mutant, mutants};

/// Mutants tried, evenly spaced: with `TORUSWEAVE_FULL`, and otherwise.
const TRIED: [usize; 2] = [120, 8];

/// Every signal of a file that is assigned in one line, at zeros and at ones for good.
fn stuck(file: &str, text: &str) -> Vec<Mutant> {
    let lines: Vec<&str> = text.lines().collect();
    let mut mutants = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let code = line.split("//").next().unwrap();
        let Some(value) = code.trim_end().strip_suffix(';') else { continue };
        let assigned = value.split_once(" <= ").map(|(name, _)| (name, "<="));
        let is_wire = value.trim_start().starts_with("assign ") || value.trim_start().starts_with("wire ");
        let assigned = assigned.or_else(|| value.split_once(" = ").filter(|_| is_wire).map(|(name, _)| (name, "=")));
        let Some((name, sign)) = assigned.filter(|(name, _)| !name.contains("if (")) else { continue };
        for constant in ["0", "~0"] {
            let wrong = format!("{name} {sign} {constant};");
            let mut all = lines.clone();
            all[index] = &wrong;
            let text = all.join("\n") + "\n";
            mutants.push(Mutant {
                file: file.to_owned(),
                text,
                what: format!("{file}:{}: {}", index + 1, wrong.trim()),
            });
        }
    }
    mutants
}

/// Faults of one arrival that every self-test must name: a bit of the word, a word too many, a word too few.
const FAULTS: [(&str, &str); 4] = [
    (".data(n0_1_t_in_data)", ".data(n0_1_t_in_data ^ 1)"),
    (".data(n0_1_t_in_data)", ".data(n0_1_t_in_data ^ 8)"),
    (".valid(n0_1_t_in_valid)", ".valid(1'b1)"),
    (".valid(n0_1_t_in_valid)", ".valid(1'b0)"),
];

/// A mutant that passes leaves the fabric right, as its testbench says, or a checker that names every fault.
fn try_all(settings: &str) {
    let all: Vec<&str> = settings.split(' ').chain(["name=d"]).collect();
    let program = designs::design_on(ShapeName::Torus, &[2, 2], &all).program;
    let folder = Folder::with_options(&program, &options(4));
    let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
    let write = |file: &str, text: &str| fs::write(folder.path().join(file), text).unwrap();
    let list = read("d.f");
    let files = list.lines().filter(|file| !matches!(*file, "d_bist.v" | "d_bist_report.v"));
    let all: Vec<Mutant> =
        files.flat_map(|file| [mutants(file, &read(file)), stuck(file, &read(file))].concat()).collect();
    let [many, few] = TRIED;
    let tried = if std::env::var_os("TORUSWEAVE_FULL").is_some() { many } else { few };
    let (mut caught, mut harmless) = (0, Vec::new());
    for mutant in all.iter().step_by((all.len() / tried).max(1)).take(tried) {
        let text = read(&mutant.file);
        write(&mutant.file, &mutant.text);
        // a loop over generated parts may have no end
        let (compiles, _) = call(&folder, "timeout", &["30", "iverilog", "-g2005", "-o", "x", "-f", "d.f"]);
        if compiles && says(&folder, "d", &parameters(7, None)).starts_with("PASS") {
            let what = &mutant.what;
            if mutant.file.contains("_bist") {
                let whole = read("d_bist.v");
                for (from, to) in FAULTS {
                    assert_eq!(whole.matches(from).count(), 1, "{from}");
                    write("d_bist.v", &whole.replace(from, to));
                    let said = says(&folder, "d", &parameters(7, None));
                    assert!(said.starts_with("FAIL"), "{settings}: {what}: {to}: {said}");
                }
                write("d_bist.v", &whole);
            } else {
                let printed = play(&folder, "d");
                assert!(printed.starts_with("PASS"), "{settings}: {what}: {printed}");
            }
            harmless.push(what);
        } else {
            caught += usize::from(compiles);
        }
        write(&mutant.file, &text);
    }
    println!("{settings}: {caught} faults caught, {} harmless: {harmless:#?}", harmless.len());
    assert!(caught > tried / 2, "{caught} of {tried}");
}

#[test]
fn no_fault_of_fabric_leaf_control_or_checker_passes_in_a_gossip() {
    if has("iverilog") {
        try_all("scheme=staircase");
    }
}

#[test]
fn no_fault_of_fabric_leaf_control_or_checker_passes_in_a_reduction() {
    if has("iverilog") {
        try_all("collective=all-reduce operation=sum scheme=optimal");
    }
}
