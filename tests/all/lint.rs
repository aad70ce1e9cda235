//! Every tool that reads the generated Verilog has nothing to say about it.

use std::path::{Path, PathBuf};
use std::process::Command;

use torusweave::emit::Options;
use torusweave::net::ShapeName;
use torusweave::netlist::Rom;
use torusweave::program::Program;

use crate::fixtures::by_hand;
use crate::fixtures::command::{contents, project};
use crate::fixtures::designs::{self, Folder};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{call, has, said};

fn matrix() -> Vec<(Program, Options)> {
    let mut matrix = Vec::new();
    for width in [1, 8, 32, 100] {
        matrix.push((designs::staircase(2, 2), width));
        matrix.push((designs::late_sender(), width));
        matrix.push((designs::repeater(), width));
        matrix.push((designs::meander(), width));
        matrix.push((designs::rereader(), width));
    }
    matrix.push((designs::staircase(4, 4), 8));
    matrix.push((designs::staircase(4, 4).stretched(4).unwrap(), 1));
    matrix.push((designs::staircase(6, 8).stretched(3).unwrap(), 32));
    matrix.push((designs::late_sender().stretched(4).unwrap(), 8));
    matrix.push((designs::optimal(&[8, 8]), 32));
    matrix.push((designs::optimal(&[2, 5, 4]), 8));
    matrix.push((designs::repeater().stretched(4).unwrap(), 8));
    matrix.push((designs::meander().stretched(4).unwrap(), 8));
    matrix.push((designs::rereader().stretched(3).unwrap(), 8));
    let mut matrix: Vec<_> = matrix.into_iter().map(|(program, width)| (program, designs::options(width))).collect();
    let by_hand = by_hand::beyond_gossip().into_iter().map(|program| (program, designs::options(8)));
    matrix.extend(by_hand);
    let per_node = |width| Options { rom: Rom::PerNode, ..designs::options(width) };
    matrix.extend([(designs::meander(), per_node(32)), (designs::rereader(), per_node(8))]);
    for (shape, sides, scheme) in [
        (ShapeName::Torus, &[4, 4][..], "scheme=staircase"),
        (ShapeName::Mesh, &[4, 5], "scheme=hamiltonian"),
        (ShapeName::Cycle, &[5], "scheme=hamiltonian"),
        (ShapeName::Torus, &[3, 3, 3], "scheme=hamiltonian"),
    ] {
        let design = designs::design_on(shape, sides, &[scheme, "crossbar=configurable", "link.width=8"]);
        matrix.push((design.program.clone(), design.options()));
        matrix.push((design.program.stretched(3).unwrap(), Options { width: 1, ..design.options() }));
    }
    let tested = |width| Options { bist: true, ..designs::options(width) };
    matrix.extend([
        (designs::staircase(2, 2), tested(1)),
        (designs::meander(), tested(8)),
        (designs::optimal(&[2, 2, 3]).stretched(3).unwrap(), tested(32)),
        (by_hand::scatter(), tested(8)),
    ]);
    for (sides, width, settings) in [
        (&[2, 3][..], 8, ["collective=all-reduce", "operation=sum", "number=word", "link.flits=2"]),
        (&[2, 2], 1, ["collective=reduce-scatter", "operation=and", "number=word", "link.flits=1"]),
        (&[2, 2], 32, ["collective=reduce-scatter", "operation=max", "number=i32", "link.flits=1"]),
        (&[3], 16, ["collective=all-reduce", "operation=min", "number=bf16", "link.width=16"]),
        (&[3], 16, ["collective=reduce-scatter", "operation=sum", "number=f16", "link.width=16"]),
    ] {
        matrix.push((designs::design(sides, &settings).program, tested(width)));
    }
    for (sides, settings) in [
        (&[4, 6], ["scheme=zigzag", "collective=reduce-scatter", "operation=sum", "link.flits=1"]),
        (&[4, 4], ["scheme=staircase", "collective=all-reduce", "operation=min", "link.flits=1"]),
        (&[4, 5], ["scheme=optimal", "collective=all-reduce", "operation=xor", "link.flits=3"]),
    ] {
        matrix.push((designs::design(sides, &settings).program, designs::options(32)));
    }
    // a design with long control words
    let half_duplex = designs::design_on(ShapeName::Mesh, &[5, 5], &["scheme=optimal", "link.duplex=half"]);
    matrix.push((half_duplex.program, designs::options(8)));
    matrix
}

/// The module that is nobody's part.
fn top(name: &str, options: &Options) -> String {
    if options.bist { format!("{name}_bist") } else { name.to_owned() }
}

fn is_silent(tool: &str, arguments: impl Fn(&str, &str, &[String]) -> Vec<String>) {
    is_silent_on(tool, 1, arguments);
}

/// Designs so far apart are tried; all under `TORUSWEAVE_FULL`.
fn is_silent_on(tool: &str, stride: usize, arguments: impl Fn(&str, &str, &[String]) -> Vec<String>) {
    if !has(tool) {
        return;
    }
    for (program, options) in sampled(matrix(), stride) {
        let folder = Folder::with_options(&program, &options);
        let name = &program.title.name;
        let list = std::fs::read_to_string(folder.path().join(format!("{name}.f"))).unwrap();
        let rtl: Vec<String> = list.lines().map(str::to_owned).collect();
        let arguments = arguments(name, &top(name, &options), &rtl);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (success, said) = call(&folder, tool, &arguments);
        assert!(success && said.is_empty(), "{tool} on {name}, {options:?}, {} flits:\n{said}", program.flits);
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Debian's, and the newest, for every second design and every third.
const VERILATORS: [(&str, usize); 2] = [("verilator", 2), ("verilator-newest", 3)];

/// Benches compute with blocking assignments, and keep words of 64 bits of which they use some.
const IN_BENCHES: &str = "-Wall -Wno-BLKSEQ -Wno-UNUSED --timing";

#[test]
fn verilator_warns_of_nothing() {
    for (tool, stride) in VERILATORS {
        is_silent_on(tool, stride, |name, top, _| words(&format!("--lint-only -Wall --top-module {top} -f {name}.f")));
    }
}

#[test]
fn verilator_warns_of_nothing_in_the_testbench() {
    for (tool, stride) in VERILATORS {
        // twice as far apart: each is compiled with all of its design
        is_silent_on(tool, 2 * stride, |name, _, _| {
            words(&format!("--lint-only {IN_BENCHES} --top-module {name}_tb -f {name}.f tb/{name}_tb.v"))
        });
    }
}

/// Benches of systems and of boards among them; the newest under `TORUSWEAVE_FULL`.
#[test]
fn verilator_warns_of_nothing_in_what_is_committed() {
    for (tool, _) in sampled(VERILATORS, 2).filter(|(tool, _)| has(tool)) {
        let read = each_committed(tool, |name| {
            format!("--lint-only {IN_BENCHES} --top-module {name}_tb -f {name}.f tb/{name}_tb.v")
        });
        assert!(read > 12, "{read} lists are read");
    }
}

#[test]
fn icarus_warns_of_nothing() {
    is_silent("iverilog", |name, top, _| words(&format!("-g2005 -Wall -o /dev/null -s {top} -f {name}.f")));
}

#[test]
fn icarus_warns_of_nothing_in_the_testbench() {
    is_silent("iverilog", |name, _, _| words(&format!("-g2005 -Wall -o /dev/null -f {name}.f tb/{name}_tb.v")));
}

#[test]
fn yosys_finds_nothing_wrong() {
    is_silent("yosys", |_, top, rtl| {
        let script = format!("read_verilog {}; hierarchy -check -top {top}; proc; check -assert", rtl.join(" "));
        vec!["-q".into(), "-p".into(), script]
    });
}

#[test]
fn verible_has_no_complaint() {
    is_silent("verible-verilog-lint", |name, _, rtl| [rtl, &[format!("tb/{name}_tb.v")]].concat());
}

/// Names of ports and of modules that do not fit a line beside each other.
#[test]
fn verible_has_no_complaint_about_many_axes_and_long_names() {
    let long = format!("name={}", "a".repeat(96));
    for (sides, settings) in [
        (&[3, 3, 3][..], &["scheme=optimal", "link.duplex=half", "link.lanes=2"][..]),
        (&[3, 3, 3, 3], &["scheme=optimal", "link.duplex=half", "link.lanes=2"]),
        (&[4, 6], &["scheme=staircase", "link.elastic=true", "bist=true", &long]),
        (&[4, 4], &["scheme=staircase", "crossbar=configurable", &long]),
        (&[4, 4], &["scheme=zigzag", "local.order=origin", "host=chain", &long]),
    ] {
        let design = designs::design_on(ShapeName::Torus, sides, settings);
        let folder = Folder::with_options(&design.program, &design.options());
        // strings of benches have such a name in them
        let is_rtl =
            |path: &String| path.rsplit_once('.').is_some_and(|(_, end)| end == "v") && !path.starts_with("tb/");
        let files = contents(folder.path()).into_keys().filter(is_rtl);
        let files: Vec<String> = files.collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        if has("verible-verilog-lint") {
            assert_eq!(call(&folder, "verible-verilog-lint", &files), (true, String::new()), "{settings:?}");
        }
    }
}

/// Warnings of slang that are asked for.
const SLANG: &str = "-Wextra -Wpedantic -Warith-op-mismatch -Wsign-compare";

/// Slang requires every name to be declared before use, as synthesisers do.
#[test]
fn slang_has_no_complaint() {
    is_silent("slang", |name, _, _| words(&format!("{SLANG} -f {name}.f tb/{name}_tb.v")));
}

/// Systems with their benches, state machines and pads among them.
#[test]
fn slang_has_no_complaint_about_what_is_committed() {
    if !has("slang") {
        return;
    }
    let read = each_committed("slang", |name| format!("{SLANG} -f {name}.f tb/{name}_tb.v"));
    assert!(read > 12, "{read} lists are read");
}

/// Has a tool read each list of files of `generated/`, which must say nothing: how many there are.
fn each_committed(tool: &str, arguments: impl Fn(&str) -> String) -> usize {
    let mut read = 0;
    for folder in std::fs::read_dir(project().join("generated")).unwrap() {
        let folder = folder.unwrap().path();
        let lists = contents(&folder).into_keys().filter_map(|path| path.strip_suffix(".f").map(str::to_owned));
        for name in lists.filter(|name| !name.ends_with(".anywhere")) {
            let output = Command::new(tool).args(words(&arguments(&name))).current_dir(&folder).output().unwrap();
            let said = said(&output);
            assert!(output.status.success() && said.is_empty(), "{tool} on {name}: {said}");
            read += 1;
        }
    }
    read
}

/// Among them the shapes of classes that the matrix above has not.
#[test]
fn verible_has_no_complaint_about_what_is_committed() {
    let files = contents(&project().join("generated")).into_keys().map(|path| Path::new("generated").join(path));
    let files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "v")).collect();
    assert!(files.len() > 20, "{files:?}");
    if has("verible-verilog-lint") {
        let output = Command::new("verible-verilog-lint").args(&files).current_dir(project()).output().unwrap();
        let said = said(&output);
        assert!(output.status.success() && said.is_empty(), "{said}");
    }
}
