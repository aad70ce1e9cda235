//! Control words that are loaded: the memories of a node, the loader that fills them, and the fabric's wires between these.

use askama::Template;

use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::{names, words};
use crate::net::{Channel, NodeId};
use crate::netlist::{Loadable, digits};
use crate::program::{ClassId, count};

/// Rule of a router, for the header of its module and of the fabric.
pub const RULE: &str = "any packet of the node's own and any arrival, of any age, at any output";

/// Name of the loader's bus in the fabric: a word, and the memory and the place that it is for.
pub const LOAD: &str = "load";

/// Name of the fabric's wire for one less than the number of ticks, if that is loaded.
pub const LAST_COUNT: &str = "last_count";

#[derive(Template)]
#[template(path = "rtl/loaded.v", escape = "none")]
pub struct LoadedModule<'d> {
    loadable: &'d Loadable,
    module: String,
    notes: Vec<String>,
    word_bits: u32,
    /// names of the outputs
    outputs: Vec<String>,
}

#[derive(Template)]
#[template(path = "rtl/loader.v", escape = "none")]
pub struct LoaderModule<'d> {
    loadable: &'d Loadable,
    module: String,
    notes: Vec<String>,
    count_bits: u32,
}

/// Wires and parameters of the fabric for words that are loaded.
pub struct LoadWires<'d> {
    pub loadable: &'d Loadable,
    pub loader: String,
    pub load_bits: u32,
    pub table_bits: u32,
    pub tables: Vec<WordTable>,
}

/// Words of an output at power-up.
pub struct WordTable {
    pub name: String,
    pub words: String,
}

/// Parameters of a node's control.
pub struct NodeTables {
    /// number of the node, and its bits
    pub number: u32,
    pub bits: u32,
    pub tables: Vec<String>,
}

impl<'d> LoadedModule<'d> {
    pub fn new(design: &'d EmitDesign, loadable: &'d Loadable) -> Self {
        let axes = design.program.topology.axes();
        let outputs = design.netlist.routers[0].outputs.iter();
        let about = format!(
            "Each output has a memory with a word for each tick; that of tick 0, the time before and after the program, sends nothing. \
             The {} low bits of a word are told in its tick, the others a tick earlier, for what is fetched ahead.",
            loadable.now_bits()
        );
        Self {
            loadable,
            module: control_module(design),
            notes: words::wrap_all(&[about, design.generated()]),
            word_bits: design.netlist.sequences[0].bits,
            outputs: outputs.map(|output| names::channel(axes, output.channel)).collect(),
        }
    }

    fn port_names(&self) -> impl DoubleEndedIterator<Item = &String> {
        self.outputs.iter()
    }
}

impl<'d> LoaderModule<'d> {
    pub fn new(design: &EmitDesign, loadable: &'d Loadable) -> Self {
        let about = format!(
            "While shift is high, each clock shifts one bit of a frame in, and after its last bit the word is loaded. Port {} of a node \
             is the inputs that receive; node {} is one less than the number of ticks. Neither run nor a reset changes what was loaded.",
            loadable.ports, loadable.nodes
        );
        Self {
            loadable,
            module: names::loader(design.program),
            notes: words::wrap_all(&[about, design.generated()]),
            count_bits: digits(loadable.frame_bits()),
        }
    }
}

impl<'d> LoadWires<'d> {
    /// The fabric's share, if words are loaded.
    pub fn of(design: &'d EmitDesign<'d>) -> Option<Self> {
        let loadable = design.netlist.loadable.as_ref()?;
        let program = design.program;
        let outputs = 0..program.topology.ports();
        let all = (0..program.classes.len()).flat_map(|class| outputs.clone().map(move |output| (class, output)));
        let table =
            |(class, output)| WordTable { name: table_name(class, output), words: loadable.table(class, output) };
        Some(Self {
            loadable,
            loader: names::loader(program),
            load_bits: bus_bits(loadable),
            table_bits: loadable.word_bits() * loadable.ticks,
            tables: all.map(table).collect(),
        })
    }
}

impl NodeTables {
    pub fn of(design: &EmitDesign, loadable: &Loadable, node: NodeId) -> Self {
        let class = design.program.class_of[node.index()].index();
        let outputs = 0..design.program.topology.ports();
        Self {
            bits: loadable.node_bits,
            number: node.0,
            tables: outputs.map(|output| table_name(class, output)).collect(),
        }
    }
}

/// Bits of the loader's bus: a frame, and above it the bit that says that one is complete.
pub fn bus_bits(loadable: &Loadable) -> u32 {
    1 + loadable.frame_bits()
}

/// Module of the memories of control words.
pub fn control_module(design: &EmitDesign) -> String {
    names::control(design.program, ClassId(0))
}

/// Describes how words are loaded.
pub fn loading(loadable: &Loadable) -> String {
    format!(
        "Control words are in memories. While run is low and config_shift is high, frames of {} are shifted into config_in, one bit per \
         clock; `torusweave patch` writes what to load when links or nodes die.",
        count(u64::from(loadable.frame_bits()), "bit")
    )
}

/// Name of the wires at an output or input without a link, without `_data` and `_valid`.
pub fn unlinked(node: &str, port: &str) -> String {
    format!("{node}_{port}_unused")
}

/// Number of an input in the mask of those whose links are alive.
pub fn alive_bit(input: Channel) -> usize {
    input.port.index()
}

fn table_name(class: usize, output: usize) -> String {
    format!("CLASS_{class}_OUTPUT_{output}")
}
