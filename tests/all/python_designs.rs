//! Designs in Python, as notebooks have them: what the command tells, as objects that show themselves.

use std::fs;

use crate::fixtures::called::{can_call, script};
use crate::fixtures::command::{Place, project};

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
