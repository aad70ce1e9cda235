//! Damaged schedules, and the line that a plain judge blames: tick after tick, with sets of what every node has.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;

use torusweave::design::Design;
use torusweave::net::{NodeId, Port, Topology};

use super::{csv, read};
use crate::fixtures::chance::Chance;

/// A line of a file; `message` has the flit in it.
#[derive(Clone, PartialEq, Eq)]
struct Row {
    tick: u32,
    node: u32,
    port: usize,
    message: String,
}

/// Fault of a schedule: at a line, or of none.
#[derive(Debug, PartialEq, Eq)]
enum Blame {
    Nobody,
    Line(usize),
    Whole,
}

/// Rows of a schedule, and its header.
fn rows(topology: &Topology, text: &str) -> (String, Vec<Row>) {
    let (header, lines) = text.split_once('\n').unwrap();
    let row = |line: &str| {
        let entries: Vec<&str> = line.splitn(4, ',').collect();
        let port = topology.port_ids().find(|port| port.label(topology.axes()) == entries[2]).unwrap();
        Row {
            tick: entries[0].parse().unwrap(),
            node: entries[1].parse().unwrap(),
            port: port.index(),
            message: entries[3].to_owned(),
        }
    };
    (header.to_owned(), lines.lines().map(row).collect())
}

fn text(topology: &Topology, header: &str, rows: &[Row]) -> String {
    let mut text = format!("{header}\n");
    for Row { tick, node, port, message } in rows {
        writeln!(text, "{tick},{node},{},{message}", Port::from_index(*port).label(topology.axes())).unwrap();
    }
    text
}

/// Node that has a message at first.
fn origin(design: &Design, message: &str) -> u32 {
    let number = message.split(['.', '>', ',']).next().unwrap().parse().unwrap();
    if design.config.collective.name() == "scatter" { design.root().unwrap().0 } else { number }
}

/// Rows of a file with their lines.
type NumberedRows<'r> = Vec<(usize, &'r Row)>;

/// Rows in the order of their ticks and outputs, with their lines; and the first that finds its link taken.
fn in_order(rows: &[Row]) -> (NumberedRows<'_>, Option<(usize, u32)>) {
    let mut order: NumberedRows = (2..).zip(rows).collect();
    order.sort_by_key(|(line, row)| (row.tick, row.node, row.port, *line));
    let taken = order.windows(2).find(|two| {
        let [one, other] = [two[0].1, two[1].1];
        (one.tick, one.node, one.port) == (other.tick, other.node, other.port)
    });
    let taken = taken.map(|two| (two[1].0, two[1].1.tick));
    if let Some((_, tick)) = taken {
        order.retain(|(_, row)| row.tick < tick);
    }
    (order, taken)
}

/// Judges packets of one flit on short links.
fn judged(design: &Design, rows: &[Row]) -> Blame {
    let topology = &design.program.topology;
    let (order, taken) = in_order(rows);
    let mut has: HashMap<(u32, &str), u32> = HashMap::new();
    for &(line, row) in &order {
        let key = (row.node, row.message.as_str());
        let is_there = has.get(&key).is_some_and(|&came| came < row.tick);
        if origin(design, &row.message) != row.node && !is_there {
            return Blame::Line(line);
        }
        let there = topology.step(NodeId(row.node), Port::from_index(row.port)).unwrap();
        has.entry((there.0, &row.message)).or_insert(row.tick);
    }
    if let Some((line, _)) = taken {
        return Blame::Line(line);
    }
    // nodes that got something in the right schedule still get it
    let (_, right) = self::rows(topology, &csv(design));
    let gets = |rows: &[Row]| -> HashSet<(u32, String)> {
        let got = rows.iter().map(|row| {
            let there = topology.step(NodeId(row.node), Port::from_index(row.port)).unwrap();
            (there.0, row.message.clone())
        });
        got.filter(|(node, message)| origin(design, message) != *node && is_wanted(design, *node, message)).collect()
    };
    if gets(&right).is_subset(&gets(rows)) { Blame::Nobody } else { Blame::Whole }
}

fn is_wanted(design: &Design, node: u32, message: &str) -> bool {
    let number = |text: &str| text.split(',').next().unwrap().parse::<u32>().unwrap();
    match design.config.collective.name() {
        "scatter" => number(message) == node,
        "exchange" => number(message.split_once('>').unwrap().1) == node,
        _ => true,
    }
}

/// Judges a reduce-scatter of packets of one flit on short links.
fn judged_sums(design: &Design, rows: &[Row]) -> Blame {
    let topology = &design.program.topology;
    let (mut order, taken) = in_order(rows);
    let own =
        order.iter().find(|(_, row)| origin(design, &row.message) == row.node).map(|(line, row)| (*line, row.tick));
    if let Some((_, tick)) = own {
        order.retain(|(_, row)| row.tick < tick);
    }
    let mut sent: HashMap<(u32, &str), u32> = HashMap::new();
    let arrival = |row: &Row| topology.step(NodeId(row.node), Port::from_index(row.port)).unwrap().0;
    let mut seen = 0;
    for at in 0..=order.len() {
        let tick = order.get(at).map_or(u32::MAX, |(_, row)| row.tick);
        while seen < order.len() && order[seen].1.tick < tick {
            let (line, row) = order[seen];
            if sent.get(&(arrival(row), row.message.as_str())).is_some_and(|&sent| sent <= row.tick) {
                return Blame::Line(line);
            }
            seen += 1;
        }
        let Some(&(line, row)) = order.get(at) else { break };
        if sent.insert((row.node, &row.message), row.tick).is_some() {
            return Blame::Line(line);
        }
    }
    if let Some((line, _)) = own.or(taken) {
        return Blame::Line(line);
    }
    let blocks = design.program.demand.flits() as usize;
    if sent.len() == blocks * (topology.nodes() as usize - 1) { Blame::Nobody } else { Blame::Whole }
}

/// Damages rows in one of many ways; none if nothing changes.
fn damaged(topology: &Topology, rows: &[Row], chance: &mut Chance) -> Option<(&'static str, Vec<Row>)> {
    let mut damaged = rows.to_vec();
    let [one, other] = [(); 2].map(|()| chance.below(rows.len() as u32) as usize);
    let way = match chance.below(8) {
        0 => {
            damaged.remove(one);
            "dropped"
        }
        1 => {
            damaged.insert(other, rows[one].clone());
            "duplicated"
        }
        2 => {
            damaged[one].tick = damaged[one].tick.checked_sub(1 + chance.below(3)).filter(|&tick| tick > 0)?;
            "too early"
        }
        3 => {
            damaged[one].tick += 1 + chance.below(3);
            "too late"
        }
        4 => {
            let ports: Vec<Port> = topology.linked_ports(NodeId(rows[one].node)).collect();
            damaged[one].port = chance.of(&ports).index();
            "wrong port"
        }
        5 => {
            damaged[one].message.clone_from(&rows[other].message);
            "wrong message"
        }
        6 => {
            (damaged[one].tick, damaged[other].tick) = (rows[other].tick, rows[one].tick);
            "swapped ticks"
        }
        _ => {
            (damaged[one].message, damaged[other].message) = (rows[other].message.clone(), rows[one].message.clone());
            "swapped messages"
        }
    };
    (damaged != rows).then_some((way, damaged))
}

/// Damages the schedule of a design many times, and compares the line of each refusal with the judge's. Counts refusals by damage.
pub fn refusals(design: &Design, seed: u32, times: usize, counts: &mut BTreeMap<&'static str, u32>) {
    let topology = &design.program.topology;
    let (header, rows) = rows(topology, &csv(design));
    let mut chance = Chance(seed);
    for _ in 0..times {
        let Some((way, damaged)) = damaged(topology, &rows, &mut chance) else { continue };
        let is_sum = design.config.operation.is_some();
        let expected = if is_sum { judged_sums(design, &damaged) } else { judged(design, &damaged) };
        let text = text(topology, &header, &damaged);
        let found = match read(design, &text) {
            Ok(_) => Blame::Nobody,
            Err(error) => {
                let error = error.to_string();
                let line = error.split("line ").nth(1).filter(|_| error.contains("`, line "));
                line.map_or(Blame::Whole, |line| Blame::Line(line.split(':').next().unwrap().parse().unwrap()))
            }
        };
        assert_eq!(found, expected, "{} {way}:\n{text}", design.config.collective);
        *counts.entry(way).or_default() += u32::from(expected != Blame::Nobody);
    }
}
