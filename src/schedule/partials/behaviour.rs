//! Behaviour of nodes that combine values: runs of sums, classes, and the order of partials.

use crate::net::{NodeId, Topology};
use crate::program::{
    Away, Class, ClassMap, ClassNumbers, Demand, Entries, FlitId, Operands, Partial, PartialOrder, Run, Source, Track,
};
use crate::schedule::sends::TimedSend;

/// Sums that every output sends.
pub(super) struct Behaviours {
    /// by register, its runs so far, and their ticks
    runs: Vec<(Vec<Run>, u32)>,
    /// by register, first flit of each partial, and true if nothing has come for it
    partials: Vec<Vec<(u32, bool)>>,
}

impl Behaviours {
    pub(super) fn new(registers: usize) -> Self {
        Self { runs: vec![(Vec::new(), 0); registers], partials: vec![Vec::new(); registers] }
    }

    /// Notes a partial of some flits.
    pub(super) fn send(&mut self, send: TimedSend, flits: u32, operands: Operands) {
        let (runs, ticks) = &mut self.runs[send.register as usize];
        let silent = send.tick - 1 - *ticks;
        if silent > 0 {
            runs.push(Run { source: Source::Idle, ticks: silent });
        }
        *ticks = send.tick + flits - 1;
        let source = Source::Sum { operands };
        match runs.last_mut() {
            Some(run) if run.source == source => run.ticks += flits,
            _ => runs.push(Run { source, ticks: flits }),
        }
        self.partials[send.register as usize].push((send.flit, operands.iter().len() == 0));
    }

    /// Rows of adders behind the most values that meet.
    pub(super) fn rows(&self) -> u32 {
        let runs = self.runs.iter().flat_map(|(runs, _)| runs);
        let rows = runs.map(|run| if let Source::Sum { operands } = run.source { operands.rows() } else { 0 });
        rows.max().unwrap_or(0)
    }

    /// Classes of nodes that do the same in all ticks and complete their own packets in the same way.
    pub(super) fn classes(
        &self,
        topology: &Topology,
        ticks: u32,
        results: impl Fn(NodeId) -> Vec<Operands>,
    ) -> (Vec<Class>, ClassMap, Vec<Vec<Operands>>) {
        let mut numbers = ClassNumbers::default();
        for (node, outputs) in topology.node_ids().zip(self.runs.chunks(topology.ports())) {
            let track = |(runs, played): &(Vec<Run>, u32)| {
                let rest = Run { source: Source::Idle, ticks: ticks - played };
                let runs = runs.iter().copied().chain((rest.ticks > 0).then_some(rest)).collect();
                Track { runs, repeat_from: None, inject: None }
            };
            numbers.push((outputs.iter().map(track).collect(), results(node)));
        }
        let (kinds, class_of) = numbers.finish();
        let (classes, results) = kinds.into_iter().map(|(outputs, results)| (Class { outputs }, results)).unzip();
        (classes, class_of, results)
    }

    /// Order of the partials of all outputs: one for all nodes if they are equally far away, else those that begin at each node.
    pub(super) fn order(&self, topology: &Topology, demand: &Demand, flits: u32) -> PartialOrder {
        let partial = |flit: u32| {
            let origin = demand.origin(FlitId(flit));
            Partial { node: origin.node, packet: origin.packet }
        };
        let nodes = || topology.node_ids().zip(self.partials.chunks(topology.ports()));
        let aways = |node: NodeId, outputs: &[Vec<(u32, bool)>]| -> Vec<Vec<Option<Away>>> {
            let away = |&(flit, _): &(u32, bool)| {
                let Partial { node: to, packet } = partial(flit);
                Some(Away { offset: topology.offset(node, to), packet })
            };
            outputs.iter().map(|output| output.iter().map(away).collect()).collect()
        };
        debug_assert!(self.partials.iter().flatten().all(|(flit, _)| flit % flits == 0));
        if topology.is_homogeneous() && topology.live_nodes() == topology.nodes() {
            let mut all = nodes().map(|(node, outputs)| aways(node, outputs));
            let first = all.next().unwrap_or_default();
            if all.all(|others| others == first) {
                return PartialOrder { entries: Entries::Offsets(first), starts: false };
            }
        }
        let begins = |output: &Vec<(u32, bool)>| {
            output.iter().filter(|(_, begins)| *begins).map(|&(flit, _)| Some(partial(flit))).collect()
        };
        let entries = nodes().map(|(_, outputs)| outputs.iter().map(begins).collect()).collect();
        PartialOrder { entries: Entries::Nodes(entries), starts: true }
    }
}
