//! Names of designs: what is accepted runs in every tool, what tools cannot run is refused, and no signal of ours is hidden.

use std::collections::BTreeSet;
use std::fs;

use torusweave::design::Design;
use torusweave::design::config::{Config, Setting};
use torusweave::emit::{self, MemoryFiles};
use torusweave::net::ShapeName;
use torusweave::tools::icarus;
use torusweave::tools::lockstep;

use crate::fixtures::command::{Place, examples};
use crate::fixtures::designs::{Folder, design};
use crate::fixtures::tools::{call, has, toolchain};

fn named(name: &str) -> Design {
    let set = |config: Config, text: &str| text.parse::<Setting>().unwrap().apply(&config).unwrap();
    let config = set(Config::of(ShapeName::Torus, vec![2, 2]), "link.width=8");
    Design::new(set(config, &format!("name={name}"))).unwrap()
}

/// Names that look as if they could go wrong and do not: words of C++, of our testbench and of Verilator, the longest one.
fn accepted() -> Vec<String> {
    let names = ["_x", "a1", "double", "main", "top", "Vfabric", "fabric", "recorder", "dump", "tick", "link"];
    let longest = "a".repeat(96);
    names.into_iter().map(str::to_owned).chain([longest]).collect()
}

#[test]
fn accepted_names_are_linted_and_played_by_every_engine() {
    let tools = toolchain();
    if !has("verilator") || !has("iverilog") || tools.is_none() {
        return;
    }
    let tools = tools.unwrap();
    let is_full = std::env::var_os("TORUSWEAVE_FULL").is_some();
    for (place, name) in accepted().into_iter().enumerate() {
        let Design { program, .. } = &named(&name);
        let folder = Folder::with(program, 8);
        let list = format!("{name}.f");
        let lint = ["--lint-only", "-Wall", "--top-module", &name, "-f", &list];
        assert_eq!(call(&folder, "verilator", &lint), (true, String::new()), "{name}");
        let lint = ["-g2005", "-Wall", "-o", "/dev/null", "-s", &name, "-f", &list];
        assert_eq!(call(&folder, "iverilog", &lint), (true, String::new()), "{name}");
        let wave = folder.path().join("x.vcd");
        assert!(icarus::run_testbench(folder.path(), program, Some(&wave)).unwrap().passed, "{name}");
        // two seconds each: the first and the last, unless all are asked for
        if is_full || place == 0 || name.len() > 90 {
            lockstep::run(&tools, program, &crate::fixtures::designs::options(8), None, 1).unwrap().unwrap();
        }
    }
}

/// Each is refused for a reason: here the reason is seen.
#[test]
fn refused_names_do_go_wrong() {
    if !has("verilator") || !has("iverilog") {
        return;
    }
    let program = named("good").program;
    for (bad, tool) in [
        ("clk", "verilator"),
        ("WIDTH", "verilator"),
        ("hold", "verilator"),
        ("n0_0_own_0", "verilator"),
        ("bool", "iverilog"),
        ("wreal", "iverilog"),
        ("wone", "iverilog"),
        (&"a".repeat(120), "verilator"),
    ] {
        assert_eq!(Place::new().run(&format!("generate --torus 2x2 --name {bad}")).code, 2, "{bad}");
        // the expected output: the good design under the bad name
        let folder = Folder::with(&program, 8);
        let files = fs::read_to_string(folder.path().join("good.f")).unwrap().replace("good", bad);
        for path in files.lines() {
            let text = fs::read_to_string(folder.path().join(path.replace(bad, "good"))).unwrap();
            fs::write(folder.path().join(path), text.replace("good", bad)).unwrap();
        }
        fs::write(folder.path().join("bad.f"), files).unwrap();
        let lint: &[&str] = match tool {
            "verilator" => &["--lint-only", "-Wall", "--top-module", bad, "-f", "bad.f"],
            _ => &["-g2005", "-o", "/dev/null", "-f", "bad.f"],
        };
        assert!(!call(&folder, tool, lint).0, "{tool} takes `{bad}`");
    }
}

/// The words of the fabric's own scope, whatever signals it comes to have: a name like one of them would hide it.
#[test]
fn every_signal_of_a_fabric_is_refused_as_a_name() {
    let mut signals = BTreeSet::new();
    for example in examples() {
        let config = Config::read(&example).unwrap();
        // the lengths themselves where every message has its own
        for flits in if config.lengths.is_none() { vec![1, 4] } else { vec![1] } {
            let set = format!("link.flits={flits}").parse::<Setting>().unwrap();
            let design = Design::new(set.apply(&config).unwrap()).unwrap();
            let name = &design.program.title.name;
            let mut files = MemoryFiles::default();
            emit::write_rtl(&design.program, &design.options(), &mut files).unwrap();
            signals.extend(declared(std::str::from_utf8(&files.0[&format!("{name}.v")]).unwrap()));
        }
    }
    let configurable = design(&[2, 2], &["scheme=staircase", "crossbar=configurable"]);
    let mut files = MemoryFiles::default();
    emit::write_rtl(&configurable.program, &configurable.options(), &mut files).unwrap();
    signals.extend(declared(std::str::from_utf8(&files.0["torus_2x2.v"]).unwrap()));
    assert!(signals.contains("config_out"));
    assert!(signals.len() > 300 && signals.contains("clk") && signals.contains("played"), "{}", signals.len());
    for signal in signals {
        let config = Config { name: Some(signal.clone()), ..Config::of(ShapeName::Torus, vec![2, 2]) };
        assert!(config.validate().is_err(), "`{signal}` is a signal of the fabric, and accepted as a name");
    }
}

/// Names that a module declares: the last word of each declaration.
fn declared(module: &str) -> BTreeSet<String> {
    const KINDS: [&str; 6] = ["input ", "output ", "wire ", "reg ", "parameter ", "localparam "];
    let declarations = module.lines().map(str::trim).filter(|line| KINDS.iter().any(|kind| line.starts_with(kind)));
    let names = declarations.filter_map(|line| {
        let line = line.split(['=', ';', ',']).next()?.split("//").next()?;
        line.split_whitespace().last().map(str::to_owned)
    });
    names.collect()
}
