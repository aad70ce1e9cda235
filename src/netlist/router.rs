//! The router of a class: its outputs, and what they load from.

use std::collections::BTreeSet;

use super::bits::Field;
use super::course::{self, Clock, Course};
use super::drive::Drive;
use super::keep::{self, Counter, Line, Ring, Store};
use super::table::{self, Table};
use super::value::{Own, Value};
use crate::net::{Channel, Ports};
use crate::program::Class;

/// An output that ever sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Which.
    pub channel: Channel,
    /// What it sends, in the order of time.
    pub course: Course,
    /// How that comes about.
    pub drive: Drive,
    /// The part of the table's word that says where in the stores to read for the next tick, if it ever does.
    pub slot: Option<Field>,
    /// The packet that goes out instead while the node's window is open.
    pub inject: Option<Own>,
}

/// The registers of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Router {
    /// Flits a packet; an input read at this age is sent on as soon as a packet of it is in.
    pub flits: u32,
    /// Every output that ever sends.
    pub outputs: Vec<Output>,
    /// The packets of its own that it sends.
    pub packets: Vec<Own>,
    /// The inputs that it reads.
    pub inputs: Vec<Channel>,
    /// The inputs that are joined for an output: what any of them brings.
    pub joins: Vec<Ports>,
    /// The counters that tell its outputs the time.
    pub counters: Vec<Counter>,
    /// The delay lines in shift registers.
    pub lines: Vec<Line>,
    /// The delay lines in memory.
    pub rings: Vec<Ring>,
    /// The stores that the table reads.
    pub stores: Vec<Store>,
    /// What tells the outputs what to do, if they change often.
    pub table: Option<Table>,
}

impl Router {
    /// Lowers a class of a program of `ticks` ticks and packets of `flits` flits.
    pub(super) fn of(class: &Class, lanes: u8, ticks: u32, flits: u32) -> Self {
        let tracks = class.outputs.iter().filter(|track| !track.is_idle());
        let injected = tracks.map(|track| track.inject.map(|packet| Own { packet, through: packet }));
        let courses = course::by_clocks(class, lanes, ticks, flits);
        if !table::is_due(&courses) {
            let output = |((channel, course), inject)| Output {
                channel,
                drive: Drive::by_time(&course),
                course,
                slot: None,
                inject,
            };
            return Self::new(courses.into_iter().zip(injected).map(output).collect(), None, ticks, flits);
        }
        let courses = course::by_table(class, lanes, ticks);
        let (table, told) = Table::of(&courses, ticks, flits);
        let output = |(((channel, course), told), inject): (((Channel, Course), table::Told), Option<Own>)| Output {
            channel,
            course,
            drive: told.drive,
            slot: told.slot,
            inject,
        };
        Self::new(courses.into_iter().zip(told).zip(injected).map(output).collect(), Some(table), ticks, flits)
    }

    /// The registers that these outputs need.
    fn new(outputs: Vec<Output>, table: Option<Table>, ticks: u32, flits: u32) -> Self {
        let values: BTreeSet<Value> = outputs.iter().flat_map(|output| output.drive.values()).collect();
        let own = |value: &Value| if let Value::Own(own) = value { Some(*own) } else { None };
        let join = |value: &Value| if let Value::Any { ports } = value { Some(*ports) } else { None };
        let packets: BTreeSet<Own> =
            values.iter().filter_map(own).chain(outputs.iter().filter_map(|output| output.inject)).collect();
        let inputs: BTreeSet<Channel> = values.iter().flat_map(|value| value.inputs()).collect();
        let window = outputs.iter().any(|output| output.inject.is_some()).then_some(ticks);
        Self {
            flits,
            packets: packets.into_iter().collect(),
            inputs: inputs.into_iter().collect(),
            joins: values.iter().filter_map(join).collect(),
            counters: keep::counters(outputs.iter().map(|output| &output.course), window),
            lines: keep::lines(&values),
            rings: keep::rings(&values),
            stores: table.as_ref().map_or_else(Vec::new, |table| stores(&values, &outputs, table)),
            table,
            outputs,
        }
    }

    /// Whether it sends nothing at all, so that there is none.
    pub fn is_idle(&self) -> bool {
        self.outputs.is_empty()
    }

    /// An output, if it ever sends.
    pub fn output(&self, channel: Channel) -> Option<&Output> {
        self.outputs.iter().find(|output| output.channel == channel)
    }

    /// Whether an output sends in a window of the node's.
    pub fn has_window(&self) -> bool {
        self.outputs.iter().any(|output| output.inject.is_some())
    }

    /// Every clock in use, each once.
    pub fn clocks(&self) -> BTreeSet<Clock> {
        self.outputs.iter().map(|output| output.course.clock).collect()
    }

    /// Whether it looks at the fabric's `first`.
    pub fn uses_first(&self) -> bool {
        self.clocks().contains(&Clock::First)
    }

    /// The delay line of an input.
    pub fn line(&self, input: Channel) -> Option<&Line> {
        self.lines.iter().find(|line| line.input == input)
    }
}

fn stores(values: &BTreeSet<Value>, outputs: &[Output], table: &Table) -> Vec<Store> {
    let store = |value: &Value| match *value {
        Value::Store { input } => {
            let readers = outputs.iter().filter(|output| output.drive.loads(*value)).map(|output| output.channel);
            Some(Store { input, words: table.store?, readers: readers.collect() })
        }
        _ => None,
    };
    values.iter().filter_map(store).collect()
}
