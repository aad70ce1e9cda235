//! The papers' tables: a row per tick, a cell per node, what the registers hold.

use std::collections::BTreeSet;

use crate::design::Design;
use crate::net::NodeId;
use crate::play::Machine;
use crate::program::{FlitId, Origin, Program, To};
use crate::task::TreeKind;

/// A line per row, tab-separated: its number, then one cell for P0, P1, ...; none if no node is the root.
///
/// P0 is the root. Along a path the others follow in order; in any other tree and without one they are numbered as they are.
pub fn rows(design: &Design) -> Option<String> {
    let root = design.root()?;
    let cells = if let Some(protocol) = design.protocol() {
        crate::protocol::rows(&protocol.tree, &protocol.play(&protocol.lengths))
    } else {
        let tree = design.task().tree(&TreeKind::BreadthFirst).ok();
        let named = tree.map_or_else(|| root_first(&design.program, root), |tree| tree.named());
        arrivals(&design.program, &named)
    };
    let line = |(number, row): (usize, &Vec<String>)| format!("{number}\t{}\n", row.join("\t"));
    Some((1..).zip(&cells).map(line).collect())
}

fn root_first(program: &Program, root: NodeId) -> Vec<NodeId> {
    std::iter::once(root).chain(program.topology.node_ids().filter(|&node| node != root)).collect()
}

/// Contents of each node after each tick by the model; a flit is shown at its own node one row before it leaves.
fn arrivals(program: &Program, named: &[NodeId]) -> Vec<Vec<String>> {
    let mut place = vec![0; named.len()];
    for (number, node) in named.iter().enumerate() {
        place[node.index()] = number;
    }
    let mut cells = vec![vec![BTreeSet::new(); named.len()]; program.ticks as usize];
    let mut left = BTreeSet::new();
    let mut machine = Machine::new(program);
    while !machine.is_done() {
        machine.step();
        let row = machine.tick() as usize - 1;
        for (node, input, flit) in machine.arrivals() {
            let Origin { node: origin, packet, flit: number } = program.demand.origin(flit);
            let from = program.topology.step(node, input.port);
            let message = match program.demand.message(origin, packet).to {
                To::All => packet as usize + 1,
                To::Node(receiver) if origin == named[0] => place[receiver.index()],
                _ => place[origin.index()],
            };
            let text = (message, number);
            cells[row][place[node.index()]].insert(text);
            if from == Some(origin) && left.insert(FlitId(flit.0)) && row > 0 {
                cells[row - 1][place[origin.index()]].insert(text);
            }
        }
    }
    let text = |cell: &BTreeSet<(usize, u32)>| {
        let flits = cell.iter().map(|(message, flit)| format!("m{message},{}", flit + 1));
        flits.collect::<Vec<_>>().join("|")
    };
    cells.iter().map(|row| row.iter().map(text).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{ShapeName, Topology};
    use crate::paths::rooted::Rooted;
    use crate::program::Title;
    use crate::schemes::scatter::dispatch::in_order;
    use crate::schemes::scatter::fdf::scattered;

    const FIGURE_1A: &str = "\
m5,2;m5,1;;;;
m5,3;m5,2;m5,1;;;
m4,1;m5,3;m5,2;m5,1;;
m4,2;m4,1;m5,3;m5,2;m5,1;
m4,3;m4,2;m4,1;m5,3;m5,2;m5,1
m4,4;m4,3;m4,2;m4,1;m5,3;m5,2
;m4,4;m4,3;m4,2;m4,1;m5,3
;;m4,4;m4,3;m4,2;
;;;m4,4;m4,3;
;;;;m4,4;";

    const FIGURE_1B: &str = "\
m4,2;m4,1;;;;
m4,3;m4,2;m4,1;;;
m4,4;m4,3;m4,2;m4,1;;
m5,1;m4,4;m4,3;m4,2;m4,1;
m5,2;m5,1;m4,4;m4,3;m4,2;
m5,3;m5,2;m5,1;m4,4;m4,3;
;m5,3;m5,2;m5,1;m4,4;
;;m5,3;m5,2;m5,1;
;;;m5,3;m5,2;m5,1
;;;;m5,3;m5,2
;;;;;m5,3";

    /// The rows after row 0, which is before the first tick.
    #[test]
    fn figure_1_of_bhatt_et_al_cell_for_cell() {
        let line = Topology::new(ShapeName::Path, &[6]).unwrap();
        let tree = Rooted::path(&line, NodeId(0)).unwrap();
        let lengths = [0, 0, 0, 0, 4, 3];
        for (order, figure) in [([5, 4], FIGURE_1A), ([4, 5], FIGURE_1B)] {
            let (slots, ticks) = in_order(&tree, &lengths, &order.map(NodeId));
            let program = scattered(&tree, &lengths, &slots, ticks, Title::new("t", "fdf"));
            let rows: Vec<String> = arrivals(&program, &tree.named()).iter().map(|row| row.join(";")).collect();
            assert_eq!(rows.join("\n"), figure);
        }
    }
}
