//! `open-shop`: total exchange, every node has a message for every other.

mod flow;
mod graph;
mod listed;
mod load;
mod routed;
mod routes;
pub mod shop;
mod spaced;
mod vectors;

use self::load::Job;
pub use self::routed::Routed;
use crate::net::{Around, Network, Topology};
use crate::program::{Demand, Message, Program, Run, Sender, Source, Title, To, Track};
use crate::task::Collective;
use crate::task::{About, Claim, Scheme, Woven};
use crate::task::{ConstructError, Unmet};
use crate::task::{FROM_ALL, Task};

/// All nodes do the same at the same time.
#[derive(Clone, Copy, Debug)]
pub struct OpenShop;

impl Scheme for OpenShop {
    fn about(&self) -> About {
        About {
            name: "open-shop",
            summary: "Total exchange: hops as jobs in a shop, no port ever idle on tori of equal sides",
            theorem: "list scheduling axis by axis, else König's edge colouring; no paper's",
            condition: "a torus, or a twisted one",
            packets: "P - 1",
            preference: 16,
        }
    }

    fn collectives(&self) -> &'static [Collective] {
        &[Collective::Exchange]
    }

    fn takes(&self, network: &Network) -> bool {
        network.is_grid() || network.is_homogeneous()
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        if task.choice.traffic.pairs.is_some() {
            return Err(Unmet { needs: "no `lengths`" });
        }
        if task.topology.as_product().is_some() {
            task.torus_sides()?;
        } else if !vectors::are_few(task.topology) {
            return Err(Unmet { needs: "a smaller diameter, if the torus is twisted" });
        }
        let hops = Around::new(task.topology, task.root()).hops();
        FROM_ALL.hold(hops.saturating_mul(task.topology.nodes().into()))
    }

    fn packets(&self, task: &Task) -> u16 {
        (task.topology.nodes() - 1).min(u16::MAX.into()) as u16
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        Ok(Woven { program: program(task.topology, task.link.latency, title), cover: None })
    }

    fn claim(&self, _task: &Task) -> Option<Claim> {
        None
    }

    fn awaits_arrivals(&self, _task: &Task) -> bool {
        true
    }
}

fn program(topology: &Topology, latency: u32, title: Title) -> Program {
    let (mut jobs, ticks) = shop::schedule(topology, latency);
    // each output sends packets of the node's own in the order of their numbers
    jobs.sort_by_key(|job| job.hops.first().map(|&(tick, port)| (port, tick)));
    let message = |job: &Job| Message { from: Sender::Every, to: To::Offset(job.offset.clone()), flits: 1 };
    let demand = Demand::new(topology, jobs.iter().map(message).collect());
    let mut sources = vec![vec![Source::Idle; ticks as usize]; topology.ports()];
    for (packet, job) in jobs.iter().enumerate() {
        let mut source = |tick: u32, port: crate::net::Port, source| sources[port.index()][tick as usize - 1] = source;
        let (first, port) = job.hops[0];
        source(first, port, Source::own(packet as u32));
        for pair in job.hops.windows(2) {
            let [(before, from), (tick, port)] = [pair[0], pair[1]];
            source(tick, port, Source::input(from.opposite(), tick - before));
        }
    }
    let outputs = sources.into_iter().map(|sources| track(&sources)).collect();
    Program::uniform(topology, ticks, demand, outputs, title)
}

/// One source per tick; equal ones in a row are one run, but a packet of one flit is sent once.
fn track(sources: &[Source]) -> Track {
    let mut runs: Vec<Run> = Vec::new();
    for &source in sources {
        match runs.last_mut() {
            Some(run) if run.source == source => run.ticks += 1,
            _ => runs.push(Run { source, ticks: 1 }),
        }
    }
    Track { runs, repeat_from: None, inject: None }
}
