//! Files for the user to edit that were edited for another design: their ports or their numbers are not those of this one.

use std::collections::HashMap;
use std::path::Path;

use crate::design::Design;
use crate::emit::{self, Memory};
use crate::files;
use crate::tools::verilog::{Direction, Module, without_comments};

/// Bytes of a file that was edited.
const MOST_BYTES: u64 = 1 << 24;

/// The paths, of those in a folder that were edited, whose file is for another design.
pub fn of(design: &Design, folder: &Path, edited: &[String]) -> Vec<String> {
    let elements = emit::elements(&design.program, &design.options());
    let edited: Vec<&String> = edited.iter().filter(|path| elements.contains(path)).collect();
    if edited.is_empty() {
        return Vec::new();
    }
    let mut stubs = Memory::default();
    if emit::write_parts(&design.program, &design.options(), &[emit::Part::Nodes], &mut stubs).is_err() {
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

#[cfg(test)]
mod tests {
    use super::*;

    const STUB: &str = "// a\nmodule a #(\n    parameter integer WIDTH = 4\n) (\n    input wire clk,\n    output wire [16*WIDTH-1:0] x\n);\n    \
                        localparam integer USER = 4;\nendmodule\n";

    #[test]
    fn other_ports_and_constants_are_of_another_design_and_all_else_is_the_users() {
        for same in [
            STUB.to_owned(),
            STUB.replace("WIDTH = 4", "WIDTH = 8").replace("// a", "// mine"),
            STUB.replace("endmodule", "    assign x = 0;\nendmodule"),
            STUB.replace("    localparam integer USER = 4;\n", ""),
        ] {
            assert!(!differs(&same, STUB), "{same}");
        }
        for (from, to) in
            [("16*", "24*"), ("USER = 4", "USER = 5"), ("output wire", "output reg"), ("clk,", "clk, input wire ce,")]
        {
            let other = STUB.replace(from, to);
            // an output that is a register is the same port
            assert_eq!(differs(&other, STUB), to != "output reg", "{other}");
        }
    }
}
