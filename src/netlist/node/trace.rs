//! The flit that every output sends in every tick.

use crate::net::{Channel, NodeId};
use crate::program::{FlitId, Program, Source, Span};

/// Flits by the register that sends them and the step, and what goes into outputs that combine.
#[derive(Clone, Debug)]
pub(super) struct FlitTrace {
    /// By step, counted from 0, and register.
    steps: Vec<Vec<Option<FlitId>>>,
}

/// Partial that an output of a reduction is at.
#[derive(Clone, Copy, Default)]
struct OpenPartial {
    sums: u32,
    entries: usize,
    packet: Option<u32>,
}

impl FlitTrace {
    pub fn of(program: &Program) -> Self {
        let tracks = program.classes.iter().flat_map(|class| &class.outputs);
        let spans: Vec<Vec<Span>> = tracks.map(|track| track.spans(program.ticks).collect()).collect();
        let mut begun = vec![OpenPartial::default(); program.registers()];
        let mut trace = Self { steps: Vec::with_capacity(program.ticks as usize) };
        for step in 0..program.ticks {
            let mut now = Vec::with_capacity(program.registers());
            for (register, begun) in begun.iter_mut().enumerate() {
                let (node, output) = program.owner(register);
                let class = program.class_of[node.index()].index();
                let spans = &spans[class * program.outputs() + program.output_index(output)];
                let span = spans[spans.partition_point(|span| span.last <= step)];
                let sent = match &program.reduction {
                    None => trace.moved(program, node, output, span, step),
                    Some(_) => trace.combined(program, register, span, step, begun),
                };
                now.push(sent);
            }
            trace.steps.push(now);
        }
        trace
    }

    /// Flit that a register sends in a step.
    pub fn sent(&self, register: usize, step: u32) -> Option<FlitId> {
        self.steps[step as usize][register]
    }

    /// Flit that arrives at an input in a step.
    pub fn arrived(&self, program: &Program, node: NodeId, input: Channel, step: u32) -> Option<FlitId> {
        // up to the end of the reduce part partials arrive, which come by way of adders
        let is_partial = program.reduction.as_ref().is_some_and(|reduction| step < reduction.ticks);
        let sent = (step + 1).checked_sub(if is_partial { program.reduce_latency() } else { program.latency })?;
        self.steps[sent as usize][program.arriving(node, input)?]
    }

    /// Flit that an output sends which moves packets.
    fn moved(&self, program: &Program, node: NodeId, output: Channel, span: Span, step: u32) -> Option<FlitId> {
        let inject = program.class(node).outputs[program.output_index(output)].inject;
        if let Some(packet) = inject
            && let Some(since) = program.window(node).open(step + 1)
        {
            return program.demand.flit(node, packet, packet, since);
        }
        match span.source {
            Source::Own { packet, through } => program.demand.flit(node, packet, through, step + 1 - span.first),
            source => {
                let step = step.checked_sub(source.age()?)?;
                source.inputs().find_map(|input| self.arrived(program, node, input, step))
            }
        }
    }

    /// Flit whose partial, or result, an output sends that combines.
    fn combined(
        &self,
        program: &Program,
        register: usize,
        span: Span,
        step: u32,
        begun: &mut OpenPartial,
    ) -> Option<FlitId> {
        let reduction = program.reduction.as_ref()?;
        let (node, output) = program.owner(register);
        // arrivals of the other part, or of the tick between the parts, do not count
        let part = if step < reduction.ticks { 0 } else { reduction.ticks + 1 };
        let brought = |trace: &Self, input, age: u32| {
            let step = step.checked_sub(age).filter(|&step| step >= part)?;
            trace.arrived(program, node, input, step)
        };
        match span.source {
            Source::Own { packet, through } => program.demand.flit(node, packet, through, step + 1 - span.first),
            Source::Sum { operands } => {
                let inputs = operands.iter().map(|operand| (Channel::first(operand.port), operand.age));
                let arrived = inputs.into_iter().find_map(|(input, age)| brought(self, input, age));
                let place = begun.sums % program.flits;
                begun.sums += 1;
                if place == 0 {
                    let continued = arrived.filter(|_| reduction.order.starts).map(|flit| flit.0 / program.flits);
                    begun.packet = continued.or_else(|| {
                        let output = program.output_index(output);
                        let entry = reduction.order.entry(&program.topology, node, output, begun.entries).flatten();
                        begun.entries += 1;
                        entry.map(|partial| program.demand.packet(partial.node, partial.packet) as u32)
                    });
                }
                begun.packet.map(|packet| FlitId(packet * program.flits + place))
            }
            source => {
                let age = source.age()?;
                source.inputs().find_map(|input| brought(self, input, age))
            }
        }
    }
}
