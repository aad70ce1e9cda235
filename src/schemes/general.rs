//! `general`: gossip on any connected network, one table for each orbit of nodes, by the orbit greedy.

mod frame;
mod greedy;
mod matching;
pub mod patch;
mod search;

use self::search::FoundSchedule;
use crate::net::Network;
use crate::program::{Class, ClassId, Demand, Link, Program, Run, Source, Title, Track};
use crate::study::bounds::{self, Goal};
use crate::task::{About, Claim, ConstructError, Knob, Scheme, SchemeLinks, Task, Unmet, Woven};

/// Gossip on any network.
#[derive(Clone, Copy, Debug)]
pub struct General;

/// Nodes times orbits whose knowledge is followed: more take gigabytes.
const MOST_KNOWN: u64 = 1 << 26;
/// Outputs of all orbits times ticks: more make a program of gigabytes.
const MOST_WORDS: u64 = 1 << 25;
/// Largest network of few orbits.
const MOST_NODES: u32 = 1 << 18;

impl Scheme for General {
    fn about(&self) -> About {
        About {
            name: "general",
            summary: "One packet a node on any network, twisted, open or damaged: a table of times for each orbit of nodes",
            theorem: "an orbit greedy with matchings; no paper's",
            condition: "any connected network of moderate size, full-duplex links",
            packets: "1",
            preference: 17,
        }
    }

    fn takes(&self, _network: &Network) -> bool {
        true
    }

    fn stands_in(&self) -> bool {
        true
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        let network = task.topology;
        let refused = Unmet { needs: "a table of at most 2^25 words: fewer nodes, or more of them alike" };
        if network.nodes() > MOST_NODES {
            // orbits of more nodes take long to count
            return Err(refused);
        }
        let orbits = network.orbit_count();
        let outputs = orbits.saturating_mul(network.ports() as u64);
        let least = u64::from(network.live_nodes() - 1).div_ceil(u64::from(network.fewest_links().max(1)));
        let ticks = least.saturating_mul(task.link.latency.into());
        let known = orbits.saturating_mul(network.nodes().into());
        if known <= MOST_KNOWN && outputs.saturating_mul(ticks) <= MOST_WORDS { Ok(()) } else { Err(refused) }
    }

    fn links(&self) -> SchemeLinks {
        SchemeLinks::Full
    }

    fn packets(&self, _task: &Task) -> u16 {
        1
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        let (network, latency) = (task.topology, task.link.latency);
        let link = Link { latency, ..Link::default() };
        let bound = bounds::lower_bound(network, link, Goal::Gossip { flits: 1 }).ticks - u64::from(latency - 1);
        let found = search::best(task, bound as u32).ok_or(Unmet { needs: "more branches of a node" })?;
        Ok(Woven { program: program(network, &found, title), cover: None })
    }

    fn claim(&self, _task: &Task) -> Option<Claim> {
        None
    }

    fn awaits_arrivals(&self, _task: &Task) -> bool {
        true
    }

    fn knobs(&self, _task: &Task) -> &'static [Knob] {
        &[Knob::Reads, Knob::Rom]
    }
}

/// The program in which every node does what the representative of its orbit does.
fn program(network: &Network, FoundSchedule { frame, schedule }: &FoundSchedule, title: Title) -> Program {
    let ports = frame.ports;
    let class = |orbit: usize| {
        // the words of all ports of a tick at once, as they stand side by side
        let ticks = schedule.words.chunks_exact(frame.orbits() * ports);
        let words: Vec<u32> = ticks.flat_map(|tick| &tick[orbit * ports..][..ports]).copied().collect();
        Class {
            outputs: (0..ports)
                .map(|port| track(words.iter().skip(port).step_by(ports).copied(), ports as u32))
                .collect(),
        }
    };
    let demand = Demand::gossip(network, 1);
    let classes: Vec<Class> = (0..frame.orbits()).map(class).collect();
    let program = Program::uniform(network, schedule.ticks, demand, classes[0].outputs.clone(), title);
    // a dead node has no orbit, and gets its class below
    let class_of =
        |node: crate::net::NodeId| ClassId(if network.is_live(node) { frame.orbit(node.0) as u32 } else { 0 });
    let class_of = network.node_ids().map(class_of).collect();
    Program { classes, class_of, ..program }.with_dead_class()
}

/// An output's words, tick after tick, as runs.
fn track(words: impl Iterator<Item = u32>, ports: u32) -> Track {
    let mut runs: Vec<Run> = Vec::new();
    for word in words {
        let source = match word {
            greedy::IDLE => Source::Idle,
            greedy::OWN => Source::own(0),
            word => {
                let port = crate::net::Port::from_index(((word - 2) % ports) as usize);
                Source::input(port, (word - 2) / ports + 1)
            }
        };
        match runs.last_mut() {
            Some(last) if last.source == source => last.ticks += 1,
            _ => runs.push(Run { source, ticks: 1 }),
        }
    }
    Track { runs, repeat_from: None, inject: None }
}
