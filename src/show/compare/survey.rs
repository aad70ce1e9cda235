//! The schemes of one collective over the length of a message: who is fastest from where on.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Layout;
use super::layout::{aligned, pipes};
use crate::check::{self, Traffic as Seen};
use crate::design::config::Network;
use crate::net::Topology;
use crate::program::{Link, Program};
use crate::schemes::{Built, Choice, Collective, Pick, SCHEMES, Scheme, Task, Traffic};
use crate::study::bounds::collective;

/// Every scheme that achieves a collective on a network.
#[derive(Clone, Debug)]
pub struct Survey {
    topology: Topology,
    collective: Collective,
    root: Vec<u32>,
    /// the flits of a message
    flits: Vec<u32>,
    /// the lower bound for each of these lengths
    bounds: Vec<u64>,
    rows: Vec<Row>,
    crossovers: Vec<Crossover>,
    refused: Vec<String>,
}

/// One scheme.
#[derive(Clone, Debug)]
struct Row {
    scheme: &'static dyn Scheme,
    /// for each length
    ticks: Vec<u64>,
    classes: usize,
    seen: Seen,
}

/// From so many flits on another scheme is fastest.
#[derive(Clone, Debug)]
struct Crossover {
    flits: u32,
    to: &'static dyn Scheme,
}

impl Survey {
    /// Builds every scheme for messages of each of these lengths, from or to a root if there is one.
    pub fn new(topology: &Topology, collective: Collective, root: &[u32], flits: &[u32]) -> Self {
        let root = if collective.has_root() { root.to_vec() } else { Vec::new() };
        let mut survey = Self {
            topology: topology.clone(),
            collective,
            root,
            flits: flits.to_vec(),
            bounds: Vec::new(),
            rows: Vec::new(),
            crossovers: Vec::new(),
            refused: Vec::new(),
        };
        for &scheme in SCHEMES.iter().filter(|scheme| scheme.collectives().contains(&collective)) {
            survey.add(scheme);
        }
        let bounds = flits.iter().map(|&flits| survey.bound(flits));
        survey.bounds = bounds.collect();
        survey.crossovers = survey.crossovers();
        survey
    }

    /// A scheme's program. Packets of one length are told by those of one flit.
    fn program(&self, scheme: &'static dyn Scheme, flits: u32) -> Result<Program, String> {
        let flits = if self.collective.is_of_packets() { 1 } else { flits };
        let traffic = Traffic { root: self.root.clone(), ..Traffic::of(self.collective, flits) };
        let link = Link::default();
        let task =
            Task { topology: &self.topology, link, choice: Choice { traffic: Arc::new(traffic), ..Choice::default() } };
        let Built { program, .. } = Pick::from(scheme).build(&task, "any").map_err(|error| error.to_string())?;
        Ok(program)
    }

    fn factor(&self, flits: u32) -> u64 {
        if self.collective.is_of_packets() { flits.into() } else { 1 }
    }

    fn ticks(&self, scheme: &'static dyn Scheme, flits: u32) -> Option<u64> {
        let program = self.program(scheme, flits).ok()?;
        Some(u64::from(program.ticks) * self.factor(flits))
    }

    fn bound(&self, flits: u32) -> u64 {
        let program = self.rows.first().and_then(|row| self.program(row.scheme, flits).ok());
        program.map_or(0, |program| collective::of(&program).steps * self.factor(flits))
    }

    fn add(&mut self, scheme: &'static dyn Scheme) {
        let first = match self.program(scheme, self.flits[0]) {
            Ok(program) => program,
            Err(why) => return self.refused.push(why),
        };
        let report = check::by_either(&first);
        let seen = report.traffic.unwrap_or_default();
        let ticks = self.flits.iter().filter_map(|&flits| self.ticks(scheme, flits)).collect();
        self.rows.push(Row { scheme, ticks, classes: first.classes.len(), seen });
    }

    /// The fastest scheme for messages of so many flits, the earlier of equals.
    fn fastest(&self, flits: u32) -> Option<&'static dyn Scheme> {
        let timed = self.rows.iter().filter_map(|row| Some((self.ticks(row.scheme, flits)?, row.scheme)));
        timed.reduce(|best, next| if next.0 < best.0 { next } else { best }).map(|(_, scheme)| scheme)
    }

    /// Where the fastest scheme changes between two of the lengths, exactly.
    fn crossovers(&self) -> Vec<Crossover> {
        let mut lengths = self.flits.clone();
        lengths.sort_unstable();
        let mut crossovers = Vec::new();
        if self.rows.len() < 2 {
            return crossovers;
        }
        for pair in lengths.windows(2) {
            let (mut low, mut high) = (pair[0], pair[1]);
            let (Some(before), Some(to)) = (self.fastest(low), self.fastest(high)) else { continue };
            if before == to {
                continue;
            }
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                if self.fastest(middle) == Some(before) { low = middle } else { high = middle }
            }
            let to = self.fastest(high).unwrap_or(to);
            crossovers.push(Crossover { flits: high, to });
        }
        crossovers
    }

    /// `broadcast on a 12x10 torus from 2,3`.
    fn title(&self) -> String {
        let root = self.root.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let root = match (self.collective, root.as_str()) {
            (_, "") => String::new(),
            (Collective::Gather, root) => format!(" to {root}"),
            (_, root) => format!(" from {root}"),
        };
        format!("{} on a {}{root}", self.collective, self.topology.describe())
    }

    /// Who is fastest, in a sentence.
    fn verdict(&self) -> String {
        let least = self.flits.iter().copied().min().unwrap_or(1);
        let Some(first) = self.fastest(least) else { return "nothing applies".into() };
        let mut text = format!("fastest: {first} from {least} {}", if least == 1 { "flit" } else { "flits" });
        for Crossover { flits, to } in &self.crossovers {
            text += &format!(", {to} from {flits}");
        }
        text
    }

    fn cells(&self) -> Vec<Vec<String>> {
        let lengths = self.flits.iter().map(|flits| format!("L={flits}"));
        let mut head: Vec<String> = std::iter::once("scheme".to_owned()).chain(lengths).collect();
        head.extend(["classes", "held", "sends", "receives"].map(str::to_owned));
        let best: Vec<Option<u64>> =
            (0..self.flits.len()).map(|index| self.rows.iter().map(|row| row.ticks[index]).min()).collect();
        let mut table = vec![head];
        for Row { scheme, ticks, classes, seen } in &self.rows {
            let ticks = ticks.iter().zip(&best).map(|(ticks, best)| {
                let mark = if Some(*ticks) == *best { "*" } else { "" };
                format!("{ticks}{mark}")
            });
            let seen = [*classes as u64, seen.held.into(), seen.sends.into(), seen.receives.into()];
            let seen = seen.map(|number| number.to_string());
            table.push(std::iter::once(scheme.to_string()).chain(ticks).chain(seen).collect());
        }
        let bounds = self.bounds.iter().map(u64::to_string);
        let nothing = std::iter::repeat_n(String::new(), 4);
        table.push(std::iter::once("lower bound".to_owned()).chain(bounds).chain(nothing).collect());
        table
    }

    fn json(&self) -> Value {
        let row = |row: &Row| {
            let Row { scheme, ticks, classes, seen } = row;
            json!({ "scheme": scheme, "ticks": ticks, "classes": classes, "held": seen.held, "sends": seen.sends, "receives": seen.receives })
        };
        let crossover = |crossover: &Crossover| json!({ "flits": crossover.flits, "scheme": crossover.to });
        let mut value = json!(Network::of(&self.topology));
        value["collective"] = json!(self.collective);
        value["root"] = json!(self.root);
        value["flits"] = json!(self.flits);
        value["bound"] = json!(self.bounds);
        value["rows"] = self.rows.iter().map(row).collect();
        value["crossovers"] = self.crossovers.iter().map(crossover).collect();
        value["not_compared"] = json!(self.refused);
        value
    }
}

/// What the columns are.
const LEGEND: [(&str, &str); 6] = [
    ("*", "the fewest ticks"),
    ("L=...", "ticks until the last node has what it wants, messages of L flits"),
    ("classes", "different behaviours of nodes, for the first L"),
    ("held", "the most ticks that a flit waits in a node, 0 if none ever does"),
    ("sends", "the most flits that a node sends in a tick"),
    ("receives", "the most flits that a node receives in a tick"),
];

/// Lays surveys out, a table each.
pub fn render(surveys: &[Survey], layout: Layout) -> String {
    match layout {
        Layout::Json => format!("{:#}\n", Value::Array(surveys.iter().map(Survey::json).collect())),
        Layout::Csv => {
            let mut lines = vec!["network,collective,scheme,flits,ticks,bound".to_owned()];
            for survey in surveys {
                for Row { scheme, ticks, .. } in &survey.rows {
                    let values = survey.flits.iter().zip(ticks).zip(&survey.bounds);
                    let (network, collective) = (survey.topology.describe(), survey.collective);
                    lines.extend(values.map(|((flits, ticks), bound)| {
                        format!("{network},{collective},{scheme},{flits},{ticks},{bound}")
                    }));
                }
            }
            lines.join("\n") + "\n"
        }
        Layout::Text => {
            let mut lines = Vec::new();
            for survey in surveys {
                lines.push(survey.title());
                lines.extend(aligned(&survey.cells(), 1));
                lines.push(survey.verdict());
                lines.extend(survey.refused.iter().map(|why| format!("not compared: {why}")));
                lines.push(String::new());
            }
            lines.extend(LEGEND.iter().map(|(title, meaning)| format!("  {title:<11} {meaning}")));
            lines.join("\n") + "\n"
        }
        Layout::Markdown => {
            let mut lines = Vec::new();
            for survey in surveys {
                let mut title = survey.title();
                title[..1].make_ascii_uppercase();
                lines.extend([format!("## {title}"), String::new()]);
                lines.extend(pipes(&survey.cells(), 1));
                lines.extend([String::new(), format!("{}.", survey.verdict()), String::new()]);
                lines.extend(survey.refused.iter().map(|why| format!("Not compared: {why}.\n")));
            }
            lines.push("- **bold**: the fewest ticks".into());
            lines.extend(LEGEND[1..].iter().map(|(title, meaning)| format!("- `{title}`: {meaning}")));
            lines.join("\n") + "\n"
        }
    }
}
