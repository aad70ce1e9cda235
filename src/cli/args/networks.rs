//! `--torus 6x8`, `--mesh 4x5`, `--cycle 8`, `--path 7`, `--hexagonal 6x8`, `--lattice 4,2/0,6`, and what is taken away: `--open`, `--dead-link`,
//! `--dead-node`.

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, FromArgMatches};

use crate::design::config::{Config, ConfigError, NetworkFields};
use crate::net::{ShapeName, Topology};

/// The group of the flags that name a network, for what goes together with them and what does not.
pub const NETWORK: &str = "network";

/// At most one network, in place of a config file, and what is taken away from it or from that of the file.
#[derive(Debug)]
pub struct NetworkArg(Vec<Typed>);

/// Any number of networks, in the order in which they are typed; what is taken away is taken from the one before.
#[derive(Debug)]
pub struct NetworkArgs(Vec<Typed>);

/// A flag and its text.
#[derive(Clone, Debug)]
struct Typed {
    flag: NetworkFlag,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NetworkFlag {
    Shape(ShapeName),
    Hexagonal,
    Lattice,
    Open,
    DeadLink,
    DeadNode,
}

impl NetworkFlag {
    const BASES: [Self; 6] = [
        Self::Shape(ShapeName::Torus),
        Self::Shape(ShapeName::Mesh),
        Self::Shape(ShapeName::Cycle),
        Self::Shape(ShapeName::Path),
        Self::Hexagonal,
        Self::Lattice,
    ];
    const TAKEN: [Self; 3] = [Self::Open, Self::DeadLink, Self::DeadNode];

    const fn name(self) -> &'static str {
        match self {
            Self::Shape(shape) => shape.name(),
            Self::Hexagonal => "hexagonal",
            Self::Lattice => "lattice",
            Self::Open => "open",
            Self::DeadLink => "dead-link",
            Self::DeadNode => "dead-node",
        }
    }

    fn is_base(self) -> bool {
        Self::BASES.contains(&self)
    }

    fn arg(self) -> Arg {
        let (value, help) = match self {
            Self::Shape(shape) => (if shape.is_line() { "NODES" } else { "SIDES" }, NetworkFields::flag_help(shape)),
            Self::Hexagonal => {
                ("SIDES", "A torus of two sides whose nodes have six neighbours: --hexagonal 6x8".to_owned())
            }
            Self::Lattice => {
                ("ROWS", "The grid divided by the lattice that these rows span: --lattice 4,2/0,6".to_owned())
            }
            Self::Open => {
                ("AXIS", "Takes the links away that wrap along an axis: --open x2; may be repeated".to_owned())
            }
            Self::DeadLink => {
                ("NODE:PORT", "Takes a link away, named by either end: --dead-link 0,0:x2+; may be repeated".to_owned())
            }
            Self::DeadNode => ("NODE", "Takes a node away: --dead-node 3,4; may be repeated".to_owned()),
        };
        let action = if self.is_base() { ArgAction::Set } else { ArgAction::Append };
        // `-2x4` is no flag but a wrong side, and refused as one
        Arg::new(self.name()).long(self.name()).value_name(value).help(help).action(action).allow_hyphen_values(true)
    }
}

impl Typed {
    /// The network that a flag names.
    fn base(&self) -> Result<NetworkFields, ConfigError> {
        match self.flag {
            NetworkFlag::Shape(shape) => NetworkFields::parse(shape, &self.text),
            NetworkFlag::Hexagonal => NetworkFields::parse_hexagonal(&self.text),
            _ => NetworkFields::parse_lattice(&self.text),
        }
    }

    /// Takes away what a flag names.
    fn take(&self, network: &mut NetworkFields) -> Result<(), ConfigError> {
        match self.flag {
            NetworkFlag::Open => network.open.push(self.text.parse()?),
            NetworkFlag::DeadLink => network.dead.links.push(self.text.parse()?),
            _ => network.dead.nodes.push(self.text.parse()?),
        }
        Ok(())
    }
}

/// The networks that flags name, each with what is taken away after it; what comes before the first is of the first.
fn networks(typed: &[Typed]) -> Result<Vec<NetworkFields>, ConfigError> {
    let mut networks: Vec<NetworkFields> = Vec::new();
    let first = typed.iter().position(|typed| typed.flag.is_base()).unwrap_or(0);
    let (before, rest) = typed.split_at(first);
    let ordered = rest.iter().take(1).chain(before).chain(rest.iter().skip(1));
    for typed in ordered {
        if typed.flag.is_base() {
            networks.push(typed.base()?);
        } else {
            typed.take(networks.last_mut().ok_or(ConfigError::Nothing)?)?;
        }
    }
    Ok(networks)
}

impl NetworkArg {
    /// The network; none if no flag names one.
    pub fn network(&self) -> Result<Option<NetworkFields>, ConfigError> {
        if self.0.iter().any(|typed| typed.flag.is_base()) { Ok(networks(&self.0)?.pop()) } else { Ok(None) }
    }

    /// Returns true if something is taken away.
    pub fn takes(&self) -> bool {
        self.0.iter().any(|typed| !typed.flag.is_base())
    }

    /// A file's config without what the flags take away.
    pub fn applied_to(&self, mut config: Config) -> Result<Config, ConfigError> {
        self.0.iter().filter(|typed| !typed.flag.is_base()).try_for_each(|typed| typed.take(&mut config.topology))?;
        Ok(config)
    }
}

impl NetworkArgs {
    /// The networks, laid out.
    pub fn topologies(&self) -> Result<Vec<Topology>, ConfigError> {
        networks(&self.0)?.into_iter().map(|network| Config::on(network).validate()).collect()
    }
}

fn typed(matches: &ArgMatches) -> Vec<Typed> {
    let mut typed = Vec::new();
    for flag in NetworkFlag::BASES.into_iter().chain(NetworkFlag::TAKEN) {
        let texts = matches.get_many::<String>(flag.name()).into_iter().flatten();
        let places = matches.indices_of(flag.name()).into_iter().flatten();
        typed.extend(places.zip(texts.map(|text| Typed { flag, text: text.clone() })));
    }
    typed.sort_by_key(|(place, _)| *place);
    typed.into_iter().map(|(_, typed)| typed).collect()
}

fn group(several: bool) -> ArgGroup {
    ArgGroup::new(NETWORK).args(NetworkFlag::BASES.map(NetworkFlag::name)).multiple(several)
}

fn args() -> impl Iterator<Item = Arg> {
    NetworkFlag::BASES.into_iter().chain(NetworkFlag::TAKEN).map(NetworkFlag::arg)
}

impl Args for NetworkArg {
    fn augment_args(command: Command) -> Command {
        command.args(args().map(|arg| arg.help_heading("Network"))).group(group(false))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl Args for NetworkArgs {
    fn augment_args(command: Command) -> Command {
        let repeated = |arg: Arg| arg.help_heading("Networks; each flag may be repeated").action(ArgAction::Append);
        command.args(args().map(repeated)).group(group(true))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for NetworkArg {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(typed(matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl FromArgMatches for NetworkArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(typed(matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
