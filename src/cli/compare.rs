//! `torusweave compare`: every scheme that applies, side by side.

use clap::{Args, ValueEnum};

use super::args::{LinkArgs, NETWORK, NetworkArgs};
use super::error::CliError;
use super::progress::Progress;
use super::survey::SurveyArgs;
use super::{CommandEnd, output};
use crate::compare::{self, Comparison, ComparisonColumn, TableLayout, Terms};
use crate::design::config::network_flags;
use crate::design::support::{Unsupported, building};
use crate::net::{ShapeName, Topology};
use crate::study::clock::ModelDevice;

/// Compare every scheme that applies to a network: steps, time, link use, configuration, hardware.
///
/// Without --packets every node splits its data into as many packets as the scheme takes. With it every node has K packets
/// of one size, and a scheme that takes k of them plays ceil(K/k) times.
///
/// With --collective: every scheme of a broadcast, scatter, gather, exchange or reduction over the length of a message, and from
/// where on another one is faster; beside reductions also what ring, bucket, Swing and halving-doubling take.
#[derive(Debug, Args)]
pub struct CompareArgs {
    #[command(flatten)]
    networks: NetworkArgs,

    #[command(flatten)]
    links: LinkArgs,

    /// The start-up times of a packet: the time that a node's whole data takes over one link is 1.
    #[arg(long = "r", value_name = "R,...", value_delimiter = ',', default_values = ["0.01", "0.1", "1"], value_parser = start_up)]
    start_ups: Vec<f64>,

    /// Packets of every node.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..))]
    packets: Option<u16>,

    /// Bits a packet, for the registers.
    #[arg(long, value_name = "BITS", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=4096))]
    width: u32,

    /// FPGA for whose clock times are shown besides, in nanoseconds: by a model of fabrics as measured, see docs/compare.md
    #[arg(long, value_enum, value_name = "DEVICE", conflicts_with_all = ["collective", "table_2"])]
    device: Option<ModelDevice>,

    /// Columns to show, in this order
    #[arg(long, value_enum, value_name = "COLUMN,...", value_delimiter = ',', default_values_t = ComparisonColumn::USUAL)]
    columns: Vec<ComparisonColumn>,

    #[command(flatten)]
    survey: SurveyArgs,

    /// The paper's Table 2 instead: recomputed, with the entries in which the paper errs.
    #[arg(long, conflicts_with_all = [NETWORK, "start_ups", "packets", "width", "columns", "duplex", "lanes"])]
    table_2: bool,

    /// Format of the table
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
}

/// Format of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum TableFormat {
    /// Text for people
    #[default]
    Text,
    /// CSV for spreadsheets
    Csv,
    /// JSON for programs
    Json,
    /// A page for the docs that begins with the command that makes it.
    Markdown,
}

fn start_up(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|r: &f64| r.is_finite() && *r >= 0.0);
    number.ok_or_else(|| "a start-up time is a number, at least 0".to_owned())
}

pub fn run(args: &CompareArgs) -> Result<CommandEnd, CliError> {
    let layout = match args.format {
        TableFormat::Text => TableLayout::Text,
        TableFormat::Csv => TableLayout::Csv,
        TableFormat::Json => TableLayout::Json,
        TableFormat::Markdown => TableLayout::Markdown,
    };
    args.survey.validate()?;
    let terms = args.terms();
    let topologies = args.networks.topologies()?;
    topologies.iter().try_for_each(refuse_too_large)?;
    if args.survey.is_asked_for() && !topologies.is_empty() {
        output::text(args.survey.render(&topologies, layout)?)?;
        return Ok(CommandEnd::Fine);
    }
    if topologies.is_empty() && !args.table_2 {
        return Err(CliError::NoNetwork);
    }
    let progress = Progress::of("building every scheme that applies");
    let table = if args.table_2 {
        compare::render_table_2(layout)
    } else {
        let comparisons: Vec<Comparison> =
            topologies.iter().map(|topology| Comparison::new(topology, &terms)).collect();
        compare::render(&comparisons, &args.columns(), &terms, layout)
    };
    drop(progress);
    if layout == TableLayout::Markdown {
        output::text(format!("# {}\n\nMade by `{}`.\n\n{table}", title(&topologies), args.command(&topologies)))?;
    } else {
        output::text(table)?;
    }
    Ok(CommandEnd::Fine)
}

/// Every scheme is built and checked, some by a search: on more nodes that takes many minutes.
const MOST_COMPARED: u32 = 1 << 18;

fn refuse_too_large(topology: &Topology) -> Result<(), Unsupported> {
    match topology.nodes() {
        nodes if nodes > MOST_COMPARED => {
            let network = topology.describe();
            let problem = format!("a {network} is too large to compare: {nodes} nodes are more than {MOST_COMPARED}");
            Err(building::COMPARE.refusal(problem))
        }
        _ => Ok(()),
    }
}

impl CompareArgs {
    fn terms(&self) -> Terms {
        let link = self.links.link();
        Terms { start_ups: self.start_ups.clone(), packets: self.packets, width: self.width, link, device: self.device }
    }

    /// Columns to show: those of a device follow the usual ones of time.
    fn columns(&self) -> Vec<ComparisonColumn> {
        let of_device = |column: &ComparisonColumn| {
            *column == ComparisonColumn::Time && self.device.is_some() && self.columns == ComparisonColumn::USUAL
        };
        let more = |column| if of_device(column) { &ComparisonColumn::OF_DEVICE[..] } else { &[] };
        self.columns.iter().flat_map(|column| [column].into_iter().chain(more(column))).copied().collect()
    }

    /// The command line that these arguments come from.
    fn command(&self, topologies: &[Topology]) -> String {
        let mut words = vec!["torusweave compare".to_owned()];
        words.extend(topologies.iter().map(network_flags));
        let plain = Terms::default();
        let link = self.links.link();
        if link.duplex != plain.link.duplex {
            words.push(format!("--duplex {}", link.duplex));
        }
        if link.lanes != plain.link.lanes {
            words.push(format!("--lanes {}", link.lanes));
        }
        if self.start_ups != plain.start_ups {
            words.push(format!("--r {}", join(self.start_ups.iter().map(f64::to_string))));
        }
        words.extend(self.packets.map(|packets| format!("--packets {packets}")));
        if self.width != plain.width {
            words.push(format!("--width {}", self.width));
        }
        words.extend(self.device.map(|device| format!("--device {}", device.name())));
        if self.columns != ComparisonColumn::USUAL {
            words.push(format!("--columns {}", join(self.columns.iter().map(|column| column.name()))));
        }
        if self.table_2 {
            words.push("--table-2".into());
        }
        words.push("--format markdown".into());
        words.join(" ")
    }
}

fn title(topologies: &[Topology]) -> String {
    match topologies {
        [] => "Table 2 of Meyer and Sibeyn, recomputed".into(),
        [one] => format!("Every scheme on a {}", one.describe()),
        tori if tori.iter().all(|one| one.shape() == Some(ShapeName::Torus)) => {
            format!("Every scheme on {} tori", tori.len())
        }
        networks => format!("Every scheme on {} networks", networks.len()),
    }
}

fn join(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(",")
}
