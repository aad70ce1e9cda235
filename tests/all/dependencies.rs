//! Crates and wheels that the project is built and checked with: their licences, where they come from, and their hashes.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::fixtures::command::project;

/// Licences that `deny.toml` allows.
fn allowed() -> BTreeSet<String> {
    let text = fs::read_to_string(project().join("deny.toml")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("allow = [")).unwrap();
    line.trim_end_matches(']').split(", ").map(|licence| licence.trim_matches('"').to_owned()).collect()
}

/// Returns true if allowed licences satisfy an expression: one of its alternatives, and all of its conjuncts.
fn is_met(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let expression = expression.trim();
    // crates of old wrote a slash
    let joined = expression.replace(['(', ')'], "");
    let mut parts = joined.split(" AND ");
    parts.all(|part| part.replace('/', " OR ").split(" OR ").any(|licence| allowed.contains(licence.trim())))
}

/// Platform that the tests run on: crates of others may not have been downloaded.
fn host() -> String {
    let output = Command::new("rustc").arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc names its host").to_owned()
}

#[test]
fn every_crate_that_is_built_has_an_allowed_licence() {
    let allowed = allowed();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", &host()])
        .current_dir(project())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 50, "{} crates", packages.len());
    for package in packages {
        let name = &package["name"];
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(is_met(licence, &allowed), "{name}: {licence}");
    }
}

#[test]
fn every_locked_crate_comes_from_the_registry_with_a_hash() {
    let lock = fs::read_to_string(project().join("Cargo.lock")).unwrap();
    let crates: Vec<&str> = lock.split("[[package]]").skip(1).collect();
    assert!(crates.len() > 100, "{} crates", crates.len());
    for entry in crates.into_iter().filter(|entry| !entry.contains("name = \"torusweave\"\n")) {
        assert!(entry.contains("source = \"registry+https://github.com/rust-lang/crates.io-index\"\n"), "{entry}");
        assert!(entry.contains("\nchecksum = \""), "{entry}");
    }
}

#[test]
fn a_licence_that_is_not_allowed_is_noticed() {
    let allowed = allowed();
    for met in ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR MIT", "(Apache-2.0 OR MIT) AND BSD-3-Clause"] {
        assert!(is_met(met, &allowed), "{met}");
    }
    for wrong in ["none", "GPL-3.0-only", "MIT AND GPL-3.0-only", "(MIT OR Apache-2.0) AND CC0-1.0"] {
        assert!(!is_met(wrong, &allowed), "{wrong}");
    }
}

#[test]
fn every_wheel_of_the_check_has_a_hash() {
    let wheels = fs::read_to_string(project().join("sim/wheels.txt")).unwrap();
    let entries: Vec<&str> = wheels.split('\n').filter(|line| line.contains("==")).collect();
    for entry in &entries {
        let (wheel, _) = entry.split_once(' ').unwrap_or_else(|| panic!("{entry} has no hash"));
        let hash = wheels.split(&format!("\n{wheel} \\\n    --hash=sha256:")).nth(1).unwrap_or_default();
        assert!(hash.len() >= 64 && hash[..64].bytes().all(|digit| digit.is_ascii_hexdigit()), "{wheel}");
    }
    let check = fs::read_to_string(project().join("sim/check.sh")).unwrap();
    let list = check.split("wheels=(").nth(1).unwrap().split("\n)").next().unwrap();
    let words = list.split(|c: char| c.is_whitespace() || c == '"').filter(|word| word.contains("=="));
    let pinned: Vec<&str> = words.map(|word| word.rsplit_once(':').map_or(word, |(_, wheel)| wheel)).collect();
    for wheel in &pinned {
        assert!(
            entries.iter().any(|entry| entry.starts_with(&format!("{wheel} "))),
            "{wheel} is not in sim/wheels.txt"
        );
    }
    assert!(pinned.len() >= 7, "{} wheels", pinned.len());
    assert!(check.contains("--require-hashes"));
    for line in check.lines().filter(|line| line.contains("cargo test") || line.contains("cargo clippy --")) {
        assert!(line.contains("--locked"), "{line}");
    }
}
