//! Self-test of lists of programs, through the streams of their nodes: every word is compared, and faults of design and checkers are
//! seen.

use std::fs;
use std::path::Path;

use crate::bist::LISTENER;
use crate::fixtures::command::{Place, project};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{has, said};
use crate::rtl_mutants::{Mutant, is_full, mutants};

const ROOTED: [&str; 4] = ["broadcast", "scatter", "gather", "reduce"];
const MOVED: [&str; 2] = ["gossip", "exchange"];
const COMBINED: [&str; 2] = ["all-reduce", "reduce-scatter"];

/// Config of a design of every collective, with a self-test.
pub fn config_of_all(network: &str, root: &str, operation: &str) -> String {
    let mut config = format!("name: d\n{network}\nhost: {{ bus: streams }}\nbist: true\nprograms:\n");
    for name in MOVED.into_iter().chain(COMBINED).chain(ROOTED) {
        let root = if ROOTED.contains(&name) { format!(", root: {root}") } else { String::new() };
        let combines = COMBINED.contains(&name) || name == "reduce";
        let operation = if combines { format!(", operation: {operation}") } else { String::new() };
        config += &format!("  - {{ collective: {name}{root}{operation} }}\n");
    }
    config
}

/// Design of every collective on a network, in the folder `d`.
fn generated(network: &str, root: &str, operation: &str) -> Place {
    let place = Place::new();
    place.write("d.yaml", config_of_all(network, root, operation));
    let ended = place.run("generate d.yaml --out d");
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{network}");
    place
}

pub fn run(folder: &Path, tool: &str, arguments: &str) -> String {
    let output = std::process::Command::new(tool).args(arguments.split(' ')).current_dir(folder).output().unwrap();
    said(&output)
}

/// Line of the self-test after some runs, with an error in a word of a node in one of them.
pub fn says(folder: &Path, runs: u32, injected: (u32, u32, u32)) -> String {
    let (run_number, word, node) = injected;
    let set = format!(
        "d_bist #(.CLOCK(4), .BAUD(1), .RUNS({runs}), .INJECT_RUN({run_number}), .INJECT_TICK({word}), .INJECT_NODE({node})) dut"
    );
    let listener = LISTENER.replace("bist dut", &set).replace("#400000", "#4000000");
    fs::write(folder.join("listener.v"), listener).unwrap();
    let built = run(folder, "timeout", "30 iverilog -g2005 -Wall -o listener -s listener -f d.f listener.v");
    if !built.is_empty() {
        return built;
    }
    let printed = run(folder, "timeout", "60 vvp -n listener");
    printed.lines().find(|line| !line.contains("$finish")).unwrap_or_default().to_owned()
}

/// Words that the bench compares in so many calls.
fn words_of_bench(folder: &Path, calls: u32) -> u64 {
    run(folder, "timeout", "30 iverilog -g2005 -o sim -f d.f tb/d_tb.v");
    let printed = run(folder, "timeout", &format!("60 vvp -n sim +runs={calls}"));
    let words = printed.strip_prefix(&format!("PASS {calls} calls, ")).and_then(|rest| rest.split(' ').next());
    words.unwrap_or_else(|| panic!("{printed}")).parse().unwrap()
}

/// Networks, roots, operations and numbers, nodes, and calls of a run.
const DESIGNS: [(&str, &str, &str, u32, u32); 14] = [
    ("topology: { torus: [2, 3] }\nlink: { width: 8 }", "any", "sum", 6, 17),
    // narrower than a word's number, and wider than the key
    ("topology: { torus: [2, 2] }\nlink: { width: 1 }", "any", "xor", 4, 17),
    ("topology: { torus: [2, 4] }\nlink: { width: 8 }", "any", "xor", 8, 17),
    ("topology: { torus: [2, 3] }\nlink: { width: 70, flits: 2 }\nlocal: { order: origin }", "any", "max", 6, 17),
    ("topology: { torus: [2, 3] }\nlink: { width: 8 }\nlocal: { order: arrival }", "any", "or", 6, 17),
    ("topology: { mesh: [2, 3] }\nlink: { width: 16 }", "[0, 1]", "sum", 6, 9),
    ("topology: { torus: [3, 3], dead: { nodes: ['1,1'] } }\nlink: { width: 12 }", "[0, 1]", "and", 9, 9),
    ("topology: { torus: [3, 3] }\nnumber: i32", "any", "min", 9, 17),
    ("topology: { torus: [2, 3] }\nnumber: f32", "any", "sum", 6, 17),
    ("topology: { torus: [2, 2] }\nnumber: bf16", "any", "max", 4, 17),
    ("topology: { torus: [2, 3] }\nlink: { width: 8, flits: 2 }\nlocal: { words: 3 }", "any", "max", 6, 17),
    (
        "topology: { torus: [3, 3], dead: { nodes: ['1,1'] } }\nlink: { width: 12 }\nlocal: { words: 2 }",
        "[0, 1]",
        "sum",
        9,
        9,
    ),
    ("topology: { torus: [2, 3] }\nlink: { width: 8 }\nlocal: { results: memory }", "any", "sum", 6, 17),
    (
        "topology: { mesh: [2, 3] }\nlink: { width: 16 }\nlocal: { results: memory, order: arrival }",
        "[0, 1]",
        "xor",
        6,
        9,
    ),
];

#[test]
fn every_collective_and_kind_of_value_passes_with_every_word_compared() {
    if !has("iverilog") {
        return;
    }
    for (network, root, operation, nodes, calls) in sampled(DESIGNS, 14) {
        let place = generated(network, root, operation);
        let folder = place.path().join("d");
        let said = says(&folder, 3, (0, 0, 0));
        let words: Vec<&str> = said.split(' ').collect();
        let [verdict, runs, of_run, words, checkers] = words[..] else { panic!("{network}: {said}") };
        assert_eq!((verdict, runs, of_run), ("PASS", "3", calls.to_string().as_str()), "{network}");
        assert_eq!(checkers, nodes.to_string(), "{network}");
        // as many as the bench compares, which has each call three times then; as the calls are even, the first one ends the run, too
        let listed = words_of_bench(&folder, 3 * (calls - 1)) / 3 + words_of_bench(&folder, 1);
        assert_eq!(words.parse(), Ok(listed), "{network}");
    }
}

#[test]
fn words_that_are_wrong_are_named_by_run_word_and_node() {
    if !has("iverilog") {
        return;
    }
    let place = generated(DESIGNS[0].0, "any", "sum");
    let folder = place.path().join("d");
    for (injected, named) in
        [((1, 1, 0), "FAIL 1 1 0,0 m "), ((2, 7, 4), "FAIL 2 7 1,1 m "), ((3, 30, 5), "FAIL 3 30 1,2 m ")]
    {
        let said = says(&folder, 4, injected);
        let words: Vec<u64> = said.split(' ').skip(5).map(|word| u64::from_str_radix(word, 16).unwrap()).collect();
        assert!(said.starts_with(named) && words.len() == 2 && words[0] ^ words[1] == 1, "{said}");
    }
    // beyond the last word of a node nothing is flipped
    assert!(says(&folder, 2, (1, 60, 0)).starts_with("PASS 2 17 "));
}

/// Faults of a word that every self-test must name: a bit of its data, of its program, of its end; a word too many, too few; nothing
/// that comes; a call that is none.
const FAULTS: [(&str, &str); 7] = [
    (".out(n0_1_out)", ".out(n0_1_out ^ 1)"),
    (".out(n0_1_out)", ".out(n0_1_out ^ (1 << WIDTH))"),
    (".out(n0_1_out)", ".out(n0_1_out ^ (1 << (BITS - 1)))"),
    (".out_valid(n0_1_out_valid)", ".out_valid(1'b1)"),
    (".out_valid(n0_1_out_valid)", ".out_valid(1'b0)"),
    (".n0_1_s_axis_tvalid(n0_1_in_valid)", ".n0_1_s_axis_tvalid(1'b0)"),
    (".root(root)", ".root(~root)"),
];

/// Faults of words in a row and at a read port. A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn rows_and_read_ports_are_compared_with_place_and_address() {
    if !has("iverilog") {
        return;
    }
    for (local, faults) in [
        (
            "words: 3",
            &[
                (".row_keep(n0_1_row_keep)", ".row_keep({n0_1_row_keep[1:0], n0_1_row_keep[2]})"),
                (".row_keep(n0_1_row_keep)", ".row_keep(n0_1_row_keep & 3'd3)"),
                (".row_last(n0_1_row_last)", ".row_last(~n0_1_row_last)"),
                (".row_user(n0_1_row_user)", ".row_user(~n0_1_row_user)"),
                (".row_dest(n0_1_row_dest)", ".row_dest(~n0_1_row_dest)"),
            ][..],
        ),
        (
            "order: origin, results: memory",
            &[
                (".n0_1_m_ram_addr(n0_1_out_address)", ".n0_1_m_ram_addr(~n0_1_out_address)"),
                (".n0_1_m_ram_free(n0_1_out_free)", ".n0_1_m_ram_free(1'b0)"),
                (".out_valid(n0_1_out_valid)", ".out_valid(n0_1_out_full)"),
                (".out_user(n0_1_out_user)", ".out_user(~n0_1_out_user)"),
                (".out_program(n0_1_out_program)", ".out_program(~n0_1_out_program)"),
            ][..],
        ),
    ] {
        let network = format!("topology: {{ torus: [2, 3] }}\nlink: {{ width: 8 }}\nlocal: {{ {local} }}");
        let place = generated(&network, "any", "sum");
        let folder = place.path().join("d");
        let path = folder.join("d_bist.v");
        let whole = fs::read_to_string(&path).unwrap();
        assert!(says(&folder, 2, (0, 0, 0)).starts_with("PASS 2 17 "), "{local}");
        for (from, to) in sampled(faults.iter().copied(), 4) {
            assert_eq!(whole.matches(from).count(), 1, "{from}");
            fs::write(&path, whole.replace(from, to)).unwrap();
            let said = says(&folder, 2, (0, 0, 0));
            assert!(said.starts_with("FAIL "), "{to}: {said}");
        }
    }
}

/// Reductions alone have no word of which slices are sent.
#[test]
fn a_self_test_of_reductions_alone_is_clean() {
    if !has("verilator") {
        return;
    }
    let place = Place::new();
    let config = "name: d\ntopology: { torus: [2, 2] }\nhost: { bus: streams }\nbist: true\nprograms: [{ collective: all-reduce, operation: sum }]\n";
    place.write("d.yaml", config);
    assert_eq!(place.run("generate d.yaml --out d").code, 0);
    assert_eq!(run(&place.path().join("d"), "verilator", "--lint-only -Wall --top-module d_bist -f d.f"), "");
}

/// A mutant that passes leaves the design right, as its bench says, or a checker that names every fault.
#[test]
fn no_fault_of_a_list_or_of_its_checkers_passes() {
    if !has("iverilog") {
        return;
    }
    let place = generated("topology: { torus: [2, 2] }\nlink: { width: 4 }", "any", "sum");
    let folder = place.path().join("d");
    let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
    let write = |file: &str, text: &str| fs::write(folder.join(file), text).unwrap();
    let whole = read("d_bist.v");
    let faults = if is_full() { &FAULTS[..] } else { &FAULTS[..3] };
    let names_faults = |what: &str| {
        for (from, to) in faults {
            assert_eq!(whole.matches(from).count(), 1, "{from}");
            write("d_bist.v", &whole.replace(from, to));
            let said = says(&folder, 3, (0, 0, 0));
            assert!(!said.starts_with("PASS") && said != "silence", "{what}: {to}: {said}");
        }
    };
    names_faults("no mutant");
    write("d_bist.v", &whole);
    let list = read("d.f");
    let files = list.lines().filter(|file| !matches!(*file, "d_bist.v" | "d_bist_report.v" | "d_host.v"));
    // most bits of a table do not matter where they stand
    let is_tried = |mutant: &Mutant| is_full() || !mutant.what.contains("entry <=");
    let all: Vec<Mutant> = files.flat_map(|file| mutants(file, &read(file))).filter(is_tried).collect();
    let tried = if is_full() { 150 } else { 8 };
    let (mut caught, mut harmless) = (0, Vec::new());
    for mutant in all.iter().step_by((all.len() / tried).max(1)).take(tried) {
        let text = read(&mutant.file);
        write(&mutant.file, &mutant.text);
        if says(&folder, 5, (0, 0, 0)).starts_with("PASS") {
            if mutant.file.contains("_bist") {
                names_faults(&mutant.what);
                write("d_bist.v", &whole);
            } else {
                println!("bench of {}", mutant.what);
                words_of_bench(&folder, 18);
            }
            harmless.push(&mutant.what);
        } else {
            caught += 1;
        }
        write(&mutant.file, &text);
    }
    println!("{caught} faults caught, {} harmless: {harmless:#?}", harmless.len());
    assert!(caught >= tried / 2, "{caught} of {tried}");
}

/// The lines of the page are those of the example that it names.
#[test]
fn the_page_shows_what_the_self_test_of_the_example_says() {
    if !has("iverilog") {
        return;
    }
    let page = fs::read_to_string(project().join("docs/fpga.md")).unwrap();
    let example = project().join("examples/programs/torus-3x4-streams.yaml").display().to_string();
    let place = Place::new();
    let ended = place.run(&format!("generate {example} --bist true --set name=d --out d"));
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let folder = place.path().join("d");
    let passed = says(&folder, 4, (0, 0, 0));
    let shown = passed.replacen("PASS 4 ", "    PASS 10000 ", 1);
    let failed = says(&folder, 4, (3, 7, 5));
    assert!(page.contains(&format!("{shown}\n    {failed}\n")), "{passed}, {failed}");
}

/// Ports and pins are those of a fabric's self-test.
#[test]
fn an_fpga_takes_the_self_test_of_a_list() {
    let place = Place::new();
    let config = "name: d\ntopology: { path: 2 }\nlink: { width: 2 }\nprograms:\n  - { collective: gossip }\n";
    // also of a design that has a host; what is placed in a quick run is a board of `bist_boards`
    place.write("d.yaml", format!("{config}host: {{ bus: uart }}\n"));
    let mut fpga = place.command();
    fpga.args("fpga d.yaml --top bist --device hx8k --out d".split(' '));
    if !is_full() {
        fpga.env("PATH", "");
    }
    let ended = fpga.output().unwrap();
    assert!(ended.status.success(), "{}", said(&ended));
    let top = fs::read_to_string(place.path().join("d/d_fpga.v")).unwrap();
    assert!(top.contains("d_bist #(") && !top.contains("INJECT_PORT"), "{top}");
    if has("yosys") {
        let folder = place.path().join("d");
        let script = "read_verilog *.v; hierarchy -check -top d_fpga; proc; check -assert";
        let output =
            std::process::Command::new("yosys").args(["-q", "-p", script]).current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
    }
}
