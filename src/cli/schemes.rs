//! `torusweave schemes`: every scheme with its theorem and condition, and what it does on a given network.

use clap::Args;
use serde::Serialize;

use super::args::{FormatArgs, LinkArgs, NETWORK, NetworkArg, ResultFormat};
use super::error::CliError;
use super::time::Time;
use super::{CommandEnd, output};
use crate::compare;
use crate::design::config::{self, Config, Count};
use crate::design::support;
use crate::net::Topology;
use crate::paths::supply::Switching;
use crate::program::{Link, Number, Operation, count};
use crate::schemes::{SCHEMES, SchemeError, SchemeName};
use crate::study::clock::ModelDevice;
use crate::task::{About, Collective, CollectiveTraffic, CombinePlace, Scheme, Task};
use crate::transform::{Form, ReversedGossip};

/// List the schemes: theorem, condition, and on a given network how many steps, or why not.
#[derive(Debug, Args)]
pub struct SchemesArgs {
    #[command(flatten)]
    network: NetworkArg,

    #[command(flatten)]
    links: LinkArgs,

    /// Collective whose schemes are listed [default: every scheme, with the first collective that it achieves]
    #[arg(long, value_name = "COLLECTIVE", value_parser = collective)]
    collective: Option<Collective>,

    /// FPGA for whose expected clock times are shown, in nanoseconds, see docs/compare.md
    #[arg(long, value_enum, value_name = "DEVICE", requires = NETWORK)]
    device: Option<ModelDevice>,

    /// Bits per flit, for the routers that the clock depends on.
    #[arg(long, value_name = "BITS", default_value_t = 32, requires = "device", value_parser = clap::value_parser!(u32).range(1..=4096))]
    width: u32,

    #[command(flatten)]
    format: FormatArgs,
}

/// Row of the table.
#[derive(Serialize)]
struct SchemeRow {
    #[serde(flatten)]
    about: About,
    #[serde(rename = "collectives")]
    achieves: &'static [Collective],
    /// On the network that is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    on_network: Option<OnNetwork>,
}

/// Every scheme, and the network that is given.
#[derive(Serialize)]
struct ListedSchemes<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    topology: Option<&'a Topology>,
    schemes: &'a [SchemeRow],
}

/// Applicability of a scheme on a given network.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case", tag = "answer")]
enum OnNetwork {
    Applies {
        packets: u16,
        bound: u64,
        steps: Vec<Variant>,
    },
    /// Applicable, but the program must be built to count its steps.
    NotCounted {
        why: &'static str,
    },
    DoesNotApply {
        why: String,
    },
}

/// Steps with one way of switching, and the time they take.
#[derive(Serialize)]
struct Variant {
    #[serde(skip_serializing_if = "Option::is_none")]
    switching: Option<Switching>,
    steps: u32,
    /// Expected time on the device that is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Time>,
}

pub fn run(args: &SchemesArgs) -> Result<CommandEnd, CliError> {
    let network = args.network.network()?;
    let config = network.map(Config::on);
    let topology = config.as_ref().map(Config::validate).transpose()?;
    let is_asked_for = |scheme: &&&'static dyn Scheme| {
        args.collective.is_none_or(|collective| {
            let is_counted = collective == Collective::AllReduce && scheme.combines() != CombinePlace::Blocks;
            is_counted || scheme.collectives().contains(&collective.woven())
        })
    };
    let row = |&scheme: &&'static dyn Scheme| {
        let both = topology.as_ref().zip(config.as_ref());
        let on_network = both.map(|(topology, config)| args.on_network(scheme, config, topology));
        SchemeRow { about: scheme.about(), achieves: scheme.collectives(), on_network }
    };
    let rows: Vec<SchemeRow> = SCHEMES.iter().filter(is_asked_for).map(row).collect();
    match args.format.format {
        ResultFormat::Json => output::json("schemes", &ListedSchemes { topology: topology.as_ref(), schemes: &rows })?,
        ResultFormat::Text => output::text(rows.iter().map(describe).collect::<String>())?,
    }
    Ok(CommandEnd::Fine)
}

/// Schemes without a formula for their steps are built to count them: on more nodes that takes minutes.
const MOST_BUILT: u32 = 2_048;

impl SchemesArgs {
    /// The first way of switching decides whether the scheme applies; of the others only those are listed that do.
    fn on_network(&self, scheme: &'static dyn Scheme, config: &Config, topology: &Topology) -> OnNetwork {
        let link = self.links.link();
        let collective = self.collective.unwrap_or(scheme.collectives()[0]);
        let plain = self.task(scheme, topology, None);
        if let Err(refusal) = support::check(&asked(scheme, collective, config, link)) {
            return OnNetwork::DoesNotApply { why: refusal.to_string() };
        }
        let is_gossip = scheme.collectives().contains(&Collective::Gossip);
        let most = if scheme.stands_in() { compare::MOST_SEARCHED } else { MOST_BUILT };
        if topology.nodes() > most && (!is_gossip || scheme.stands_in()) && scheme.fits(&plain).is_ok() {
            return OnNetwork::NotCounted {
                why: "it has to be built for its ticks, which takes long on so many nodes: `torusweave check` does",
            };
        }
        let mut variants = compare::variants(scheme, plain.collective(), topology, link)
            .into_iter()
            .map(|switching| self.variant(scheme, &self.task(scheme, topology, switching), switching));
        match variants.next().expect("every scheme has a variant") {
            Err(error) => OnNetwork::DoesNotApply { why: error.to_string() },
            Ok(plain) => {
                let packets = scheme.packets(&self.task(scheme, topology, None));
                OnNetwork::Applies {
                    packets,
                    bound: self.task(scheme, topology, None).bound(collective, link, packets, 1).ticks,
                    steps: std::iter::once(plain).chain(variants.flatten()).collect(),
                }
            }
        }
    }

    /// Messages of one flit; of an all-reduce at one root, one word.
    fn task<'t>(&self, scheme: &dyn Scheme, topology: &'t Topology, switching: Option<Switching>) -> Task<'t> {
        let collective = self.collective.unwrap_or(scheme.collectives()[0]);
        let mut task = compare::task(collective, topology, self.links.link(), switching);
        if collective == Collective::AllReduce {
            match scheme.combines() {
                CombinePlace::Blocks => {}
                CombinePlace::Root => task.choice.traffic = CollectiveTraffic::at_middle(topology, 1).into(),
                CombinePlace::Everywhere => task.choice.traffic = CollectiveTraffic::everywhere(1).into(),
            }
        }
        task
    }

    /// Steps by a formula if there is one: a search can take minutes. The program is built if its time is wanted.
    fn variant(
        &self,
        scheme: &'static dyn Scheme,
        task: &Task,
        switching: Option<Switching>,
    ) -> Result<Variant, SchemeError> {
        let device = self.device.filter(|_| task.collective() == Collective::Gossip);
        let foreseen = || scheme.fits(task).ok().and_then(|()| scheme.foreseen_steps(task));
        if let Some(steps) = foreseen().filter(|_| device.is_none()) {
            return Ok(Variant { switching, steps: all_steps(task, steps), time: None });
        }
        let program = SchemeName::from(scheme).build(task, "any")?.program;
        let time = device.map(|device| Time::of(device, &program, self.width));
        Ok(Variant { switching, steps: all_steps(task, program.ticks), time })
    }
}

/// Config of a scheme on a network with links.
fn asked(scheme: &'static dyn Scheme, collective: Collective, config: &Config, link: Link) -> Config {
    // operations differ in no tick, so the sum stands for all of them
    let operation = collective.is_reduction().then_some(Operation::Sum);
    let links =
        config::LinkFields { duplex: Some(link.duplex), lanes: Count::new(link.lanes.into()), ..config.link.clone() };
    let is_counted = collective == Collective::AllReduce && scheme.combines() != CombinePlace::Blocks;
    let count = is_counted.then(|| Count::new(1));
    Config { scheme: scheme.into(), collective: collective.into(), operation, count, link: links, ..config.clone() }
}

/// Steps of what is made of a scheme's program.
fn all_steps(task: &Task, steps: u32) -> u32 {
    let traffic = &task.choice.traffic;
    let is_gathered = traffic.collective == Collective::AllReduce && traffic.combined != CombinePlace::Everywhere;
    // operations differ in no tick, so the sum stands for all of them
    let (operation, number) = (Operation::Sum, Number::default());
    let reduction = Some(ReversedGossip { operation, number, flush: false, adder: 0, is_gathered });
    u32::try_from(Form { reduction, ..Form::PLAIN }.ticks(steps)).unwrap_or(u32::MAX)
}

fn collective(name: &str) -> Result<Collective, String> {
    let all = || Collective::ALL.into_iter();
    let found = all().find(|collective| collective.name() == name || collective.aliases().contains(&name));
    found.ok_or_else(|| format!("must be one of {}", all().map(Collective::name).collect::<Vec<_>>().join(", ")))
}

fn describe(row: &SchemeRow) -> String {
    let About { name, theorem, condition, packets, .. } = row.about;
    let s = if packets == "1" { "" } else { "s" };
    let mut text = format!("{name}\n  {theorem}\n  needs {condition}; {packets} packet{s} per node\n");
    let gossips = row.achieves == [Collective::Gossip];
    if !gossips {
        let names: Vec<&str> = row.achieves.iter().map(|collective| collective.name()).collect();
        text = format!("{name}\n  {}: {theorem}\n  needs {condition}\n", names.join(", "));
    }
    match &row.on_network {
        None => {}
        Some(OnNetwork::Applies { packets, bound, steps }) => {
            let floor = steps.iter().find_map(|steps| steps.time?.floor());
            let steps: Vec<String> = steps.iter().map(Variant::describe).collect();
            let packets = count(u64::from(*packets), "packet");
            let what = if gossips { format!("{packets} per node") } else { "messages of one flit".into() };
            let floor = floor.map_or(String::new(), |floor| format!(", {floor} at the clock of the wires"));
            text += &format!("  applies: {}; the bound for {what} is {bound}{floor}\n", steps.join("; "));
        }
        Some(OnNetwork::NotCounted { why }) => {
            text += &format!("  applies: {why}\n");
        }
        Some(OnNetwork::DoesNotApply { why }) => text += &format!("  does not apply: {why}\n"),
    }
    text
}

impl Variant {
    fn describe(&self) -> String {
        let steps = match self.switching {
            None | Some(Switching::None) => count(self.steps.into(), "step"),
            Some(Switching::Memory) => format!("{} with memory", self.steps),
            Some(Switching::Periodic) => format!("{} with periodic switching", self.steps),
        };
        self.time.map_or(steps.clone(), |time| format!("{steps}, {}", time.short()))
    }
}
