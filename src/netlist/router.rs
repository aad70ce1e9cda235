//! The router of a class: its outputs, and what they load from.

use std::collections::BTreeSet;

use super::bits::Field;
use super::course::{self, Clock, Course};
use super::drive::Drive;
use super::keep::{self, Counter, Line, Ring, Store};
use super::table::{self, Table};
use super::value::Value;
use crate::net::Port;
use crate::program::Class;

/// An output that ever sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Which.
    pub port: Port,
    /// What it sends, in the order of time.
    pub course: Course,
    /// How that comes about.
    pub drive: Drive,
    /// The part of the table's word that says where in the stores to read for the next tick, if it ever does.
    pub slot: Option<Field>,
}

/// The registers of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Router {
    /// Flits a packet; an input read at this age is sent on as soon as a packet of it is in.
    pub flits: u32,
    /// Every output that ever sends.
    pub outputs: Vec<Output>,
    /// The packets of its own that it sends.
    pub packets: Vec<u32>,
    /// The inputs that it reads.
    pub inputs: Vec<Port>,
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
    pub(super) fn of(class: &Class, ticks: u32, flits: u32) -> Self {
        let courses = course::by_clocks(class, ticks, flits);
        if !table::is_due(&courses) {
            let output = |(port, course)| Output { port, drive: Drive::by_time(&course), course, slot: None };
            return Self::new(courses.into_iter().map(output).collect(), None, flits);
        }
        let courses = course::by_table(class, ticks);
        let (table, told) = Table::of(&courses, ticks, flits);
        let output = |((port, course), told): ((Port, Course), table::Told)| Output {
            port,
            course,
            drive: told.drive,
            slot: told.slot,
        };
        Self::new(courses.into_iter().zip(told).map(output).collect(), Some(table), flits)
    }

    /// The registers that these outputs need.
    fn new(outputs: Vec<Output>, table: Option<Table>, flits: u32) -> Self {
        let values: BTreeSet<Value> = outputs.iter().flat_map(|output| output.drive.values()).collect();
        let packet = |value: &Value| if let Value::Own { packet } = value { Some(*packet) } else { None };
        let inputs: BTreeSet<Port> = values.iter().filter_map(|value| value.input()).collect();
        Self {
            flits,
            packets: values.iter().filter_map(packet).collect(),
            inputs: inputs.into_iter().collect(),
            counters: keep::counters(outputs.iter().map(|output| &output.course)),
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
    pub fn output(&self, port: Port) -> Option<&Output> {
        self.outputs.iter().find(|output| output.port == port)
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
    pub fn line(&self, port: Port) -> Option<&Line> {
        self.lines.iter().find(|line| line.port == port)
    }
}

fn stores(values: &BTreeSet<Value>, outputs: &[Output], table: &Table) -> Vec<Store> {
    let store = |value: &Value| match *value {
        Value::Store { port } => {
            let readers = outputs.iter().filter(|output| output.drive.loads(*value)).map(|output| output.port);
            Some(Store { port, words: table.store?, readers: readers.collect() })
        }
        _ => None,
    };
    values.iter().filter_map(store).collect()
}
