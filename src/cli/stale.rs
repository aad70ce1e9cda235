//! Files for the user to edit that were edited for another design: their ports or their numbers are not those of this one.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use crate::emit::MemoryFiles;
use crate::files;
use crate::tools::verilog::{Direction, Module, without_comments};

/// Bytes of a file that was edited.
const MOST_BYTES: u64 = 1 << 24;

/// The paths, of the elements of a design that were edited in a folder, whose file is for another design; `emit` writes this one.
pub fn of(
    elements: &[String],
    emit: impl FnOnce(&mut MemoryFiles) -> io::Result<()>,
    folder: &Path,
    edited: &[String],
) -> Vec<String> {
    let edited: Vec<&String> = edited.iter().filter(|path| elements.contains(path)).collect();
    if edited.is_empty() {
        return Vec::new();
    }
    let mut stubs = MemoryFiles::default();
    if emit(&mut stubs).is_err() {
        return Vec::new();
    }
    let is_stale = |path: &str| {
        let text = files::read_text(&folder.join(path), MOST_BYTES).ok()?;
        let stub = String::from_utf8(stubs.0.get(path)?.clone()).ok()?;
        Some(differs(&text, &stub))
    };
    edited.into_iter().filter(|path| is_stale(path) == Some(true)).cloned().collect()
}

/// Returns true if a text has other ports than a stub, or another value for a constant of it. What else stands in it is the user's.
fn differs(text: &str, stub: &str) -> bool {
    let (text, stub) = (without_comments(text), without_comments(stub));
    // another way to write them is not read, and means nothing
    let has_other_ports = ports(&text).is_some_and(|own| Some(own) != ports(&stub));
    let own = constants(&text);
    has_other_ports || constants(&stub).iter().any(|(name, value)| own.get(name).is_some_and(|own| own != value))
}

/// Ports of a module by name, each with its direction and its range.
fn ports(text: &str) -> Option<HashMap<&str, (Option<Direction>, String)>> {
    let module = Module::outside(text).ok()?;
    let each = module.ports.iter().map(|name| {
        let net = &module.nets[name];
        (*name, (net.direction, net.range.split_whitespace().collect()))
    });
    Some(each.collect())
}

/// Local constants of a module by name.
fn constants(text: &str) -> HashMap<&str, &str> {
    let constant = |line| {
        let (declared, value): (&str, &str) = str::split_once(line, '=')?;
        let (_, name) = declared.split_once("localparam")?;
        Some((name.split_whitespace().last()?, value.trim().trim_end_matches(';')))
    };
    text.lines().filter_map(constant).collect()
}
