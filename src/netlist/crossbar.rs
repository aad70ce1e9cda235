//! A crossbar that is set while nothing plays: what an output forwards, and which packet goes before that, is not built into the
//! routers of a class, but said by registers of the node, its configuration.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bits::{WordField, bits_for};
use super::drive::{ConfiguredChoice, Drive};
use super::value::{LoadedValue, Own};
use super::{Netlist, OwnInputs, Rom};
use crate::net::Channel;
use crate::program::{Class, Program, Source};

/// Owner of the choice of an output's input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Crossbar {
    /// The class of its router, for ever: there are wires, and nothing to choose.
    #[default]
    Fixed,
    /// Registers of its node, which are shifted in before the program plays: any output can forward any input.
    Configurable,
}

/// Reason for which outputs cannot be configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoCrossbar {
    /// An output has several sources, one after the other.
    Changes {
        /// Name of the output.
        output: String,
        /// Name of its class.
        class: String,
        /// Verb for what the output does with them.
        what: &'static str,
    },
    /// Values are combined.
    Combined,
    /// Half-duplex links turn.
    Turning,
    /// Own packets are taken flit by flit.
    Streams,
    /// No output has anything to choose from.
    NoChoice,
}

impl Crossbar {
    /// Checks that a configuration can express everything that the classes of a program do.
    pub fn fits(program: &Program) -> Result<(), NoCrossbar> {
        if program.reduction.is_some() {
            return Err(NoCrossbar::Combined);
        }
        if !program.duplex.is_full() {
            return Err(NoCrossbar::Turning);
        }
        let netlist = Netlist::of(program, Rom::Shared, 1);
        if netlist.streams {
            return Err(NoCrossbar::Streams);
        }
        for (class, router) in netlist.driven() {
            for output in &router.outputs {
                if let Err(what) = single(&output.drive) {
                    let output = output.channel.label(program.topology.axes());
                    return Err(NoCrossbar::Changes { output, class: program.class_name(class), what });
                }
            }
        }
        if !Netlist::with(program, Self::Configurable, OwnInputs::Packets, Rom::Shared, 1).is_configured() {
            return Err(NoCrossbar::NoChoice);
        }
        Ok(())
    }
}

/// Checks that an output sends one own packet and forwards one input, each any number of times; the error names what
/// varies.
fn single(drive: &Drive) -> Result<(), &'static str> {
    let values: BTreeSet<LoadedValue> = drive.sources().collect();
    let is_own = |value: &&LoadedValue| matches!(value, LoadedValue::Own(_));
    if values.iter().filter(is_own).count() > 1 {
        return Err("sends of the node's own");
    }
    let is_simple = drive.early.is_none() && drive.first.is_none() && drive.combine.is_none();
    let arriving: Vec<&LoadedValue> = values.iter().filter(|value| !is_own(value)).collect();
    match arriving.as_slice() {
        [] | [LoadedValue::Wire { .. } | LoadedValue::Line { .. } | LoadedValue::Ring { .. }] if is_simple => Ok(()),
        _ => Err("forwards"),
    }
}

/// Collects what the configuration of a class says.
pub(super) struct Settings {
    inputs: BTreeSet<Channel>,
    packets: BTreeSet<Own>,
    /// The bits, from the lowest up.
    pub bits: Vec<bool>,
}

impl Settings {
    /// Settings of a class, with the inputs at which something arrives at each of its nodes.
    pub fn of(class: &Class, arriving: impl Iterator<Item = Channel>) -> Self {
        let sources = class.sources();
        let own = |value| if let LoadedValue::Own(own) = value { Some(own) } else { None };
        Self {
            packets: sources.iter().filter_map(|&source| LoadedValue::of(source).and_then(own)).collect(),
            inputs: sources.into_iter().flat_map(Source::inputs).chain(arriving).collect(),
            bits: Vec::new(),
        }
    }

    /// Leaves to the configuration what an output chooses for good. One that chooses otherwise over time stays as it is.
    pub fn leave(&mut self, drive: &mut Drive) {
        if single(drive).is_err() {
            return;
        }
        for place in 0..drive.values.len() {
            let value = drive.values[place];
            let (values, choice, stands): (Vec<LoadedValue>, _, _) = if let LoadedValue::Own(_) = value {
                (self.packets.iter().copied().map(LoadedValue::Own).collect(), &mut drive.packet, LoadedValue::Packet)
            } else {
                (self.inputs.iter().map(|&input| value.at(input)).collect(), &mut drive.route, LoadedValue::Route)
            };
            if values.len() < 2 {
                continue;
            }
            let number = values.iter().position(|&it| it == value).expect("it is one of all");
            let select = WordField { low: self.bits.len() as u32, bits: bits_for(values.len() as u64) };
            self.bits.extend((0..select.bits).map(|bit| number >> bit & 1 == 1));
            *choice = Some(ConfiguredChoice { select, values });
            drive.values[place] = stands;
        }
    }
}
