//! A design: a validated config, and the program its scheme builds.

mod adders;
mod asked;
pub mod config;
mod counted;
mod grouped;
pub mod list;
pub mod listed;
mod passed_over;
mod read;
pub mod support;

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

use thiserror::Error;

use crate::design::config::{Config, ConfigError, MessageLengths};
use crate::design::counted::CountedWords;
use crate::design::grouped::GroupedConfig;
use crate::design::support::{Unsupported, building};
use crate::emit::{self, Options};
use crate::net::{NodeBlocks, Port};
use crate::netlist::{BoardPort, Netlist, NodePorts, OwnInputs, PortClock};
use crate::paths::cover::Cover;
use crate::program::{Link, Operation, Program};
use crate::protocol::{Protocol, ProtocolKind};
use crate::schemes::{Built, Reason, SCHEMES, SchemeName};
use crate::study::figures::ClassFigures;
use crate::task::{Claim, Collective, RunTime, Scheme, Task, TreeKind};
use crate::transform::{Form, ReversedGossip, reverse};

pub use grouped::GroupKind;

/// Everything a command needs to know of a design.
#[derive(Clone, Debug)]
pub struct Design {
    /// The config it came from.
    pub config: Config,
    /// The scheme it was built by: the one that the config names, or that `auto` took.
    pub scheme: &'static dyn Scheme,
    /// Program that the design plays.
    pub program: Program,
    /// Why `auto` took this scheme, if it did.
    pub reason: Option<Reason>,
    /// Text of the file that the program was read from, if it was read.
    pub schedule: Option<Arc<str>>,
    /// Groups of nodes that have the collective each for itself, those that look alike together; none if all nodes have it together.
    pub groups: Vec<GroupKind>,
    /// Place in a list of programs, if the design has several.
    pub listed: Option<ListedProgram>,
    /// The cycles it runs along, once somebody has asked for them; see [`Design::cover`].
    pub cover: OnceCell<Option<Cover>>,
}

/// Place of a program in the list of its design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedProgram {
    /// Number of the program, from 0.
    pub number: u32,
    /// Nodes have streams, and no host.
    pub has_streams: bool,
    /// Ports of the nodes beside plain streams.
    pub ports: NodePorts,
    /// Ticks wait for cables between boards.
    pub is_on_boards: bool,
}

/// Why there is no design.
#[derive(Debug, Error)]
pub enum DesignError {
    /// The config is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Settings that are not supported together.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
}

impl DesignError {
    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> String {
        match self {
            Self::Config(error) => error.help(),
            Self::Unsupported(error) => error.help(),
        }
    }
}

impl Design {
    /// Validates a config and builds its program.
    pub fn new(config: Config) -> Result<Self, DesignError> {
        Self::in_blocks(config).map(Self::or_as_vector)
    }

    /// Design in which `auto` combines each block of an all-reduce once, even where it is faster to combine all of them everywhere: for
    /// formats that cannot say more.
    pub fn in_blocks(config: Config) -> Result<Self, DesignError> {
        Self::without(config, &[])
    }

    /// Validates a config and builds its program; `auto` leaves some schemes out.
    pub fn without(config: Config, without: &[&'static dyn Scheme]) -> Result<Self, DesignError> {
        let mut config = config.resolved(Path::new(""))?.as_list();
        let topology = config.validate()?;
        if !config.programs.is_empty() {
            return Err(ConfigError::List { programs: config.programs.len() }.into());
        }
        support::check(&config)?;
        if let Some(choice) = &config.groups {
            return GroupedConfig::new(&config, &topology, choice)?.design(without);
        }
        if let SchemeName::File(file) = config.scheme {
            return Self::read(config, &topology, file);
        }
        if let Some(words) = config.vector_words() {
            return CountedWords::new(&config, &topology, words).design(without);
        }
        let task = config.task(&topology, None)?;
        config.leave_even_lengths_out(&task);
        refuse_other_packets(config.scheme, &task)?;
        refuse_latency(&config, &task)?;
        // messages of individual lengths were built with their full length
        let flits = if config.collective().is_of_packets() { config.link.flits.get() } else { 1 };
        refuse_too_long(config.scheme, &task, flits)?;
        Self::supported(&config, without.to_vec(), |without| {
            Ok((adders::built(&config, &task, flits, without)?, Vec::new()))
        })
    }

    /// Builds the design; `auto` takes the fastest scheme that the rest of the config supports.
    fn supported(
        config: &Config,
        mut without: Vec<&'static dyn Scheme>,
        build: impl Fn(&[&'static dyn Scheme]) -> Result<(Built, Vec<GroupKind>), DesignError>,
    ) -> Result<Self, DesignError> {
        let mut first: Option<Unsupported> = None;
        loop {
            let (built, groups) = match build(&without) {
                Ok(built) => built,
                Err(error) => return Err(first.map_or(error, DesignError::from)),
            };
            let Built { scheme, mut program, reason } = built;
            program.demand.choose_collective(config.collective().name());
            let (config, cover) = (config.clone(), OnceCell::new());
            let schedule = groups.first().and_then(|kind: &GroupKind| kind.design.schedule.clone());
            let design = Self { config, scheme, program, reason, schedule, groups, listed: None, cover };
            match support::check_built(&design) {
                Ok(()) => return Ok(design),
                Err(refusal) if design.reason.is_none() => return Err(refusal.into()),
                Err(refusal) => {
                    // schemes that find out lengths while they run are other designs, and no way out
                    if first.is_none() {
                        without.extend(SCHEMES.iter().copied().filter(|scheme| scheme.run_time().is_some()));
                    }
                    first.get_or_insert(refusal);
                    without.push(scheme);
                }
            }
        }
    }

    /// The cycles that the program runs along, if there are any: for pictures and words, walked along when first asked for.
    pub fn cover(&self) -> Option<&Cover> {
        // cycles of a group are none of the whole
        self.cover.get_or_init(|| self.scheme.cover(&self.task()).filter(|_| self.groups.is_empty())).as_ref()
    }

    /// Protocol of the routers, if they determine message lengths at run time.
    pub fn protocol(&self) -> Option<Protocol> {
        let (kind, default) = match self.scheme.run_time()? {
            RunTime::ShoulderTap => (ProtocolKind::ShoulderTap, TreeKind::Path),
            RunTime::Certification => (ProtocolKind::Certification, TreeKind::BreadthFirst),
            RunTime::CertificationAllPort => (ProtocolKind::CertificationAllPort, TreeKind::BreadthFirst),
        };
        let task = self.task();
        let tree = task.tree(&default).expect("the scheme applies");
        Some(Protocol { kind, tree, lengths: task.lengths() })
    }

    /// Claim of the scheme's paper for this design. No paper considers silence between steps or links longer than one
    /// tick.
    pub fn paper_claim(&self) -> Option<Claim> {
        let task = self.task();
        let is_beyond = self.program.latency > 1 || self.program.reduction.is_some();
        self.scheme.claim(&task).filter(|_| !self.scheme.needs_silence(&task) && !is_beyond)
    }

    /// Returns true if a silent step stands between any two, so that links can turn.
    pub fn is_silent_between_steps(&self) -> bool {
        self.scheme.needs_silence(&self.task())
    }

    /// The table of times that all nodes share, in schemes that need one.
    pub fn table(&self) -> Option<ClassFigures> {
        let Program { classes, ticks, flits, .. } = &self.program;
        match classes.as_slice() {
            [class] if self.program.reduction.is_none() && !class.is_time_independent(*ticks, *flits) => {
                Some(ClassFigures::of_class(class, *ticks, *flits))
            }
            _ => None,
        }
    }

    /// The registers that the program becomes.
    pub fn netlist(&self) -> Netlist {
        emit::netlist(&self.program, &self.options())
    }

    /// Options of the emitter, from the config.
    pub fn options(&self) -> Options {
        Options {
            width: self.config.width(),
            origin: format!("`{}`", self.command()),
            rom: self.config.rom,
            leaves: self.config.leaves.get(),
            crossbar: self.config.crossbar,
            own: self.own_inputs(),
            protocol: self.protocol(),
            local: self.config.local(),
            bist: self.config.bist,
            elastic: self.config.link.elastic,
            boards: self.config.link.boards.as_ref().map(|boards| boards.along().to_vec()),
            checksum: self.config.link.checksum,
            form: self.config.link.form(),
            start: self.config.link.start,
            loaded: false,
            lengths: self.lengths_file().and_then(|_| Some(self.task().choice.traffic.pairs.as_ref()?.csv().into())),
            schedule: self.schedule.clone(),
        }
    }

    /// The blocks of nodes that boards have.
    pub fn blocks(&self) -> NodeBlocks {
        let blocks = self.config.blocks(&self.program.topology).ok().flatten();
        blocks.expect("what is wrong with them had stopped the design")
    }

    /// Bits of a frame on the cable at a port of a board; none if links are trusted.
    pub fn frame_bits(&self, port: Port) -> Option<u32> {
        let blocks = self.blocks();
        let links = blocks.leaving(port).len() as u32;
        let ports = self.program.channels().filter(|channel| blocks.is_cut(channel.port)).count();
        let body = emit::body_bits(links, self.config.width(), self.program.latency);
        self.config.link.checksum.map(|checksum| body + emit::check_bits(checksum, &blocks, ports))
    }

    /// Beats of a frame on the cable at a port of a board; none if the ports of boards do not have whole bytes.
    pub fn beats(&self, port: Port) -> Option<u32> {
        let bits = self.frame_bits(port).filter(|_| self.config.link.ports == BoardPort::Bytes)?;
        Some(self.config.link.beats(bits))
    }

    /// Returns true if a port of a board does not pass a frame in every clock.
    pub fn has_throttle(&self) -> bool {
        match self.config.link.ports {
            BoardPort::Stream => false,
            BoardPort::Serial => true,
            BoardPort::Bytes => {
                let ports = self.program.topology.port_ids();
                self.config.link.clocks == PortClock::Cable
                    || ports.filter_map(|port| self.beats(port)).any(|beats| beats > 1)
            }
        }
    }

    /// Inputs of the routers for packets of their nodes' own.
    pub fn own_inputs(&self) -> OwnInputs {
        self.config.own.unwrap_or_default()
    }

    /// Name of the file with the flits per pair of nodes, if they do not stand in the command.
    fn lengths_file(&self) -> Option<String> {
        let is_of_pairs = self.config.lengths.as_ref().is_some_and(MessageLengths::is_of_pairs);
        is_of_pairs.then(|| emit::lengths_file(&self.config.name()))
    }

    /// The command that generates this design, whatever file or flags it was read from.
    pub fn command(&self) -> String {
        let Self { config, program, .. } = self;
        let plain = Config { name: None, ..config.clone() };
        let name = if config.name() == plain.name() { String::new() } else { format!(" --name {}", config.name()) };
        // the scheme that `auto` took has its own number of packets
        let mut resolved = Config { scheme: SchemeName::default(), packets: None, ..plain };
        if let Some(file) = self.lengths_file() {
            resolved.lengths = Some(MessageLengths::of_file(&file));
        }
        let Config { topology, .. } = config;
        let scheme = self.schedule.as_ref().map(|text| emit::schedule_file(&config.name(), text));
        let scheme = scheme.unwrap_or_else(|| program.title.scheme.clone());
        format!("torusweave generate {topology} --scheme {scheme}{}{name}", resolved.flags())
    }
}

/// Fails if the scheme sends a flit on before a long link has brought it.
fn refuse_latency(config: &Config, task: &Task) -> Result<(), Unsupported> {
    let (latency, flits, pick) = (config.link.latency.get(), config.link.flits.get(), config.scheme);
    if latency == 1 || pick.awaits_arrivals(task) || pick.fits(task).is_ok() {
        return Ok(());
    }
    let short = Task { link: Link { latency: 1, ..task.link }, ..task.clone() };
    if pick.fits(&short).is_err() {
        return Ok(());
    }
    let waiting: Vec<String> = SCHEMES
        .iter()
        .filter(|scheme| scheme.fits(task).is_ok())
        .map(|scheme| format!("; `scheme: {scheme}` applies as it is"))
        .collect();
    if !task.collective().is_of_packets() {
        let problem = format!("{pick} requires links of one tick (link.latency is {latency})");
        return Err(building::LATENCY.refusal_with(problem, format!("leave `link.latency` out{}", waiting.concat())));
    }
    let problem = format!(
        "{pick} needs packets of as many flits as a link has ticks of latency; here they have {flits}, and it has {latency}"
    );
    Err(building::LATENCY.refusal_with(problem, format!("with `link.flits: {latency}` it applies{}", waiting.concat())))
}

/// Brings a program of packets of one flit on short links into a form.
fn formed(program: Program, form: Form) -> Result<Program, Unsupported> {
    let steps = form.steps(&program).unwrap_or(u32::MAX);
    form.of(program).ok_or_else(|| too_long(steps, form.flits))
}

fn too_long(steps: u32, flits: u32) -> Unsupported {
    building::TOO_LONG.refusal(format!("{steps} steps of {flits} ticks are more than 2^32 ticks"))
}

/// A reversal takes four bytes per link and tick, with the lists of which partials begin where up to ten, and is checked by execution
/// only: so many link-ticks take one to three gigabytes and a minute or two. Where one node speaks for all, its links alone
/// count, and take more bytes each.
const MOST_REVERSED: u64 = 1 << 28;
const MOST_OF_ONE_NODE: u64 = 1 << 22;

fn refuse_too_large_to_reverse(gather: &Program, flits: u32) -> Result<(), Unsupported> {
    let (link_ticks, most) = if reverse::is_alike(gather) {
        (gather.topology.ports() as u64 * u64::from(gather.ticks), MOST_OF_ONE_NODE)
    } else {
        (gather.link_ticks().saturating_mul(flits.into()), MOST_REVERSED)
    };
    if !gather.demand.is_gossip() && gather.demand.flits() > u16::MAX.into() {
        let problem = format!(
            "a reduce of {} flits has more packets than the {} that a node can have",
            gather.demand.flits(),
            u16::MAX
        );
        return Err(building::TOO_LARGE_TO_REVERSE.refusal(problem));
    }
    if link_ticks <= most {
        return Ok(());
    }
    let problem = format!("{link_ticks} link-ticks are more than the {most} that can be reversed");
    Err(building::TOO_LARGE_TO_REVERSE.refusal(problem))
}

/// The reduction that a gossip of packets of one flit becomes.
pub fn reduction(gather: &Program, collective: Collective, operation: Operation) -> Result<Program, Unsupported> {
    refuse_too_large_to_reverse(gather, 1)?;
    let reduction = Some(ReversedGossip::of(collective, operation));
    formed(gather.clone(), Form { reduction, flits: 1, latency: 1 })
}

/// Refuses a program that is too long before it is built, if a formula gives its length.
fn refuse_too_long(pick: SchemeName, task: &Task, flits: u32) -> Result<(), Unsupported> {
    match pick.steps(task) {
        Some(steps) if steps.checked_mul(flits).is_none() => Err(too_long(steps, flits)),
        _ => Ok(()),
    }
}

/// The scheme named in a config has the packets it has; only `auto` can go by the packets.
fn refuse_other_packets(pick: SchemeName, task: &Task) -> Result<(), Unsupported> {
    match (pick, task.choice.packets) {
        (SchemeName::One(scheme), Some(wanted)) if scheme.fits(task).is_ok() && scheme.packets(task) != wanted => {
            let problem = format!("scheme {scheme} takes {} per node, not {wanted}", scheme.packets(task));
            let help = "leave `packets` out, or let `scheme: auto` take the fastest scheme for so many";
            Err(building::PACKETS.refusal_with(problem, help))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
