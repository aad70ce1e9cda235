//! Lines of a schedule's file, field by field.

use super::error::ScheduleError;
use super::messages::digits;
use super::{MOST_SENDS, MOST_TICKS};
use crate::files::shown_beginning;
use crate::net::{NodeId, Port, Topology};

/// Columns of a file, the last of which may be left out.
const COLUMNS: [&str; 5] = ["tick", "node", "port", "message", "flit"];

/// Lines of a file.
pub(super) struct ScheduleLines<'t> {
    pub sends: Vec<SendLine<'t>>,
    /// true if a line is a flit, and not a message
    pub has_flits: bool,
}

/// A line of the file.
#[derive(Clone, Copy)]
pub(super) struct SendLine<'t> {
    pub line: u32,
    pub tick: u32,
    pub node: NodeId,
    pub port: Port,
    pub message: &'t str,
    pub flit: u32,
}

/// Reads all lines. Blank ones, and those that begin with `#`, are passed over.
pub(super) fn parse<'t>(topology: &Topology, text: &'t str) -> Result<ScheduleLines<'t>, ScheduleError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rows = (1..).zip(text.lines()).map(|(line, row)| (line, row.trim()));
    let mut rows = rows.filter(|(_, row)| !row.is_empty() && !row.starts_with('#'));
    let header = rows.next().ok_or_else(|| ScheduleError::whole("the file has no lines", HEADER))?;
    let has_flits = is_header(header)?;
    let ports = PortNames::of(topology);
    let mut sends = Vec::with_capacity(text.len() / 12);
    for (line, row) in rows {
        if sends.len() == MOST_SENDS {
            let problem = format!("more than {MOST_SENDS} sends are not read");
            return Err(ScheduleError::at(line, problem, "choose a smaller network, or fewer flits"));
        }
        sends.push(ports.send(topology, line, row, has_flits)?);
    }
    if sends.is_empty() {
        return Err(ScheduleError::at(header.0, "no send follows", "write a line for each send"));
    }
    Ok(ScheduleLines { sends, has_flits })
}

const HEADER: &str =
    "the first line is `tick,node,port,message`, or `tick,node,port,message,flit` where each flit has a line";

/// Returns true if the header has a column of flits.
fn is_header((line, row): (u32, &str)) -> Result<bool, ScheduleError> {
    let found: Vec<&str> = row.split(',').map(str::trim).collect();
    match found.len() {
        4 | 5 if found == COLUMNS[..found.len()] => Ok(found.len() == COLUMNS.len()),
        _ => {
            Err(ScheduleError::at(line, format!("`{}` is not the header of a schedule", shown_beginning(row)), HEADER))
        }
    }
}

/// Names of the ports of a network's nodes.
struct PortNames(Vec<(String, Port)>);

impl PortNames {
    fn of(topology: &Topology) -> Self {
        let names = |port: Port| {
            [port.label(topology.axes()), port.to_string(), port.index().to_string()].map(|name| (name, port))
        };
        Self(topology.port_ids().flat_map(names).collect())
    }

    fn send<'t>(
        &self,
        topology: &Topology,
        line: u32,
        row: &'t str,
        has_flits: bool,
    ) -> Result<SendLine<'t>, ScheduleError> {
        let columns = if has_flits { COLUMNS.len() } else { COLUMNS.len() - 1 };
        let (mut entries, mut count) = ([""; COLUMNS.len()], 0);
        for entry in row.split(',') {
            if let Some(place) = entries.get_mut(count) {
                *place = entry.trim();
            }
            count += 1;
        }
        if count != columns {
            let problem = format!("{count} entries, where the header has {columns}");
            return Err(ScheduleError::at(line, problem, format!("write `{}`", COLUMNS[..columns].join(","))));
        }
        let [tick, node, port, message, flit] = entries;
        let not = |entry: &str, what: &str, help: String| {
            Err(ScheduleError::at(line, format!("`{}` is not {what}", shown_beginning(entry)), help))
        };
        let Some(tick) = digits(tick).filter(|tick| (1..=MOST_TICKS).contains(tick)) else {
            return not(tick, "a tick", format!("ticks are whole numbers from 1 to {MOST_TICKS}"));
        };
        let Some(node) = digits(node).filter(|&node| node < topology.nodes()).map(NodeId) else {
            let help = format!("nodes are numbered row by row, from 0 to {}", topology.nodes() - 1);
            return not(node, &format!("a node of a {}", topology.describe()), help);
        };
        if !topology.is_live(node) {
            let problem = format!("node {} at {} is dead", node.0, topology.show(node));
            return Err(ScheduleError::at(line, problem, "let messages go around it"));
        }
        let Some(port) = self.0.iter().find(|(name, _)| name == port).map(|&(_, port)| port) else {
            let names: Vec<String> = topology.port_ids().map(|port| port.label(topology.axes())).collect();
            return not(port, "a port", format!("the ports of a node are {}", names.join(", ")));
        };
        if topology.step(node, port).is_none() {
            let name = |port: Port| port.label(topology.axes());
            let problem = format!("node {} at {} has no link at port {}", node.0, topology.show(node), name(port));
            let linked: Vec<String> = topology.linked_ports(node).map(name).collect();
            return Err(ScheduleError::at(line, problem, format!("it has links at {}", linked.join(", "))));
        }
        let flit = if has_flits { digits(flit).ok_or(flit) } else { Ok(0) };
        match flit {
            Ok(flit) => Ok(SendLine { line, tick, node, port, message, flit }),
            Err(flit) => not(flit, "a flit", "flits of a message are numbered from 0".into()),
        }
    }
}
