//! The RTL: the control that tells routers what to do, a router for each class that sends, the fabric.

pub(in crate::emit) mod adder;
mod combine;
mod control;
mod crossbar;
mod fields;
mod loaded;
mod long;
mod neutral;
mod operator;
pub(in crate::emit) mod pads;
mod protocol;
pub(in crate::emit) mod router;
mod rules;
mod slots;
mod take;
mod timing;
mod top;

pub use neutral::Neutral;
pub use slots::units;
pub use timing::SequenceControl;

use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::names;
use crate::emit::shared::output::{EmittedPart, OutputFile};

/// The control: the sequences of words, the register that takes them to the routers, and what sets these.
pub struct Controls;

impl EmittedPart for Controls {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        if design.options.protocol.is_some() {
            return Vec::new();
        }
        if let Some(loadable) = &design.netlist.loadable {
            let control = OutputFile::module(&loaded::control_module(design), move || {
                loaded::LoadedModule::new(design, loadable)
            });
            let leaf = OutputFile::module(&names::leaf(design.program), move || control::LeafModule::new(design));
            let loader =
                OutputFile::module(&names::loader(design.program), move || loaded::LoaderModule::new(design, loadable));
            return vec![control, leaf, loader];
        }
        let sequences = 0..design.netlist.sequences.len();
        let module = |sequence| names::control(design.program, design.netlist.told_first(sequence));
        let control =
            |sequence| OutputFile::module(&module(sequence), move || control::ControlModule::new(design, sequence));
        let leaf = OutputFile::module(&names::leaf(design.program), move || control::LeafModule::new(design));
        let configuration = || {
            let module = names::configuration(design.program);
            OutputFile::module(&module, move || crossbar::ConfigurationModule::new(design))
        };
        sequences.map(control).chain([leaf]).chain(design.netlist.is_configured().then(configuration)).collect()
    }
}

/// Router modules of all classes.
pub struct Routers;

impl EmittedPart for Routers {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        if let Some(protocol) = &design.options.protocol {
            return protocol::nodes(design, protocol);
        }
        let unit = design
            .netlist
            .unit
            .map(|unit| adder::file(unit, names::unit(design.program), design.options.width, design.generated()));
        let built = design.netlist.driven().filter(|&(class, _)| design.netlist.module_of(class) == class);
        let routers = built.map(|(class, router)| {
            let module = names::router(design.program, class);
            OutputFile::module(&module, move || router::RouterModule::of_class(design, class, router))
        });
        unit.into_iter().chain(routers).collect()
    }
}

/// Module of the fabric.
pub struct Fabric;

impl EmittedPart for Fabric {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        if let Some(protocol) = &design.options.protocol {
            return vec![protocol::fabric(design, protocol)];
        }
        let is_long = design.program.latency > 1;
        let link = || OutputFile::module(&names::link(design.program), move || long::LinkModule::new(design));
        let fabric = OutputFile::module(design.name(), move || top::FabricModule::new(design));
        is_long.then(link).into_iter().chain([fabric]).collect()
    }
}

/// The routers with their pads, where links lead from board to board.
pub struct Pads;

impl EmittedPart for Pads {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        if !pads::are_due(design.program) {
            return Vec::new();
        }
        let classes = pads::of_classes(design);
        let routers = design.netlist.driven().map(|(class, router)| {
            let pads = classes[class.index()].clone();
            let view = move || pads::PadsModule::new(design, class, router, &pads);
            OutputFile::module(&names::pads(design.program, class), view)
        });
        routers.collect()
    }
}
