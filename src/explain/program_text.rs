//! A program as text for people: its classes, where they are, what they send, and the class map.

use std::fmt;

use crate::net::NodeId;
use crate::program::{ClassId, Number, Program, Reduction, Source, class_symbol, count};
use crate::study::region::{Region, regions};

/// The map of a larger network is left out where rules say which nodes belong to which class.
const LARGE: u32 = 4096;

/// A whole program, as `torusweave program` prints it.
pub struct Text<'p>(pub &'p Program);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = self.0;
        let Program { title, topology, ticks, flits, .. } = program;
        writeln!(f, "{}: {}, scheme {}", title.name, program.described(), title.scheme)?;
        let classes = self.0.live_classes();
        writeln!(
            f,
            "{} nodes, {} per node of {}, {}, {}{}",
            topology.live_nodes(),
            count(program.packets().into(), "packet"),
            count(u64::from(*flits), "flit"),
            count(u64::from(*ticks), "tick"),
            if classes == 1 { "1 class".to_owned() } else { format!("{classes} classes") },
            if program.latency == 1 { String::new() } else { format!(", links {} ticks long", program.latency) },
        )?;
        if let Some(Reduction { operation, number, ticks, adding, .. }) = program.reduction.as_deref() {
            let kind = if *number == Number::Word { String::new() } else { format!(" of {number}") };
            writeln!(f, "combined by {operation}{kind}; results are read after tick {ticks}")?;
            if *adding > 0 {
                let away = count(program.reduce_latency().into(), "tick");
                writeln!(f, "up to tick {ticks} what is sent is {away} on its way, {adding} of them in adders")?;
            }
        }
        let regions = regions(topology, &self.0.class_of, self.0.classes.len());
        for (index, (class, region)) in self.0.classes.iter().zip(&regions).take(classes).enumerate() {
            let name = class_symbol(ClassId(index as u32));
            writeln!(f, "\nclass {name}, {}: {region}", count(u64::from(region.size()), "node"))?;
            write!(f, "{}", class.describe(topology.axes()))?;
            let results = program.reduction.iter().flat_map(|reduction| reduction.results[index].iter().enumerate());
            for (packet, &operands) in results {
                writeln!(f, "  result {packet}  {}", Source::Sum { operands }.describe(topology.axes()))?;
            }
        }
        if topology.nodes() > LARGE && regions.iter().all(Region::is_rule) {
            return Ok(());
        }
        write_map(f, self.0)
    }
}

/// Writes the class of every node, a line for each row of the last axis.
fn write_map(f: &mut fmt::Formatter<'_>, program: &Program) -> fmt::Result {
    let topology = &program.topology;
    let wide = class_symbol(ClassId(program.live_classes() as u32 - 1)).len();
    let symbol = |class| if program.dead_class() == Some(class) { "-".to_owned() } else { class_symbol(class) };
    let row = topology.side(topology.axes() - 1) as usize;
    writeln!(f, "\nclass of each node, x{} from left to right", topology.axes())?;
    let starts = topology.node_ids().step_by(row);
    for (start, classes) in starts.zip(program.class_of.chunks(row)) {
        let place: Vec<String> = (0..topology.axes() - 1).map(|axis| topology.coord(start, axis).to_string()).collect();
        let cells: Vec<String> = classes.iter().map(|&class| format!("{:wide$}", symbol(class))).collect();
        writeln!(f, "  {:>5}  {}", place.join(","), cells.join(" ").trim_end())?;
    }
    Ok(())
}

/// One node's part of a program.
pub fn of_node(program: &Program, node: NodeId) -> String {
    let class = program.class_of[node.index()];
    let outputs = program.class(node).describe(program.topology.axes());
    format!("node {}, class {}\n{outputs}", program.topology.show(node), program.class_name(class))
}
