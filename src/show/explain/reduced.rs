//! What a node combines: its rule, the partials that arrive, and what its own values become.

use serde::Serialize;

use super::partial::{Partials, Sending};
use super::story::{OutputStory, Packet};
use super::{Explainer, Gathered};
use crate::net::{NodeId, Port};
use crate::program::{Operation, Partial, Source};

/// The part of a program in which values are combined, as one node sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReductionStory {
    /// `reduce-scatter` or `all-reduce`.
    pub collective: &'static str,
    /// How two values become one.
    pub operation: Operation,
    /// Its ticks, for packets of one flit.
    pub ticks: u32,
    /// What its outputs send in them.
    pub outputs: Vec<OutputStory>,
    /// What arrives at its ports.
    pub ports: Vec<PartialPort>,
    /// What completes its own values.
    pub results: Vec<ResultStory>,
}

/// The partials that arrive at a port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartialPort {
    /// The port.
    pub port: String,
    /// The neighbour behind it.
    pub neighbour: String,
    /// Whose packets they are partials of, and when.
    pub partials: Vec<Packet>,
}

/// What one of the node's own values becomes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResultStory {
    /// Which of its packets.
    pub packet: usize,
    /// Its own value with what came by these ports.
    pub rule: String,
}

/// A partial with everybody whose value is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SumStory {
    /// The node whose result it goes into.
    pub node: String,
    /// Which of its packets.
    pub packet: u32,
    /// Who has put a value in it, the first ones first.
    pub values: Vec<ValueStory>,
}

/// A node that put its own value in a partial and sent it on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValueStory {
    /// The node.
    pub node: String,
    /// The port it went out by.
    pub by: String,
    /// The tick.
    pub tick: u32,
    /// The ports by which what else is in it had come.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<String>,
}

impl Explainer<'_> {
    /// What a node combines, if the design combines anything.
    pub(super) fn reduction(&self, node: NodeId, only: Option<Port>) -> Option<ReductionStory> {
        let program = self.reduced.as_ref()?;
        let (partials, reduction) = (Partials::of(program)?, program.reduction.as_deref()?);
        let topology = &program.topology;
        let class = program.class_of[node.index()].index();
        let ports = || topology.port_ids().filter(|port| only.is_none_or(|only| only == *port));
        let output = |port: Port| {
            let rule = program.classes[class].outputs[port.index()].describe_changes(topology.axes());
            let purpose = if rule == "idle" { "not used" } else { "carries partials" };
            OutputStory { port: self.name(port), rule, purpose: purpose.into() }
        };
        let arrivals = |port: Port| {
            let listed = partials.listed(node, port).into_iter();
            Some(PartialPort {
                port: self.name(port),
                neighbour: topology.show(topology.neighbour(node, port)?),
                partials: listed
                    .map(|(tick, Partial { node, packet })| Packet { tick, node: topology.show(node), packet })
                    .collect(),
            })
        };
        let results = reduction.results[class].iter().enumerate();
        Some(ReductionStory {
            collective: self.design.program.collective(),
            operation: reduction.operation,
            ticks: reduction.ticks,
            outputs: ports().map(output).collect(),
            ports: ports().filter_map(arrivals).collect(),
            results: results
                .map(|(packet, &operands)| ResultStory {
                    packet,
                    rule: Source::Sum { operands }.describe(topology.axes()),
                })
                .collect(),
        })
    }

    /// The partial that arrives at a port in a tick.
    pub(super) fn sum(&self, node: NodeId, port: Port, tick: u32) -> Option<SumStory> {
        let program = self.reduced.as_ref()?;
        let Gathered { partial, sends } = Partials::of(program)?.arriving(node, port, tick)?;
        let topology = &program.topology;
        let value = |Sending { tick, node, by, with }: Sending| ValueStory {
            node: topology.show(node),
            by: self.name(by),
            tick,
            with: with.iter().map(|with| self.name(with.port)).collect(),
        };
        Some(SumStory {
            node: topology.show(partial.node),
            packet: partial.packet,
            values: sends.into_iter().map(value).collect(),
        })
    }
}
