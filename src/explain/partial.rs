//! The partials of a reduction, followed back from where they arrive: whose values have come together on the way.

use std::collections::BTreeSet;

use crate::net::{NodeId, Port};
use crate::program::{Operand, Partial, Program, Reduction, Source};

/// A partial, and everybody who has sent it on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gathered {
    /// Origin and index of the packet that the sum is for.
    pub partial: Partial,
    /// Each send of it that went into this one, the first ones first.
    pub sends: Vec<SentPartial>,
}

/// A node sends a partial: its own value, and what came in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SentPartial {
    /// The tick it is sent in.
    pub tick: u32,
    /// Number of the node.
    pub node: NodeId,
    /// The port it goes out by.
    pub by: Port,
    /// Operands that arrived, with their ages.
    pub with: Vec<Operand>,
}

/// The reduce part of a program of whole packets.
#[derive(Clone, Copy)]
pub struct ReducePart<'p> {
    program: &'p Program,
    reduction: &'p Reduction,
}

impl<'p> ReducePart<'p> {
    /// Prepares a program; `None` if it does not combine.
    pub fn of(program: &'p Program) -> Option<Self> {
        Some(Self { program, reduction: program.reduction.as_deref()? })
    }

    /// Arrival at an input in a tick, followed back to its contributors; `None` if nothing arrives.
    pub fn arriving(self, node: NodeId, input: Port, tick: u32) -> Option<Gathered> {
        let mut open = vec![self.sender(node, input, tick)?];
        let mut sends = BTreeSet::new();
        while let Some((node, by, tick, source)) = open.pop() {
            let with = self.arrived(node, tick, source);
            open.extend(with.iter().filter_map(|with| self.sender(node, with.port, tick - with.age)));
            sends.insert(SentPartial { tick, node, by, with });
        }
        let partial = self.named(sends.first()?)?;
        Some(Gathered { partial, sends: sends.into_iter().collect() })
    }

    /// Partials that arrive at an input, with their ticks.
    pub fn listed(self, node: NodeId, input: Port) -> Vec<(u32, Partial)> {
        let ticks = 1..=self.reduction.ticks;
        ticks.filter_map(|tick| Some((tick, self.begun(node, input, tick)?))).collect()
    }

    /// Partial that arrives in a tick, as named by some leaf of its tree.
    fn begun(self, node: NodeId, input: Port, tick: u32) -> Option<Partial> {
        let (mut node, mut by, mut tick, mut source) = self.sender(node, input, tick)?;
        loop {
            let with = self.arrived(node, tick, source);
            match with.first().filter(|_| self.reduction.order.starts) {
                None => return self.named(&SentPartial { tick, node, by, with }),
                Some(&Operand { port, age }) => (node, by, tick, source) = self.sender(node, port, tick - age)?,
            }
        }
    }

    /// Node that combined what arrives at an input in a tick; others may have sent it on since.
    fn sender(self, node: NodeId, input: Port, tick: u32) -> Option<(NodeId, Port, u32, Source)> {
        let sender = self.program.topology.step(node, input).filter(|_| tick > 0 && tick <= self.program.ticks)?;
        let by = input.opposite();
        match self.program.class(sender).outputs[by.index()].source_at(tick) {
            Source::In { port, age, .. } => self.sender(sender, port, tick.checked_sub(age)?),
            source => source.is_sum().then_some((sender, by, tick, source)),
        }
    }

    /// Operands of a source that have arrived.
    fn arrived(self, node: NodeId, tick: u32, source: Source) -> Vec<Operand> {
        let Source::Sum { operands } = source else { return Vec::new() };
        let is_there =
            |operand: &Operand| operand.age < tick && self.sender(node, operand.port, tick - operand.age).is_some();
        operands.iter().filter(is_there).collect()
    }

    /// The entry of the order for a send: its number is that of those before.
    fn named(self, SentPartial { tick, node, by, .. }: &SentPartial) -> Option<Partial> {
        let Self { program, reduction } = self;
        let track = &program.class(*node).outputs[by.index()];
        let sums = (1..*tick).zip(track.sources(tick - 1)).filter(|(_, source)| source.is_sum());
        let begins =
            sums.filter(|&(tick, source)| !reduction.order.starts || self.arrived(*node, tick, source).is_empty());
        reduction.order.entry(&program.topology, *node, by.index(), begins.count())?
    }
}
