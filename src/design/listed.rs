//! Design of several programs: each is built as a design of its own, then all are lowered together.

mod beside;
mod blocks;
mod lowered;
mod ring;
mod together;

use std::borrow::Cow;
use std::io;

use thiserror::Error;

use super::config::{self, Config, ConfigError, Count, HostBus, HostChoice, LinkFields, ProgramChoice, RootChoice};
use super::support::{self, Unsupported, building, lists};
use super::{Design, DesignError, ListedProgram};
use crate::emit::node::{self as emitted, Bus, ListBoards, ListDesign, ResidentFiles, WireSizes};
use crate::emit::{BenchWords, DesignPart, Files, PlannedProgram, host, selftest};
use crate::files;
use crate::net::{Channel, NodeBlocks, Topology};
use crate::netlist::listed::{self, ListNetlist, NotLowered};
use crate::netlist::{BoardPort, BoardStart, Checksum, PortClock};
use crate::program::{Number, Program, count};
use crate::schemes::SchemeName;
use crate::schemes::optimal::Optimal;
use crate::task::Collective;

/// Reason for which a config with `programs` cannot be built.
#[derive(Debug, Error)]
pub enum ProgramsError {
    /// The config is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Settings that are not supported together.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The one collective of a config cannot be built.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// A program cannot be built.
    #[error("programs[{program}]: {source}")]
    Program {
        /// Number of the program.
        program: usize,
        /// Reason of the failure.
        source: Box<DesignError>,
    },
}

impl ProgramsError {
    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> String {
        match self {
            Self::Config(error) => error.help(),
            Self::Unsupported(error) => error.help(),
            Self::Design(error) => error.help(),
            Self::Program { source, .. } => source.help(),
        }
    }
}

/// A design with the designs of its programs.
#[derive(Clone, Debug)]
pub struct Programs {
    /// Config that it came from.
    pub config: Config,
    /// Design of each program.
    pub designs: Vec<Design>,
    /// Hardware and stores.
    pub netlist: ListNetlist,
    residents: Vec<ResidentFiles>,
    hash: u32,
    /// Number of the only program that the testbench calls.
    called: Option<u32>,
}

/// Path of a program's JSON beside the Verilog.
fn path_of(number: u32, collective: Collective) -> String {
    format!("programs/{number}_{collective}.json")
}

const MOST_PROGRAMS: usize = 16;

impl Programs {
    /// Builds the schedule of every program, as a design of its own.
    pub fn designs_of(config: &Config) -> Result<Vec<Design>, ProgramsError> {
        let topology = config.validate()?;
        support::check(config)?;
        let numbers = config.programs.len() + config.together.len();
        if numbers > MOST_PROGRAMS {
            let programs = count(numbers as u64, "program");
            let problem = format!("{programs} are more than the {MOST_PROGRAMS} that are supported");
            return Err(lists::PROGRAMS.refusal(problem).into());
        }
        together::check(config)?;
        lists::check_common_calls(config, &topology, WireSizes::of_call(numbers as u32, topology.live_nodes()))?;
        let entries = config.programs.iter().map(|choice| blocks::least_entries(config, &topology, choice));
        let entries = entries.fold(0, u64::saturating_add);
        if entries > listed::MOST_ENTRIES {
            return Err(support::not_lowered(&NotLowered::TooLarge { entries, most: listed::MOST_ENTRIES }).into());
        }
        ring::refuse_many_nodes(config, &topology)?;
        let design = |(program, choice)| {
            let design = built(config, &topology, program, choice)?;
            let listed = ListedProgram {
                number: program as u32,
                has_streams: config.has_streams_of_nodes(),
                ports: config.node_ports(),
                is_on_boards: config.link.elastic,
            };
            Ok(Design { listed: Some(listed), ..design })
        };
        config.programs.iter().enumerate().map(design).collect()
    }

    /// Builds every program, and lowers them together.
    pub fn new(config: Config) -> Result<Self, ProgramsError> {
        let config = config.as_list();
        let designs = Self::designs_of(&config)?;
        let netlist = Self::lowered(&config, &designs)?;
        let residents = (0..).zip(&designs).zip(&config.programs).zip(&netlist.programs);
        let residents = residents.map(|(((number, design), choice), placed)| {
            let collective = design.config.collective();
            let root = match choice.root {
                Some(RootChoice::Any) => Some("any".into()),
                _ => design.root().map(|root| netlist.topology.rank(root).into()),
            };
            let (taken, given) =
                placed.words.iter().fold((0, 0), |most, &(taken, given)| (most.0.max(taken), most.1.max(given)));
            // a node has a block for each node of its group
            let topology = &netlist.topology;
            let sizes = || topology.live_ids().map(|node| design.program.demand.group_size(topology, node));
            let of_each = |of: fn(&(u32, u32)) -> u32| {
                let blocks = placed.words.iter().zip(sizes()).map(|(words, nodes)| of(words) / nodes);
                blocks.max().unwrap_or(0)
            };
            let roots: Vec<usize> = design.roots().into_iter().map(|root| netlist.topology.rank(root)).collect();
            let lengths = blocks::lengths(placed, collective, &roots);
            let longest = lengths.as_ref().map(|rows| rows.iter().flatten().copied().max().unwrap_or(0));
            let words = longest.unwrap_or(match collective {
                Collective::Broadcast | Collective::Reduce => given,
                Collective::AllReduce if design.program.combines_at_root() => given,
                Collective::Gossip | Collective::Gather => of_each(|words| words.1),
                Collective::Scatter | Collective::Exchange | Collective::ReduceScatter | Collective::AllReduce => {
                    of_each(|words| words.0)
                }
            });
            ResidentFiles {
                number,
                collective: collective.name(),
                operation: design.config.operation,
                values: design.program.reduction.as_ref().map(|reduction| reduction.number.name()),
                scheme: design.program.title.scheme.clone(),
                schedule: path_of(number, collective),
                digest: files::sha256(design.program.json().as_bytes()),
                root,
                groups: blocks::groups(design),
                words,
                lengths,
                offsets: blocks::offsets(design),
                count: design.config.vector_words(),
                padded: design.config.vector_words().map(|_| taken),
                ticks: placed.ticks,
            }
        });
        let residents = residents.collect();
        let mut programs = Self { config, designs, netlist, residents, hash: 0, called: None };
        let digest = files::sha256(programs.emitted(host::meaning).as_bytes());
        programs.hash = u32::from_str_radix(&digest[..8], 16).expect("it is in hexadecimal");
        programs.check_frames()?;
        if let Some(bits) = programs.config.bist.then(|| programs.emitted(selftest::too_many_bits)).flatten() {
            return Err(support::too_large_a_self_test(bits).into());
        }
        Ok(programs)
    }

    /// Fails if a frame between boards has more bits than its checksum covers.
    fn check_frames(&self) -> Result<(), Unsupported> {
        let longest = self.config.link.checksum.map_or(u32::MAX, Checksum::longest);
        match self.emitted(emitted::covered) {
            Some(covered) if covered > longest => {
                let problem = format!("frames of {covered} bits are longer than the {longest} that it covers");
                Err(building::FRAMES.refusal(problem))
            }
            _ => Ok(()),
        }
    }

    /// Name of the design.
    pub fn name(&self) -> String {
        self.config.name()
    }

    /// Puts it behind a serial line, with a clock of so many hertz: as a board has it. Its host calls it, and feeds its nodes in place of
    /// a self-test.
    pub fn on_board(mut self, clock: u32) -> Result<Self, Unsupported> {
        let clock = Count::new(clock);
        self.config.bist = false;
        self.config.link = LinkFields { start: BoardStart::Own, ..self.config.link.with_pins() };
        self.config.host = HostChoice::Bus(HostBus { bus: Bus::Uart, clock, ..self.bus() });
        support::check(&self.config)?;
        Ok(self)
    }

    /// Calls one program only in the testbench, if one is named.
    #[must_use]
    pub fn calling(self, called: Option<u32>) -> Self {
        Self { called, ..self }
    }

    /// Writes all its files: the Verilog, and the schedules of its programs.
    pub fn write(&self, files: &mut dyn Files) -> io::Result<()> {
        self.emitted(|design| design.write(&DesignPart::ALL, files))?;
        self.write_schedules(files)
    }

    /// Writes the schedules of its programs.
    pub fn write_schedules(&self, files: &mut dyn Files) -> io::Result<()> {
        self.schedules().try_for_each(|(path, program)| files.file(path)?.write_all(program.json().as_bytes()))
    }

    /// Files with the schedules of its programs.
    pub fn schedules(&self) -> impl Iterator<Item = (&str, &Program)> {
        self.residents.iter().zip(&self.designs).map(|(resident, design)| (resident.schedule.as_str(), &design.program))
    }

    /// Bus of its host.
    pub fn bus(&self) -> HostBus {
        match self.config.host {
            HostChoice::Bus(bus) => bus,
            HostChoice::Streams(_) => HostBus::of(Bus::Uart),
        }
    }

    /// Boards that it is spread over.
    pub fn boards(&self) -> Option<ListBoards> {
        let link = &self.config.link;
        let checksum = link.checksum.filter(|_| link.elastic)?;
        let along = link.boards.as_ref().map(config::BoardCounts::along);
        let blocks = NodeBlocks::new(&self.netlist.topology, along).expect("boards that fit the network");
        Some(ListBoards { blocks, checksum, form: link.form(), start: link.start })
    }

    /// Ports of a board with the bits of their frames, where ports do not pass a frame in every clock.
    pub fn slow_frames(&self) -> Option<Vec<(Channel, u32)>> {
        let link = &self.config.link;
        let frames = self.emitted(emitted::frames);
        let has_beats = || link.clocks == PortClock::Cable || frames.iter().any(|&(_, bits)| link.beats(bits) > 1);
        match link.ports {
            BoardPort::Stream => None,
            BoardPort::Serial => Some(frames),
            BoardPort::Bytes => has_beats().then_some(frames),
        }
    }

    /// Most words that a node of each board takes and gives in a call of a program.
    pub fn words_of_boards(&self, program: usize) -> Vec<(u64, u64)> {
        let Some(ListBoards { blocks, .. }) = self.boards() else { return Vec::new() };
        let words = &self.netlist.programs[program].words;
        let of_board = |board| {
            let topology = &self.netlist.topology;
            let live = (0..blocks.sites()).map(|site| blocks.node(board, site)).filter(|&node| topology.is_live(node));
            let nodes = live.map(|node| words[topology.rank(node)]);
            nodes.fold((0, 0), |most, words| (most.0.max(words.0.into()), most.1.max(words.1.into())))
        };
        blocks.boards().live_ids().map(of_board).collect()
    }

    /// Returns true if words of a call come in while those of the last but one go out.
    pub fn has_banks_apart(&self) -> bool {
        self.netlist.has_banks_apart(self.config.local.words.get())
    }

    /// Hands it to the emitter.
    pub fn emitted<T>(&self, with: impl FnOnce(&ListDesign) -> T) -> T {
        let name = self.name();
        let planned: Vec<PlannedProgram> =
            self.designs.iter().map(|it| PlannedProgram { program: &it.program, roots: it.roots() }).collect();
        with(&ListDesign {
            name: &name,
            width: self.config.width(),
            origin: format!("the config in {name}_programs.json"),
            netlist: &self.netlist,
            residents: Cow::Borrowed(&self.residents),
            schedules: planned,
            hash: self.hash,
            bus: self.bus().bus,
            divisor: self.bus().divisor(),
            clock: self.bus().clock.get(),
            ports: self.config.node_ports(),
            one: None,
            boards: self.boards(),
            has_self_test: self.config.bist,
            called: self.called,
            config: serde_json::to_value(self.beside_schedules()).expect("a config is plain data"),
            words: BenchWords::default(),
        })
    }
}

/// Design of one program.
fn built(
    config: &Config,
    topology: &Topology,
    program: usize,
    choice: &ProgramChoice,
) -> Result<Design, ProgramsError> {
    let ProgramChoice { collective: name, operation, root, flits, count, reach, corners, lengths, groups, scheme } =
        choice.clone();
    let collective = name.planned();
    let root = match root {
        Some(RootChoice::Any) if !collective.has_root() => {
            let problem = format!("`any` requires a collective with a root ({name} has none)");
            return Err(lists::ANY_ROOT.refusal_of_program(program, problem).into());
        }
        Some(RootChoice::Any) if !topology.is_homogeneous() => {
            let network = topology.describe();
            let problem = format!("`any` requires nodes that all look alike (those of a {network} do not)");
            return Err(lists::ANY_ROOT.refusal_of_program(program, problem).into());
        }
        Some(RootChoice::Any) if groups.is_some() || lengths.is_some() => {
            let apart = if groups.is_some() { "`groups` have a root each" } else { "`lengths` tell them apart" };
            let problem = format!("`any` requires nodes that all look alike ({apart})");
            return Err(lists::ANY_ROOT.refusal_of_program(program, problem).into());
        }
        Some(RootChoice::One(root)) => Some(root),
        Some(RootChoice::Any) | None => None,
    };
    if config.bist && groups.is_some() && collective.is_reduction() {
        return Err(lists::TESTED_GROUPS.refusal_of_program(program, "not supported with `bist: true`").into());
    }
    let mut own = Config {
        collective: name,
        operation,
        root,
        count,
        reach,
        corners,
        lengths,
        groups,
        scheme,
        programs: Vec::new(),
        together: Vec::new(),
        ..config.clone()
    };
    own.host = HostChoice::default();
    own.link = own.link.on_one_device();
    own.local = config::LocalFields::default();
    own.bist = false;
    if !collective.is_reduction() {
        (own.number, own.flush, own.adder) = (Number::Word, false, None);
    }
    // lengths say how long every message is
    let are_told = own.tells_lengths() || count.is_some();
    own.link.flits = flits.unwrap_or(if are_told { Count::new(1) } else { own.link.flits });
    let optimal = SchemeName::One(&Optimal);
    let networks =
        own.networks(topology).map_err(|source| ProgramsError::Program { program, source: Box::new(source) })?;
    let fits = || -> Result<bool, ConfigError> {
        let tasks = networks.iter().map(|network| own.task(network, None)).collect::<Result<Vec<_>, _>>()?;
        Ok(tasks.iter().all(|task| task.topology.is_homogeneous() && optimal.fits(task).is_ok()))
    };
    // one table for all nodes
    if scheme == SchemeName::default() && collective.woven() == Collective::Gossip && count.is_none() && fits()? {
        own.scheme = optimal;
    }
    let is_moved = choice.root == Some(RootChoice::Any);
    let mut without = Vec::new();
    let mut first: Option<ProgramsError> = None;
    loop {
        let design = match Design::without(own.clone(), &without) {
            Ok(design) => design,
            Err(source) => {
                return Err(first.unwrap_or_else(|| ProgramsError::Program { program, source: Box::new(source) }));
            }
        };
        let refusal = match lowered::alone(&design, program, is_moved, config.node_ports()) {
            Ok(netlist) => {
                ring::refuse_many_words(config, &netlist)?;
                return Ok(design);
            }
            Err(refusal) => refusal,
        };
        if design.reason.is_none() {
            return Err(refusal);
        }
        // the next fastest scheme of `auto` may have a schedule that nodes can play
        without.push(design.scheme);
        first.get_or_insert(refusal);
    }
}
