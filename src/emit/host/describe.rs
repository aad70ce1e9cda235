//! Files that describe a design to software: JSON for the driver, a C header, and the list of `LiteX` of registers.

use askama::Template;
use serde::Serialize;
use serde_json::{Value, json};

use crate::emit::node::{Bus, ListDesign, ResidentFiles, boards};
use crate::emit::shared::output::{FileType, OutputFile};
use crate::netlist::listed::{Together, TogetherPart};

/// Version of the description.
const FORMAT: &str = "torusweave-programs/1";

/// Register of 32 bits.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct HostRegister {
    /// Name in software.
    pub name: &'static str,
    /// Address in words.
    pub word: u32,
    /// True if software may write it.
    pub writable: bool,
    /// Meaning in words.
    pub about: &'static str,
    /// True if only a design on several boards has it.
    #[serde(skip)]
    pub of_boards: bool,
}

/// Error code in the status.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Code {
    /// Name in software.
    pub name: &'static str,
    /// Number in the status.
    pub number: u32,
    /// Meaning in words.
    pub about: &'static str,
    /// True if only a design on several boards has it.
    #[serde(skip)]
    pub of_boards: bool,
}

const fn register(name: &'static str, word: u32, writable: bool, about: &'static str) -> HostRegister {
    HostRegister { name, word, writable, about, of_boards: false }
}

/// Registers, by address.
pub const REGISTERS: [HostRegister; 15] = [
    register("ID", 0, false, "0x54574345"),
    register("VERSION", 1, false, "version of the register map"),
    register("HASH", 2, false, "first 32 bits of the SHA-256 of what the meaning of words depends on"),
    register("GEOMETRY", 3, false, "nodes in the upper half, bits of a word in the lower"),
    register("CTRL", 4, true, "bit 0 starts, bit 1 resets, bit 2 clears errors"),
    register("STATUS", 5, false, "bit 0 busy, 1 done, 2 error, 3 packets on the ring, 4 bytes lost, 23:16 error code"),
    register("PROGRAM", 6, true, "number of the program"),
    register("ROOT", 7, true, "number of the root"),
    register("CYCLES", 8, false, "clocks of the last run"),
    register("RUNS", 9, false, "runs since `rst`; the reset of CTRL leaves it"),
    register("MISFRAMED", 10, false, "first node with a wrong number of words, or 0xffffffff"),
    HostRegister {
        of_boards: true,
        ..register("LINKS", 11, false, "31:16 ports that are up, 15:8 port of a fault, 3:0 its code, or 0")
    },
    HostRegister {
        of_boards: true,
        ..register("BOARD", 12, false, "coordinates of the board side by side, the last in the lowest bits")
    },
    register("HEAD", 16, true, "header of the ring"),
    register("DATA", 17, true, "words of the ring"),
];

const fn code(name: &'static str, number: u32, about: &'static str) -> Code {
    Code { name, number, about, of_boards: false }
}

/// Error codes of the status.
pub const CODES: [Code; 9] = [
    code("STALLED", 1, "the ring took nothing in time"),
    code("STARTED", 2, "start while busy"),
    code("CHANGED", 3, "program or root changed while busy"),
    code("NO_REGISTER", 4, "no such register or value, or a register that is not written"),
    code("NO_DATA", 5, "no data in time"),
    code("LEFT_OVER", 6, "words were left over"),
    code("TOO_FEW", 7, "a node got too few words, or too many"),
    Code { of_boards: true, ..code("BROKEN_OFF", 8, "a link between boards failed in a run, or was trained anew") },
    Code { of_boards: true, ..code("NO_LINK", 9, "a link between boards did not come up in time") },
];

/// Registers of a design.
pub(in crate::emit) fn registers(design: &ListDesign<'_>) -> Vec<HostRegister> {
    let has_host = design.bus != Bus::Streams;
    REGISTERS.into_iter().filter(|register| has_host && (!register.of_boards || design.boards.is_some())).collect()
}

/// Error codes of a design.
pub(in crate::emit) fn codes(design: &ListDesign<'_>) -> Vec<Code> {
    let has_host = design.bus != Bus::Streams;
    CODES.into_iter().filter(|code| has_host && (!code.of_boards || design.boards.is_some())).collect()
}

#[derive(Template)]
#[template(path = "listed/header.h", escape = "none")]
struct CHeader<'d> {
    name: &'d str,
    guard: String,
    notes: Vec<String>,
    hash: String,
    nodes: u32,
    width: u32,
    programs: &'d [ResidentFiles],
    together: &'d [Together],
    registers: Vec<HostRegister>,
    codes: Vec<Code>,
}

#[derive(Template)]
#[template(path = "listed/csr.csv", escape = "none")]
struct Csr {
    registers: Vec<HostRegister>,
}

#[derive(Template)]
#[template(path = "listed/registers.rdl", escape = "none")]
struct SystemRdl<'d> {
    name: &'d str,
    notes: Vec<String>,
    registers: Vec<HostRegister>,
}

pub(in crate::emit) fn files<'d>(design: &'d ListDesign<'d>) -> Vec<OutputFile<'d>> {
    let name = design.name;
    let header = move || CHeader {
        name,
        guard: name.to_uppercase(),
        notes: design.notes(),
        hash: format!("{:08x}", design.hash),
        nodes: design.netlist.nodes(),
        width: design.width,
        programs: &design.residents,
        together: &design.netlist.together,
        registers: registers(design),
        codes: codes(design),
    };
    if design.bus == Bus::Streams {
        return vec![json(design)];
    }
    vec![
        json(design),
        OutputFile::of(format!("{name}.h"), FileType::List, header),
        OutputFile::of("csr.csv".to_owned(), FileType::List, move || Csr { registers: registers(design) }),
        OutputFile::of(format!("{name}.rdl"), FileType::List, move || SystemRdl {
            name,
            notes: design.notes(),
            registers: registers(design),
        }),
    ]
}

/// Fields of the description that say what words mean: network, width, programs and boards.
fn covered(design: &ListDesign<'_>) -> serde_json::Map<String, Value> {
    let topology = &design.netlist.topology;
    let fields = json!({
        "format": FORMAT,
        "network": topology,
        "nodes": design.netlist.nodes(),
        "width": design.width,
        "programs": &*design.residents,
    });
    let Value::Object(mut fields) = fields else { unreachable!("it is written as an object") };
    if !design.netlist.together.is_empty() {
        let together = design.netlist.together.iter().map(|together| described(design, together));
        fields.insert("together".to_owned(), together.collect());
    }
    if let Some(boards) = &design.boards {
        fields.insert("boards".to_owned(), boards::described(design, boards));
    }
    fields
}

/// Programs that are played at once, with the words of each in the streams of every node.
fn described(design: &ListDesign<'_>, together: &Together) -> Value {
    let part = |part: &TogetherPart| {
        let words = &design.netlist.programs[part.program as usize].words;
        let takes: Vec<u32> = words.iter().map(|&(taken, _)| taken).collect();
        let gives: Vec<u32> = words.iter().map(|&(_, given)| given).collect();
        json!({ "program": part.program, "after": part.after, "takes": takes, "gives": gives })
    };
    let programs: Vec<Value> = together.programs.iter().map(part).collect();
    json!({ "number": together.number, "programs": programs, "ticks": together.ticks })
}

/// Text with every field that says what words mean, in the order of their names: the register HASH is of it.
pub fn meaning(design: &ListDesign<'_>) -> String {
    let mut fields = Value::Object(covered(design));
    fields.sort_all_objects();
    fields.to_string()
}

/// Description that the driver reads.
pub(in crate::emit) fn json<'d>(design: &'d ListDesign<'d>) -> OutputFile<'d> {
    let value = move || {
        let mut about = covered(design);
        let topology = &design.netlist.topology;
        let others = json!({
            "name": design.name,
            "places": topology.live_ids().map(|node| topology.show(node)).collect::<Vec<String>>(),
            "hash": design.hash,
            "bus": design.bus,
            "registers": registers(design),
            "codes": codes(design),
            "config": design.config,
        });
        let Value::Object(others) = others else { unreachable!("it is written as an object") };
        about.extend(others);
        Value::Object(about)
    };
    OutputFile::streamed(format!("{}_programs.json", design.name), FileType::List, move |out| {
        serde_json::to_writer_pretty(&mut *out, &value())?;
        writeln!(out)
    })
}
