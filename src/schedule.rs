//! Schedules in files: a line per send, written of every program, and read into one; algorithms of GPU libraries, read into one.
//!
//! ```text
//! tick,node,port,message
//! 1,0,R,0
//! 1,1,R,1
//! 2,1,R,0
//! ```
//!
//! A file says what is sent. Ages and stores follow from when it came, classes from which nodes do the same. The reader refuses
//! a schedule with the line of the first send that is wrong; the checker judges the program that is made, as it does every other.

mod agree;
mod algorithms;
mod error;
mod lines;
mod messages;
mod numbers;
mod origins;
mod packets;
mod partials;
mod sends;
mod write;

use crate::algorithm::is_algorithm;
use crate::net::Topology;
use crate::program::{Link, Program, Title, is_program};
use crate::task::CollectiveTraffic;
use crate::transform::ReversedGossip;

pub use error::ScheduleError;
pub use origins::PacketOrigins;
pub use write::ScheduleCsv;

use sends::SendList;

/// Largest file that is read: room for some ten million sends.
pub const MOST_BYTES: u64 = 1 << 28;
/// Most flits that are sent: a program, its lines and its arrivals take some hundred bytes for each.
const MOST_SENDS: usize = 1 << 24;
/// Largest tick of a file.
const MOST_TICKS: u32 = 1 << 24;

/// Demand and links that the schedule of a file is read for.
#[derive(Clone, Copy, Debug)]
pub struct ScheduleTask<'a> {
    /// Network of nodes and links.
    pub topology: &'a Topology,
    /// Traffic that the schedule must deliver.
    pub traffic: &'a CollectiveTraffic,
    /// Links, with their latency in ticks.
    pub link: Link,
    /// Flits per packet.
    pub flits: u32,
    /// Operation that combines values, in a reduction.
    pub reduction: Option<ReversedGossip>,
    /// Name of the design.
    pub name: &'a str,
}

/// Name of the scheme that stands in the title of a program from a file.
pub const FILE: &str = "file";

impl ScheduleTask<'_> {
    /// Reads a schedule: lines of sends, the JSON of a program, or an algorithm of GPU libraries.
    pub fn read(&self, text: &str) -> Result<Program, ScheduleError> {
        if is_program(text) {
            return self.agreed(text);
        }
        let mut sends = if is_algorithm(text) {
            algorithms::sends(self, text)?
        } else {
            SendList::of(self, &lines::parse(self.topology, text)?)?
        };
        let of_links = sends.refuse_links(self);
        let read = match self.reduction {
            None => sends.moved(self),
            Some(reduction) => sends.combined(self, reduction),
        };
        let fault = match (of_links, read) {
            (None, Ok(program)) => return Ok(program),
            // sends before the one that the link has no room for
            (Some(_), Err(earlier)) if earlier.send.is_some() => earlier,
            (Some(fault), _) | (None, Err(fault)) => fault,
        };
        Err(sends.error(self, text, fault))
    }

    fn title(&self) -> Title {
        Title::new(self.name, FILE)
    }
}
