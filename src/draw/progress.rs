//! How much every node knows: one map at a tick, or several through the program.

use super::panels::{self, Map};
use super::svg::{Anchor, P, Svg};
use super::{DrawError, fits, palette};
use crate::net::NodeId;
use crate::play::{Knowledge, Machine};
use crate::program::Program;

/// A bit for every node and every flit: more nodes would need hundreds of megabytes.
pub const MOST_NODES: u32 = 16_384;

/// At so many times through the program.
const TIMES: u32 = 6;

/// The ticks at which a program is shown.
pub fn times(program: &Program) -> Vec<u32> {
    let mut ticks: Vec<u32> =
        (0..TIMES).map(|part| (u64::from(program.ticks) * u64::from(part) / u64::from(TIMES - 1)) as u32).collect();
    ticks.dedup();
    ticks
}

/// The share of all packets known to each node after `tick`, or at six times through the program.
pub fn progress(program: &Program, tick: Option<u32>) -> Result<String, DrawError> {
    fits(&program.topology, MOST_NODES)?;
    let ticks = match tick {
        Some(tick) if tick > program.ticks => return Err(DrawError::Tick { tick, last: program.ticks }),
        Some(tick) => vec![tick],
        None => times(program),
    };
    let mut machine = Machine::new(program);
    let mut knowledge = Knowledge::new(program);
    let known = |&tick: &u32| {
        while machine.tick() < tick {
            machine.step();
            for (node, _, flit) in machine.arrivals() {
                knowledge.learn(node, flit);
            }
        }
        program.topology.node_ids().map(|node| knowledge.count(node)).collect()
    };
    let known: Vec<Vec<u64>> = ticks.iter().map(known).collect();
    drawn(program, &ticks, &known)
}

/// The same at [`times`], of what each node knew then as somebody else found out.
pub fn progress_of(program: &Program, known: &[Vec<u64>]) -> Result<String, DrawError> {
    fits(&program.topology, MOST_NODES)?;
    drawn(program, &times(program), known)
}

fn drawn(program: &Program, ticks: &[u32], known: &[Vec<u64>]) -> Result<String, DrawError> {
    let topology = &program.topology;
    let demand = &program.demand;
    // where a node has what it wants from others, its own does not count
    let own = |node| if demand.is_for_all() { 0 } else { demand.own_flits(node) };
    let counted = |counts: &[u64]| topology.node_ids().zip(counts).map(|(node, count)| count - own(node)).collect();
    let goals: Vec<u64> = counted(&demand.goals(topology));
    let across = ticks.len().min(3);
    let map = Map::new(topology, if ticks.len() == 1 { 840.0 } else { 300.0 })?;
    let (size, corner) = (map.size(), P(14.0, panels::HEADING + 24.0));
    let mut svg = Svg::new();
    let title = format!("{}, {}", topology.describe(), program.title.scheme);
    let (what, most) = if demand.is_for_all() {
        (format!("the {} packets each node knows", demand.packets()), "everything")
    } else {
        ("what each node wants that it has".to_owned(), "all that it wants")
    };
    let subtitle = format!("share of {what}");
    panels::heading(&mut svg, &title, &subtitle);

    for (panel, (&tick, known)) in ticks.iter().zip(known).enumerate() {
        let (column, row) = ((panel % across) as f64, (panel / across) as f64);
        let at = corner + P(column * (size.0 + 16.0), row * (size.1 + 30.0));
        let known: Vec<u64> = counted(known);
        let label = format!("after tick {tick}: {} %", percent(known.iter().sum(), goals.iter().sum()));
        svg.text("", at + P(Map::BESIDE, -4.0), Anchor::Start, &label);
        map.labels(&mut svg, at, map.cell >= 12.0);
        // who wants nothing has it all
        let level = |node: NodeId| match goals[node.index()] {
            0 => palette::LEVELS - 1,
            goal => palette::level(known[node.index()], goal),
        };
        map.fill(&mut svg, at, palette::LEVELS, level, palette::scale);
        if ticks.len() == 1 && map.cell >= 28.0 {
            for node in topology.node_ids() {
                map.write(&mut svg, at, node, palette::on_level(level(node)), &known[node.index()].to_string());
            }
        }
    }
    let rows = ticks.len().div_ceil(across) as f64;
    let bar = P(corner.0 + Map::BESIDE, corner.1 + rows * (size.1 + 30.0) + 4.0);
    panels::scale_bar(&mut svg, bar, "nothing", most);
    let width = (across as f64 * (size.0 + 16.0) + 44.0).max(panels::heading_width(&title, &subtitle)).max(320.0);
    Ok(svg.finish(&format!("{title}: {subtitle}"), width, bar.1 + 40.0))
}

/// Whole percents, 100 only for all and 0 only for none; none of nothing is all.
fn percent(part: u64, whole: u64) -> u64 {
    (part * 100).checked_div(whole).map_or(100, |percent| percent.max(u64::from(part > 0)))
}
