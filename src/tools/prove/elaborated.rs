//! A netlist as yosys writes it.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

/// A bit of the netlist: a net's number, or a constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(untagged)]
pub enum Bit {
    Net(u64),
    Constant(String),
}

#[derive(Deserialize)]
pub struct CellPorts {
    pub bits: Vec<Bit>,
}

#[derive(Deserialize)]
pub struct NetlistCell {
    #[serde(rename = "type")]
    pub module: String,
    pub connections: BTreeMap<String, Vec<Bit>>,
}

#[derive(Deserialize)]
pub struct ElaboratedModule {
    pub ports: HashMap<String, CellPorts>,
    pub cells: HashMap<String, NetlistCell>,
}

#[derive(Deserialize)]
pub struct Elaborated {
    pub modules: HashMap<String, ElaboratedModule>,
}

/// With parameters a module is called `$paramod\name\WIDTH=...` or `$paramod$<hash>\name`.
pub fn is_of(cell: &NetlistCell, module: impl Fn(&str) -> bool) -> bool {
    cell.module.split('\\').any(module)
}
