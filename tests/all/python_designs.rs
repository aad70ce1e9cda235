//! Designs in Python, as notebooks have them: what the command tells, as objects that show themselves.

use std::fs;

use crate::fixtures::called::{can_call, page_block, run_with_package, script};
use crate::fixtures::command::{Place, project};
use crate::fixtures::tools::has;

#[test]
fn the_script_of_the_page_for_notebooks_runs() {
    if !can_call() || !has("iverilog") {
        return;
    }
    let place = Place::new();
    place.write("calls.yaml", page_block("## A design with programs", "yaml"));
    let plays = "d.simulate().passed";
    let block = page_block("## In a notebook", "python");
    assert!(block.contains(plays));
    let checked = block.replace(plays, &format!("assert d.check().passed and {plays}"));
    let ended = run_with_package(&place, &checked);
    let printed = "<torusweave calls_4x4: 16 nodes with words of 32 bits, gossip, all-reduce, exchange, broadcast>\n";
    assert!(ended.code == 0 && ended.stdout.ends_with(printed), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("calls_4x4 program 0: optimal gossip on a 4x4 torus, correct"), "{}", ended.stdout);
}

#[test]
fn python_checks_draws_writes_and_calls_the_design_of_a_config() {
    if !can_call() {
        return;
    }
    let place = Place::new();
    place.write(
        "calls.yaml",
        "name: calls\ntopology: { torus: [2, 3] }\nlink: { width: 16 }\nhost: { bus: uart }\nprograms:\n  \
         - { collective: gossip }\n  - { collective: all-reduce, operation: max }\n",
    );
    let ended = script(&place, "design.py", &["calls.yaml", "calls"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{}", ended.stdout);
    // package, wheel and program have one version
    let version = ended.stdout.trim();
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    let project = fs::read_to_string(project().join("python/torusweave/pyproject.toml")).unwrap();
    assert!(project.contains(&format!("\nversion = \"{version}\"\n")), "{project}");
}
