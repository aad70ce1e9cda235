//! Program of a JSON file, for the design that names it: what the config says must be what the program does.

use std::collections::BTreeMap;

use super::error::ScheduleError;
use super::{ScheduleTask, numbers};
use crate::net::{NodeId, Topology};
use crate::program::{Demand, Program, To};

/// Flits that a node has for another, or for all.
type DemandRow = BTreeMap<Option<NodeId>, u64>;

impl ScheduleTask<'_> {
    /// Reads a program, and fails unless it is on the config's network and for its collective.
    pub(super) fn agreed(&self, text: &str) -> Result<Program, ScheduleError> {
        let mut program =
            Program::from_json(text).map_err(|error| ScheduleError::whole(error.to_string(), error.help()))?;
        let ScheduleTask { topology, traffic, link, flits, .. } = *self;
        let differs = |field: &str, has: String, wants: String| {
            let problem = format!("the program has {has}, and the config says {wants}");
            Err(ScheduleError::whole(problem, format!("say the same in `{field}`, or name another file")))
        };
        if program.topology != *topology {
            return differs(
                "topology",
                format!("a {}", program.topology.describe()),
                format!("a {}", topology.describe()),
            );
        }
        let collective = traffic.collective.name();
        program.demand.choose_collective(collective);
        if program.collective() != collective {
            return differs("collective", program.collective().to_owned(), collective.to_owned());
        }
        if program.link() != link {
            return differs("link", program.link().describe(), link.describe());
        }
        let values = program.reduction.as_ref().map(|it| (it.operation, it.number, it.flush));
        let wanted = self.reduction.map(|it| (it.operation, it.number, it.flush));
        if values != wanted {
            let shown = |values: Option<_>| {
                values.map_or("no operation".to_owned(), |(operation, number, flush)| {
                    format!("{operation} of {number}{}", if flush { " without subnormal values" } else { "" })
                })
            };
            return differs("operation", shown(values), shown(wanted));
        }
        let adder = self.reduction.map_or(0, |reduction| reduction.adder);
        if program.adder_ticks() != adder {
            let ticks = |ticks: u32| format!("adders of {ticks} ticks");
            return differs("adder", ticks(program.adder_ticks()), ticks(adder));
        }
        if traffic.is_of_packets() && traffic.pairs.is_none() && program.flits != flits {
            let flits_of = |flits: u32| format!("packets of {flits} flits");
            return differs("link.flits", flits_of(program.flits), flits_of(flits));
        }
        let demand = numbers::demand(self, program.packets())?;
        let has = rows(topology, &program.demand);
        if let Some((node, _)) =
            topology.node_ids().zip(has.iter().zip(rows(topology, &demand))).find(|(_, (has, wants))| **has != *wants)
        {
            let problem =
                format!("node {} at {} has other messages in it than in the config", node.0, topology.show(node));
            return Err(ScheduleError::whole(
                problem,
                "say the same in `root`, `lengths` and `link.flits`, or name another file",
            ));
        }
        Ok(Program { title: self.title(), ..program })
    }
}

fn rows(topology: &Topology, demand: &Demand) -> Vec<DemandRow> {
    let row = |node: NodeId| {
        let mut row = DemandRow::new();
        for packet in 0..demand.packets_of(node) {
            let message = demand.message(node, packet);
            let to = if message.to == To::All { None } else { demand.receiver(topology, node, packet) };
            if to != Some(node) && message.flits > 0 {
                *row.entry(to).or_default() += u64::from(message.flits);
            }
        }
        row
    };
    topology.node_ids().map(row).collect()
}
