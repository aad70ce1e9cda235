//! The schemes of one collective over the length of a message: who is fastest from where on. Reductions also beside the
//! algorithms of others.

use std::sync::Arc;

use serde_json::{Value, json};

use super::TableLayout;
use super::contender::{self, Contender, ContenderRow, Example};
use super::layout::{aligned, document, pipes};
use super::start_up;
use crate::check;
use crate::design;
use crate::net::Topology;
use crate::netlist::{Netlist, Rom};
use crate::program::{Duplex, Link, Operation, Program};
use crate::schemes::{Built, SCHEMES, SchemeName};
use crate::study::hardware::Hardware;
use crate::study::rounds::Algorithm;
use crate::task::{Choice, Collective, CollectiveTraffic, Scheme, Task};

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
    rows: Vec<ContenderRow>,
    crossovers: Vec<Crossover>,
    refused: Vec<String>,
}

/// From so many flits on another scheme is fastest.
#[derive(Clone, Debug)]
struct Crossover {
    flits: u32,
    to: Contender,
}

/// Largest network on which a scheme that stands in is built unasked: its search takes seconds on more nodes.
pub const MOST_SEARCHED: u32 = 256;

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
        survey.bounds = flits.iter().map(|&flits| survey.bound(flits)).collect();
        // reductions are played on full-duplex links
        let achieves = |scheme: &&&'static dyn Scheme| {
            scheme.collectives().contains(&collective.woven())
                && (!collective.is_reduction() || scheme.links().allow(Duplex::Full))
        };
        let (standing_in, made): (Vec<_>, Vec<_>) =
            SCHEMES.iter().filter(achieves).partition(|scheme| scheme.stands_in());
        for &scheme in made {
            survey.add(scheme);
        }
        // schemes that search are not needed where others meet the bound
        let is_met = survey.rows.iter().any(|row| row.ticks[0] == Some(survey.bounds[0]));
        if !topology.is_grid() || !is_met && topology.nodes() <= MOST_SEARCHED {
            for &scheme in standing_in {
                survey.add(scheme);
            }
        }
        // software's are of gossip, forwards or backwards
        if collective.is_reduction() && collective.woven() == Collective::Gossip {
            for algorithm in Algorithm::ALL {
                survey.add_algorithm(algorithm);
            }
        }
        survey.crossovers = survey.crossovers();
        survey
    }

    fn task(&self, flits: u32) -> Task<'_> {
        let traffic = CollectiveTraffic { root: self.root.clone(), ..CollectiveTraffic::of(self.collective, flits) };
        let choice = Choice { traffic: Arc::new(traffic), ..Choice::default() };
        Task { topology: &self.topology, link: Link::default(), choice }
    }

    /// Task of packets of one flit; a reduction asks for as many as a node has flits.
    fn in_packets(&self, flits: u32) -> Task<'_> {
        let mut task = self.task(1);
        let asked = self.collective.is_reduction().then(|| u16::try_from(flits).unwrap_or(u16::MAX));
        task.choice.packets = asked;
        task
    }

    /// A scheme's program. Packets of one length are told by those of one flit.
    fn program(&self, scheme: &'static dyn Scheme, flits: u32) -> Result<Program, String> {
        let task = if self.collective.is_of_packets() { self.in_packets(flits) } else { self.task(flits) };
        let built = SchemeName::from(scheme).build(&task, "any");
        let Built { program, .. } = built.map_err(|error| error.to_string())?;
        if self.collective.is_reduction() {
            // operations differ in no tick, so the sum stands for all of them
            design::reduction(&program, self.collective, Operation::Sum).map_err(|error| error.to_string())
        } else {
            Ok(program)
        }
    }

    /// The ticks for messages of so many flits.
    fn ticks(&self, row: &ContenderRow, flits: u32) -> Option<u64> {
        let (scheme, shown) = match (row.contender, row.shown) {
            (Contender::Scheme(scheme), Some(shown)) => (scheme, shown),
            (Contender::Algorithm(algorithm), _) => return Some(self.ticks_by_formula(algorithm, flits)),
            _ => return None,
        };
        Some(match self.collective {
            Collective::ReduceScatter | Collective::AllReduce => self.ticks_of_reduction(scheme, shown, flits),
            _ if self.collective.is_of_packets() => shown.ticks * u64::from(flits),
            _ => self.program(scheme, flits).ok()?.ticks.into(),
        })
    }

    /// Ticks for a node's flits, in the packets that the scheme takes of them, and a silent tick between two parts.
    fn ticks_of_reduction(&self, scheme: &'static dyn Scheme, shown: Example, flits: u32) -> u64 {
        let task = self.in_packets(flits);
        let silent = self.there_and_back() - 1;
        let (packets, ticks) = match (scheme.packets(&task), scheme.steps(&task)) {
            (packets, Some(steps)) if packets != shown.packets => (packets, self.there_and_back() * u64::from(steps)),
            _ => (shown.packets, shown.ticks - silent),
        };
        ticks * u64::from(flits.div_ceil(packets.into())) + silent
    }

    fn ticks_by_formula(&self, algorithm: Algorithm, flits: u32) -> u64 {
        let words = u64::from(self.topology.nodes()) * u64::from(flits);
        self.there_and_back() * algorithm.ticks(&self.topology, words, 1)
    }

    /// Factor on the time of a reduce-scatter: an all-reduce takes two.
    fn there_and_back(&self) -> u64 {
        if self.collective == Collective::AllReduce { 2 } else { 1 }
    }

    fn bound(&self, flits: u32) -> u64 {
        self.task(flits).bound(self.collective, Link::default(), 1, flits).ticks
    }

    fn add(&mut self, scheme: &'static dyn Scheme) {
        let first = match self.program(scheme, self.flits[0]) {
            Ok(program) => program,
            Err(why) => return self.refused.push(why),
        };
        let seen = check::by_either(&first).traffic;
        let Program { ticks, reduction, classes, .. } = &first;
        let ticks = u64::from(*ticks);
        let silent = u64::from(reduction.as_ref().is_some_and(|reduction| u64::from(reduction.ticks) < ticks));
        let cells = reduction.is_some().then(|| {
            let netlist = Netlist::of(&first, Rom::Shared, start_up::WIDTH);
            Hardware::of(&first, &netlist).cells
        });
        let shown = Example { ticks, packets: first.packets(), classes: classes.len(), seen, cells };
        self.push(Contender::Scheme(scheme), ticks - silent, Some(shown));
    }

    fn add_algorithm(&mut self, algorithm: Algorithm) {
        if let Err(needs) = algorithm.fits(&self.topology) {
            let Self { topology, .. } = &*self;
            let why = format!("{algorithm} needs {needs}; the {} is {topology}", topology.kind());
            return self.refused.push(why);
        }
        self.push(Contender::Algorithm(algorithm), self.there_and_back() * algorithm.messages(&self.topology), None);
    }

    fn push(&mut self, contender: Contender, rounds: u64, shown: Option<Example>) {
        let mut row = ContenderRow { contender, ticks: Vec::new(), rounds, shown };
        row.ticks = self.flits.iter().map(|&flits| self.ticks(&row, flits)).collect();
        self.rows.push(row);
    }

    /// Returns the fastest contender for messages of `flits` flits; the earlier of equals.
    fn fastest(&self, flits: u32) -> Option<Contender> {
        let timed = self.rows.iter().filter_map(|row| Some((self.ticks(row, flits)?, row.contender)));
        timed.reduce(|best, next| if next.0 < best.0 { next } else { best }).map(|(_, contender)| contender)
    }

    /// Lengths at which the fastest scheme changes.
    fn crossovers(&self) -> Vec<Crossover> {
        let mut lengths = self.flits.clone();
        lengths.sort_unstable();
        let mut crossovers = Vec::new();
        if self.rows.len() < 2 {
            return crossovers;
        }
        for pair in lengths.windows(2) {
            let (mut low, last) = (pair[0], pair[1]);
            while let (Some(before), Some(to)) = (self.fastest(low), self.fastest(last))
                && before != to
            {
                let mut high = last;
                while high - low > 1 {
                    let middle = low + (high - low) / 2;
                    if self.fastest(middle) == Some(before) { low = middle } else { high = middle }
                }
                crossovers.push(Crossover { flits: high, to: self.fastest(high).unwrap_or(to) });
                low = high;
            }
        }
        crossovers
    }

    /// Returns true if somebody else's algorithms are in it.
    fn has_algorithms(&self) -> bool {
        self.rows.iter().any(|row| row.shown.is_none())
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

    /// Names in a sentence the fastest scheme for each range of lengths.
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
        let is_reduction = self.collective.is_reduction();
        head.extend(is_reduction.then(|| "rounds".to_owned()));
        head.extend(["classes", "held", "sends", "receives"].map(str::to_owned));
        head.extend(["LUT", "FF"].into_iter().filter(|_| is_reduction).map(str::to_owned));
        let best: Vec<Option<u64>> =
            (0..self.flits.len()).map(|index| self.rows.iter().filter_map(|row| row.ticks[index]).min()).collect();
        let width = head.len();
        let mut table = vec![head];
        for ContenderRow { contender, ticks, rounds, shown } in &self.rows {
            let ticks = ticks.iter().zip(&best).map(|(&ticks, &best)| {
                let mark = if ticks == best { "*" } else { "" };
                ticks.map_or(UNKNOWN.to_owned(), |ticks| format!("{ticks}{mark}"))
            });
            let mut cells: Vec<String> = std::iter::once(contender.to_string()).chain(ticks).collect();
            cells.extend(is_reduction.then(|| rounds.to_string()));
            if let Some(Example { classes, seen, cells: taken, .. }) = shown {
                let seen = seen.map(|seen| [seen.held, seen.sends, seen.receives].map(|number| number.to_string()));
                let taken = taken.iter().flat_map(|cells| [cells.luts, cells.flip_flops]);
                cells.push(classes.to_string());
                cells.extend(seen.unwrap_or([UNKNOWN; 3].map(str::to_owned)));
                cells.extend(taken.map(|number| number.to_string()));
            }
            cells.resize(width, String::new());
            table.push(cells);
        }
        let bounds = self.bounds.iter().map(u64::to_string);
        let mut bounds: Vec<String> = std::iter::once("lower bound".to_owned()).chain(bounds).collect();
        bounds.resize(width, String::new());
        table.push(bounds);
        table
    }

    fn json(&self) -> Value {
        let row = |row: &ContenderRow| {
            let ContenderRow { contender, ticks, rounds, shown } = row;
            let mut value = match shown {
                Some(Example { classes, seen, .. }) => {
                    let mut value = json!({ "scheme": contender, "ticks": ticks, "classes": classes });
                    value["held"] = json!(seen.map(|seen| seen.held));
                    value["sends"] = json!(seen.map(|seen| seen.sends));
                    value["receives"] = json!(seen.map(|seen| seen.receives));
                    value
                }
                None => json!({ "algorithm": contender, "ticks": ticks, "start_up": start_up::of(&self.rows, row) }),
            };
            if self.collective.is_reduction() {
                value["rounds"] = json!(rounds);
            }
            if let Some(cells) = shown.and_then(|shown| shown.cells) {
                value["luts"] = json!(cells.luts);
                value["flip_flops"] = json!(cells.flip_flops);
            }
            value
        };
        let crossover = |crossover: &Crossover| json!({ "flits": crossover.flits, "scheme": crossover.to });
        json!({
            "topology": &self.topology,
            "collective": self.collective,
            "root": self.root,
            "flits": self.flits,
            "bound": self.bounds,
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
            "crossovers": self.crossovers.iter().map(crossover).collect::<Vec<_>>(),
            "not_compared": self.refused,
        })
    }
}

/// Shown for unknown figures: no program exists for a length, or arrivals were not counted.
const UNKNOWN: &str = "-";

/// Meaning of the columns of these tables.
fn legend(surveys: &[Survey]) -> impl Iterator<Item = (&'static str, &'static str)> {
    let reductions = surveys.iter().any(|survey| survey.collective.is_reduction());
    let algorithms = surveys.iter().any(Survey::has_algorithms);
    let more = start_up::LEGEND.into_iter().take(2 * usize::from(reductions) + usize::from(algorithms));
    contender::LEGEND.into_iter().chain(more)
}

/// Lays surveys out, a table each.
pub fn render(surveys: &[Survey], layout: TableLayout) -> String {
    match layout {
        TableLayout::Json => {
            let surveys: Vec<Value> = surveys.iter().map(Survey::json).collect();
            document("compare-collective", &json!({ "surveys": surveys }))
        }
        TableLayout::Csv => {
            let mut lines = vec!["network,collective,scheme,flits,ticks,bound".to_owned()];
            for survey in surveys {
                for ContenderRow { contender: scheme, ticks, .. } in &survey.rows {
                    let values = survey.flits.iter().zip(ticks).zip(&survey.bounds);
                    let (network, collective) = (survey.topology.describe(), survey.collective);
                    lines.extend(values.filter_map(|((flits, ticks), bound)| {
                        Some(format!("{network},{collective},{scheme},{flits},{},{bound}", (*ticks)?))
                    }));
                }
            }
            lines.join("\n") + "\n"
        }
        TableLayout::Text => {
            let mut lines = Vec::new();
            for survey in surveys {
                lines.push(survey.title());
                lines.extend(aligned(&survey.cells(), 1));
                lines.push(survey.verdict());
                if survey.has_algorithms() {
                    lines.push(String::new());
                    lines.extend(aligned(&start_up::cells(&survey.flits, &survey.rows), 1));
                    lines.push(String::new());
                }
                lines.extend(survey.refused.iter().map(|why| format!("not compared: {why}")));
                lines.push(String::new());
            }
            lines.extend(legend(surveys).map(|(title, meaning)| format!("  {title:<11} {meaning}")));
            if surveys.iter().any(Survey::has_algorithms) {
                lines.push(String::new());
                lines.extend(start_up::MODEL.iter().map(|&line| line.to_owned()));
                lines.extend(start_up::formulas());
            }
            lines.join("\n") + "\n"
        }
        TableLayout::Markdown => {
            let mut lines = Vec::new();
            for survey in surveys {
                let mut title = survey.title();
                title[..1].make_ascii_uppercase();
                lines.extend([format!("## {title}"), String::new()]);
                lines.extend(pipes(&survey.cells(), 1));
                lines.extend([String::new(), format!("{}.", survey.verdict()), String::new()]);
                if survey.has_algorithms() {
                    lines.extend(pipes(&start_up::cells(&survey.flits, &survey.rows), 1));
                    lines.push(String::new());
                }
                lines.extend(survey.refused.iter().map(|why| format!("Not compared: {why}.\n")));
            }
            lines.push("- **bold**: the fewest ticks".into());
            lines.extend(legend(surveys).skip(1).map(|(title, meaning)| format!("- `{title}`: {meaning}")));
            if surveys.iter().any(Survey::has_algorithms) {
                lines.push(String::new());
                lines.extend(start_up::MODEL.iter().map(|&line| line.to_owned()));
                lines.push(String::new());
                lines.extend(start_up::formulas().map(|line| format!("- {line}")));
            }
            lines.join("\n") + "\n"
        }
    }
}
