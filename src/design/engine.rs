//! Engine of several programs: each is built as a design of its own, then all are lowered together.

use thiserror::Error;

use super::config::{Config, ConfigError, EngineBus, HostChoice, ProgramChoice, RootChoice};
use super::{Design, DesignError};
use crate::emit::engine::{Bus, EngineDesign, Resident};
use crate::files;
use crate::net::{Shape, Topology};
use crate::netlist::engine::{self, Engine, NoEngine};
use crate::program::{Duplex, count};
use crate::schemes::Pick;
use crate::schemes::optimal::Optimal;
use crate::task::{Collective, Task};

/// Why a config with `programs` makes no engine.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The config is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A program cannot be built.
    #[error("programs[{program}]: {source}")]
    Program {
        /// Number of the program.
        program: usize,
        /// Reason of the failure.
        source: Box<DesignError>,
    },
    /// Too many programs.
    #[error("programs: {} are more than the 16 that are supported", count(*.programs as u64, "program"))]
    TooMany {
        /// Number of programs.
        programs: usize,
    },
    /// Nodes do not look alike.
    #[error("programs[{program}].root: `any` requires nodes that all look alike (those of a {network} do not)")]
    AnyRoot {
        /// Number of the program.
        program: usize,
        /// Description of the network.
        network: String,
    },
    /// A program beside a field that only one program has.
    #[error("{field}: not supported with `programs`")]
    Beside {
        /// Path of the field.
        field: &'static str,
    },
    /// A program has a root that its collective has not.
    #[error("programs[{program}].root: not supported with {collective}")]
    NoRoot {
        /// Number of the program.
        program: usize,
        /// Collective of the program.
        collective: Collective,
    },
    /// Lengths are found out while it runs.
    #[error("programs[{program}].scheme: schemes that find lengths out while they run are not supported")]
    RunTime {
        /// Number of the program.
        program: usize,
    },
    /// The programs do not go into one engine.
    #[error(transparent)]
    Lowering(#[from] NoEngine),
}

impl EngineError {
    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> String {
        match self {
            Self::Config(error) => error.help(),
            Self::Program { source, .. } => source.help(),
            Self::TooMany { .. } => "list at most 16, or generate two engines".into(),
            Self::AnyRoot { .. } => "name a node, as in `root: [0, 0]`; list the program again for another root".into(),
            Self::Beside { field: "link.width" } => "an engine has words of 1 to 32 bits".into(),
            Self::Beside { .. } => "leave it out: each program has fields of its own".into(),
            Self::NoRoot { .. } => "leave `root` out: broadcast, scatter and gather have one".into(),
            Self::RunTime { .. } => "leave `scheme` out".into(),
            Self::Lowering(error) => error.help().into(),
        }
    }
}

/// An engine with the designs of its programs.
#[derive(Clone, Debug)]
pub struct Programs {
    /// Config that it came from.
    pub config: Config,
    /// Design of each program.
    pub designs: Vec<Design>,
    /// Hardware and stores.
    pub engine: Engine,
    residents: Vec<Resident>,
    hash: u32,
}

/// Most programs of an engine.
const MOST_PROGRAMS: usize = 16;
/// Words of more bits do not pass the registers of the host.
const MOST_BITS: u32 = 32;

impl Programs {
    /// Builds every program, and lowers them together.
    pub fn new(config: Config) -> Result<Self, EngineError> {
        let topology = config.validate()?;
        refuse_beside(&config)?;
        if config.programs.len() > MOST_PROGRAMS {
            return Err(EngineError::TooMany { programs: config.programs.len() });
        }
        let designs = config.programs.iter().enumerate();
        let designs = designs.map(|(program, choice)| built(&config, &topology, program, choice));
        let designs: Vec<Design> = designs.collect::<Result<_, _>>()?;
        let is_moved = |choice: &ProgramChoice| choice.root == Some(RootChoice::Any);
        let programs = designs.iter().zip(&config.programs);
        let programs =
            programs.map(|(design, choice)| engine::Resident { program: &design.program, is_moved: is_moved(choice) });
        let programs: Vec<engine::Resident> = programs.collect();
        let engine = Engine::of(&programs)?;
        let json: String = designs.iter().map(|design| design.program.json()).collect();
        let digest = files::sha256(json.as_bytes());
        let hash = u32::from_str_radix(&digest[..8], 16).expect("it is in hexadecimal");
        let residents = (0..).zip(&designs).zip(&config.programs).zip(&engine.programs);
        let residents = residents.map(|(((number, design), choice), placed)| {
            let collective = design.config.collective;
            let root = match choice.root {
                Some(RootChoice::Any) => Some("any".into()),
                _ => design.root().map(|root| root.0.into()),
            };
            let nodes = topology.nodes();
            let (taken, given) =
                placed.words.iter().fold((0, 0), |most, &(taken, given)| (most.0.max(taken), most.1.max(given)));
            let words = match collective {
                Collective::Broadcast => given,
                Collective::Gossip | Collective::Gather => given / nodes,
                Collective::Scatter | Collective::Exchange | Collective::ReduceScatter | Collective::AllReduce => {
                    taken / nodes
                }
            };
            Resident {
                number,
                collective: collective.name(),
                operation: design.config.operation.map(crate::program::Operation::name),
                scheme: design.program.title.scheme.clone(),
                root,
                words,
                ticks: placed.ticks,
            }
        });
        let residents = residents.collect();
        Ok(Self { config, designs, engine, residents, hash })
    }

    /// Name of the engine.
    pub fn name(&self) -> String {
        self.config.name()
    }

    /// Bus of its host.
    fn bus(&self) -> EngineBus {
        match self.config.host {
            HostChoice::Engine(bus) => bus,
            HostChoice::Streams(_) => EngineBus::of(Bus::Uart),
        }
    }

    /// Hands the engine to the emitter.
    pub fn emitted<T>(&self, with: impl FnOnce(&EngineDesign) -> T) -> T {
        let name = self.name();
        let bus = self.bus();
        with(&EngineDesign {
            name: &name,
            width: self.config.link.width.get(),
            origin: format!("the config in {name}_engine.json"),
            engine: &self.engine,
            residents: &self.residents,
            hash: self.hash,
            bus: bus.bus,
            divisor: (bus.clock.get() / bus.baud.get()).max(4),
            config: serde_json::to_value(&self.config).expect("a config is plain data"),
        })
    }
}

/// Fails if a field is set that stands beside `programs`.
fn refuse_beside(config: &Config) -> Result<(), EngineError> {
    let plain = Config::of(Shape::Torus, vec![3, 3]);
    let link = config.capacity();
    let beside = [
        ("collective", config.collective != plain.collective),
        ("operation", config.operation.is_some()),
        ("root", config.root.is_some()),
        ("lengths", config.lengths.is_some()),
        ("tree", config.tree.is_some()),
        ("scheme", config.scheme != plain.scheme),
        ("packets", config.packets.is_some()),
        ("bist", config.bist),
        ("crossbar", config.crossbar != plain.crossbar),
        ("host", matches!(config.host, HostChoice::Streams(host) if host != crate::netlist::Host::default())),
        ("local.order", config.local.order == Some(crate::netlist::Order::Arrival)),
        ("link.elastic", config.link.elastic),
        ("link.duplex", link.duplex != Duplex::Full),
        ("link.width", config.link.width.get() > MOST_BITS),
    ];
    match beside.into_iter().find(|(_, is_set)| *is_set) {
        Some((field, _)) => Err(EngineError::Beside { field }),
        None => Ok(()),
    }
}

/// Design of one program.
fn built(config: &Config, topology: &Topology, program: usize, choice: &ProgramChoice) -> Result<Design, EngineError> {
    let ProgramChoice { collective, operation, root, flits, scheme } = choice.clone();
    if root.is_some() && !collective.has_root() {
        return Err(EngineError::NoRoot { program, collective });
    }
    let root = match root {
        Some(RootChoice::Any) if !topology.is_homogeneous() => {
            return Err(EngineError::AnyRoot { program, network: topology.describe() });
        }
        Some(RootChoice::One(root)) => Some(root),
        Some(RootChoice::Any) | None => None,
    };
    let mut own = Config { collective, operation, root, scheme, programs: Vec::new(), ..config.clone() };
    own.host = HostChoice::default();
    own.local.order = None;
    own.link.flits = flits.unwrap_or(own.link.flits);
    let optimal = Pick::One(&Optimal);
    let fits = || -> Result<bool, ConfigError> {
        let traffic = own.traffic(topology)?;
        Ok(optimal.fits(&Task { topology, link: own.capacity(), choice: own.choice(traffic) }).is_ok())
    };
    // one table for all nodes
    if scheme == Pick::default() && collective.woven() == Collective::Gossip && topology.is_homogeneous() && fits()? {
        own.scheme = optimal;
    }
    let design = Design::new(own).map_err(|source| EngineError::Program { program, source: Box::new(source) })?;
    if design.protocol().is_some() { Err(EngineError::RunTime { program }) } else { Ok(design) }
}
