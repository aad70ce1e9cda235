//! Knowledge of the nodes: a map at one tick, or a curve over the whole program.

use super::curve::{Shares, curve};
use super::panels::{self, Map};
use super::svg::{Anchor, P, Svg};
use super::{DrawError, fits, palette};
use crate::net::NodeId;
use crate::play::{Knowledge, Machine};
use crate::program::Program;

/// A bit for every node and every flit: more nodes would need hundreds of megabytes.
pub const MOST_NODES: u32 = 16_384;

/// Number of points on the curve.
const TIMES: u32 = 49;

/// The ticks at which a program is shown.
pub fn times(program: &Program) -> Vec<u32> {
    let mut ticks: Vec<u32> =
        (0..TIMES).map(|part| (u64::from(program.ticks) * u64::from(part) / u64::from(TIMES - 1)) as u32).collect();
    ticks.dedup();
    ticks
}

/// The share of all packets known to each node after `tick`, or a curve of it over all ticks.
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
    match tick {
        Some(tick) => map(program, tick, &known[0]),
        None => Ok(over_time(program, &ticks, &known)),
    }
}

/// Draws the curve at [`times`] from knowledge that another model computed.
pub fn progress_of(program: &Program, known: &[Vec<u64>]) -> Result<String, DrawError> {
    fits(&program.topology, MOST_NODES)?;
    Ok(over_time(program, &times(program), known))
}

/// Flits that nodes know and count towards their goals. Where a node has what it wants from others, its own do not count.
fn counted(program: &Program, counts: &[u64]) -> Vec<u64> {
    let own = |node| if program.demand.is_for_all() { 0 } else { program.demand.own_flits(node) };
    program.topology.node_ids().zip(counts).map(|(node, count)| count - own(node)).collect()
}

/// Names the whole of which shares are shown, and a share of all.
fn whole(program: &Program) -> (String, &'static str) {
    if program.demand.is_for_all() {
        (format!("the {} packets each node knows", program.demand.packets()), "everything")
    } else {
        ("what each node wants that it has".to_owned(), "all that it wants")
    }
}

fn over_time(program: &Program, ticks: &[u32], known: &[Vec<u64>]) -> String {
    let goals = counted(program, &program.demand.goals(&program.topology));
    // a node that wants nothing is complete
    let share = |known: u64, goal: u64| if goal == 0 { 1.0 } else { known as f64 / goal as f64 };
    let at = |(&tick, known): (&u32, &Vec<u64>)| {
        let known = counted(program, known);
        let shares = || known.iter().zip(&goals).map(|(&known, &goal)| share(known, goal));
        let (least, most) = shares().fold((1.0, 0.0), |(least, most): (f64, f64), it| (least.min(it), most.max(it)));
        Shares { tick, least, mean: shares().sum::<f64>() / known.len() as f64, most }
    };
    let shares: Vec<Shares> = ticks.iter().zip(known).map(at).collect();
    curve(program, &shares, &whole(program).0)
}

fn map(program: &Program, tick: u32, known: &[u64]) -> Result<String, DrawError> {
    let topology = &program.topology;
    let goals = counted(program, &program.demand.goals(topology));
    let known = counted(program, known);
    let map = Map::new(topology, 840.0)?;
    let (size, corner) = (map.size(), P(14.0, panels::HEADING + 24.0));
    let mut svg = Svg::new();
    let title = format!("{}, {}", topology.describe(), program.title.scheme);
    let (what, most) = whole(program);
    let subtitle = format!("share of {what}");
    panels::heading(&mut svg, &title, &subtitle);
    let label = format!("after tick {tick}: {} %", percent(known.iter().sum(), goals.iter().sum()));
    svg.text("", corner + P(Map::BESIDE, -4.0), Anchor::Start, &label);
    map.labels(&mut svg, corner, map.cell >= 12.0);
    // a node that wants nothing is complete
    let level = |node: NodeId| match goals[node.index()] {
        0 => palette::LEVELS - 1,
        goal => palette::level(known[node.index()], goal),
    };
    map.fill(&mut svg, corner, palette::LEVELS, level, palette::scale);
    if map.cell >= 28.0 {
        for node in topology.node_ids() {
            map.write(&mut svg, corner, node, palette::on_level(level(node)), &known[node.index()].to_string());
        }
    }
    let bar = P(corner.0 + Map::BESIDE, corner.1 + size.1 + 14.0);
    panels::scale_bar(&mut svg, bar, "nothing", most);
    let width = (size.0 + 44.0).max(panels::heading_width(&title, &subtitle)).max(320.0);
    Ok(svg.finish(&format!("{title}: {subtitle}"), width, bar.1 + 40.0))
}

/// Whole percents, 100 only for all and 0 only for none; none of nothing is all.
fn percent(part: u64, whole: u64) -> u64 {
    (part * 100).checked_div(whole).map_or(100, |percent| percent.max(u64::from(part > 0)))
}
