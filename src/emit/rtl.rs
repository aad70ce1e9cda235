//! The RTL: a table module for each class that has one, a router for each class that sends, the fabric.

mod fabric;
pub mod pads;
mod parts;
mod protocol;
mod router;
mod rules;
mod steering;
mod table;
mod timing;

pub use parts::Range;

use super::design::Design;
use super::names;
use super::output::{File, Output};

/// The tables.
pub struct Tables;

impl Output for Tables {
    fn files<'d>(&self, design: &'d Design<'d>, _: &[File<'d>]) -> Vec<File<'d>> {
        let mut files = Vec::new();
        if design.options.protocol.is_some() {
            return files;
        }
        for (class, router) in design.netlist.driven() {
            let module = names::table(design.program, class);
            let file = |table| File::module(&module, move || table::TableModule::new(design, class, router, table));
            files.extend(router.table.as_ref().map(file));
        }
        files
    }
}

/// The routers.
pub struct Routers;

impl Output for Routers {
    fn files<'d>(&self, design: &'d Design<'d>, _: &[File<'d>]) -> Vec<File<'d>> {
        if let Some(protocol) = &design.options.protocol {
            return protocol::nodes(design, protocol);
        }
        let routers = design.netlist.driven().map(|(class, router)| {
            let module = names::router(design.program, class);
            File::module(&module, move || router::RouterModule::new(design, class, router))
        });
        routers.collect()
    }
}

/// The fabric.
pub struct Fabric;

impl Output for Fabric {
    fn files<'d>(&self, design: &'d Design<'d>, _: &[File<'d>]) -> Vec<File<'d>> {
        match &design.options.protocol {
            Some(protocol) => vec![protocol::fabric(design, protocol)],
            None => vec![File::module(design.name(), move || fabric::FabricModule::new(design))],
        }
    }
}

/// The routers with their pads, where links lead from board to board.
pub struct Pads;

impl Output for Pads {
    fn files<'d>(&self, design: &'d Design<'d>, _: &[File<'d>]) -> Vec<File<'d>> {
        if !pads::are_due(design.program) {
            return Vec::new();
        }
        let classes = pads::of_classes(design);
        let routers = design.netlist.driven().map(|(class, router)| {
            let pads = classes[class.index()].clone();
            let view = move || pads::PadsModule::new(design, class, router, &pads);
            File::module(&names::pads(design.program, class), view)
        });
        routers.collect()
    }
}
