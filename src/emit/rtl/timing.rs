//! What tells routers the time: the counters of ticks and flits, `first`, and the tables that they share.

use askama::Template;

use super::super::design::Design;
use super::super::names;
use super::parts::{Range, TableWires};
use crate::netlist::{Rom, Router, digits};
use crate::program::ClassId;

/// Its wires and registers, for some classes of routers.
#[derive(Template)]
#[template(path = "rtl/parts/timing.v", escape = "none")]
pub struct Timing {
    /// the counter of ticks, there if there is more than one
    last_tick: Option<Count>,
    /// the counter of flits, there if a packet has more than one
    pub flit: Option<Count>,
    first: bool,
    tables: Vec<SharedTable>,
}

/// A table whose words go to all nodes of its class.
struct SharedTable {
    class: String,
    module: String,
    wires: TableWires,
}

/// A counter that starts at 0.
pub struct Count {
    pub range: Range,
    /// spaces up to the names of the ports
    pub gap: String,
    bits: u32,
    last: u32,
}

/// What all routers of a class are told.
pub struct Control {
    pub port: &'static str,
    pub wire: String,
}

impl Timing {
    /// What these classes need to be told.
    pub fn of<'d>(design: &Design, classes: impl Iterator<Item = (ClassId, &'d Router)>) -> Self {
        let classes: Vec<(ClassId, &Router)> = classes.collect();
        Self {
            last_tick: Count::up_to(design.netlist.ticks - 1),
            flit: Count::up_to(design.netlist.flits - 1),
            first: classes.iter().any(|(_, router)| router.uses_first()),
            tables: classes.into_iter().filter_map(|(class, router)| SharedTable::of(design, class, router)).collect(),
        }
    }
}

impl SharedTable {
    fn of(design: &Design, class: ClassId, router: &Router) -> Option<Self> {
        let table = router.table.as_ref().filter(|_| design.netlist.rom == Rom::Shared)?;
        Some(Self {
            class: design.program.class_name(class),
            module: names::table(design.program, class),
            wires: TableWires::of(table),
        })
    }
}

impl Control {
    /// What the routers of a class are told.
    pub fn of(design: &Design, class: ClassId, router: &Router) -> Vec<Self> {
        let class = design.program.class_name(class);
        let mut controls = Vec::new();
        if router.uses_first() {
            controls.push(Self { port: "first", wire: "first".to_owned() });
        }
        if let Some(table) = router.table.as_ref().filter(|_| design.netlist.rom == Rom::Shared) {
            if table.store.is_some() {
                controls.push(Self { port: "slot", wire: format!("slot_{class}") });
            }
            controls.push(Self { port: "word", wire: format!("word_{class}") });
        }
        controls
    }
}

impl Count {
    /// None if there is nothing to count.
    fn up_to(last: u32) -> Option<Self> {
        let range = Range::up_to(last);
        (last > 0).then(|| Self { range, gap: range.gap(), bits: digits(last), last })
    }
}
