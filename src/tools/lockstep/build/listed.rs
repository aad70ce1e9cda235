//! Recipes of designs with several programs: behind a line of bytes, or with calls and the words of their nodes.

use super::super::byte_ports::BytePorts;
use super::{OF_ALL, OPTIMISED, PLAIN, PUBLIC, Recipe, SHIM, SPLIT, runs_in_every_tick};

impl Recipe {
    /// Recipe of a design behind a line, as a program of its own.
    pub fn of_host(top: &str, ports: BytePorts, mut files: Vec<(String, String)>) -> Self {
        let sources: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        let runs = vec![format!(
            "--cc --prefix Vhost --Mdir . -Wno-lint -Wno-fatal --output-split {SPLIT} --top-module {top} {}",
            sources.join(" ")
        )];
        files.extend(ports.shim(SHIM));
        Self { files, fixed: Vec::new(), runs, flags: vec![OPTIMISED], is_fast: runs_in_every_tick }
    }

    /// Recipe of a design that plays calls, with the ports of a list and with variables that are to be seen.
    pub fn of_calls(top: &str, ports: &str, public: String, mut files: Vec<(String, String)>, is_long: bool) -> Self {
        let sources: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        let runs = vec![format!(
            "--cc --prefix Vfabric --Mdir . --output-split {SPLIT} --top-module {top} {PUBLIC} {}",
            sources.join(" ")
        )];
        files.push((PUBLIC.to_owned(), public));
        files.push((SHIM.to_owned(), include_str!("../../../../sim/shim.cpp").to_owned()));
        files.push(("inputs.inc".to_owned(), ports.to_owned()));
        let flags = vec![if is_long { OPTIMISED } else { PLAIN }, "-DRUN=start"];
        Self { files, fixed: vec![OF_ALL], runs, flags, is_fast: runs_in_every_tick }
    }
}
