//! Combining at a node: its rule, the partials that arrive, and the destination of its own values.

use super::Explainer;
use super::partial::{Gathered, ReducePart, SentPartial};
use super::story::{OutputStory, PartialPort, ReductionStory, ResultStory, SumStory, ValueStory};
use crate::net::{Channel, NodeId, Port};
use crate::program::{Partial, Source};

impl Explainer<'_> {
    /// Describes the values that a node combines; `None` if the design combines nothing.
    pub(super) fn reduction(&self, node: NodeId, only: Option<Port>) -> Option<ReductionStory> {
        let partials = ReducePart::of(self.reduced.as_ref()?)?;
        // in the unit of time that the text uses
        let program = self.long.as_ref().map(|[_, combines]| combines).or(self.reduced.as_ref())?;
        let (topology, reduction) = (&program.topology, program.reduction.as_deref()?);
        let class = program.class_of[node.index()].index();
        let ports = || topology.port_ids().filter(|port| only.is_none_or(|only| only == *port));
        let output = |port: Port| {
            let rule = program.classes[class].outputs[port.index()].describe_changes(topology.axes());
            let purpose = if rule == "idle" { "not used" } else { "carries partials" };
            OutputStory { port: self.name_of(Channel::first(port)), rule, purpose: purpose.into() }
        };
        let arrivals = |port: Port| {
            let listed = partials.listed(node, port).into_iter();
            Some(PartialPort {
                port: self.name(port),
                neighbour: self.coords(topology.step(node, port)?),
                partials: listed
                    .map(|(step, Partial { node, packet })| self.packet(self.combining.arrived(step), (node, packet)))
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

    /// The partial of which a flit was sent to a port in a step, so many ticks late.
    pub(super) fn sum(&self, node: NodeId, port: Port, step: u32, late: u32) -> Option<SumStory> {
        let program = self.reduced.as_ref()?;
        let Gathered { partial, sends } = ReducePart::of(program)?.arriving(node, port, step)?;
        let value = |SentPartial { tick, node, by, with }: SentPartial| ValueStory {
            node: self.coords(node),
            by: self.name(by),
            tick: self.combining.sent(tick) + late,
            with: with.iter().map(|with| self.name(with.port)).collect(),
        };
        Some(SumStory {
            node: self.coords(partial.node),
            packet: partial.packet,
            values: sends.into_iter().map(value).collect(),
        })
    }
}
