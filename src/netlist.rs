//! A program lowered once to registers: what each class of routers remembers, and what each of its outputs loads when.
//!
//! class -> courses (what is sent until when) -> the words of a table, where counters would be larger -> registers.
//! Numbers and ports only: `emit` writes it as Verilog, `study::hardware` counts it.

mod bits;
mod course;
mod drive;
mod keep;
mod reading;
mod router;
mod table;
mod value;

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::program::{Class, ClassId, Message, Program, Source};

pub use bits::{Field, bits_for, digits};
pub use course::{Clock, Course, Leg};
pub use drive::{Drive, Stage};
pub use keep::{Counter, Line, Ring, Store};
pub use reading::{Held, Host, Local, NoReading, Order, Place, Reading};
pub use router::{Output, Router};
pub use table::{Coding, Entry, Table};
pub use value::{Own, Value};

/// Who has the table of a class whose outputs change often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Rom {
    /// The fabric, once for all nodes of the class; its words go to each of them.
    #[default]
    Shared,
    /// Every node.
    PerNode,
}

impl std::fmt::Display for Rom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Shared => "shared",
            Self::PerNode => "per-node",
        })
    }
}

/// The registers of a whole program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Netlist {
    /// How many ticks it plays; the fabric counts them.
    pub ticks: u32,
    /// Flits a packet; the fabric counts them if there are several.
    pub flits: u32,
    /// Clocks that the first tick comes after the first edge with `run` high.
    pub start_delay: u32,
    /// Whether own packets are streams, taken flit by flit: they are not all of one length. Else every own input holds the
    /// flit that the fabric asks for, the same for all.
    pub streams: bool,
    /// Where the tables are.
    pub rom: Rom,
    /// The routers, by class.
    pub routers: Vec<Router>,
}

impl Netlist {
    /// Lowers every class of a program.
    pub fn of(program: &Program, rom: Rom) -> Self {
        let router = |class| Router::of(class, program.lanes, program.ticks, program.flits);
        Self {
            ticks: program.ticks,
            flits: program.flits,
            start_delay: 0,
            streams: is_streamed(program),
            rom,
            routers: program.classes.iter().map(router).collect(),
        }
    }

    /// The classes that send anything; the others need no router.
    pub fn driven(&self) -> impl Iterator<Item = (ClassId, &Router)> {
        let classes = (0..).map(ClassId).zip(&self.routers);
        classes.filter(|(_, router)| !router.is_idle())
    }

    /// The tables of the classes that have one.
    pub fn tables(&self) -> impl Iterator<Item = (ClassId, &Table)> {
        self.driven().filter_map(|(class, router)| Some((class, router.table.as_ref()?)))
    }

    /// Whether any router looks at the fabric's `first`, high while the first packets go out.
    pub fn has_first(&self) -> bool {
        self.routers.iter().any(Router::uses_first)
    }
}

/// Whether own packets are taken flit by flit.
fn is_streamed(program: &Program) -> bool {
    let alike = |message: &Message| message.flits == program.flits;
    let own_at_once = program.classes.iter().flat_map(Class::sources).all(is_one_packet);
    !(program.demand.messages().iter().all(alike) && own_at_once && program.windows.is_empty())
}

fn is_one_packet(source: Source) -> bool {
    !matches!(source, Source::Own { packet, through } if packet != through)
}
