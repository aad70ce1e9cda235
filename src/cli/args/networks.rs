//! `--torus 6x8`, `--mesh 4x5`, `--cycle 8`, `--path 7`: a flag for every shape.

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, FromArgMatches};

use crate::design::config::{Config, ConfigError, Network};
use crate::net::{Shape, Topology};

/// The group of these flags, for what goes together with them and what does not.
pub const NETWORK: &str = "network";

/// At most one network, in place of a config file.
#[derive(Debug)]
pub struct NetworkArg(Option<Typed>);

/// Any number of networks, in the order in which they are typed.
#[derive(Debug)]
pub struct NetworkArgs(Vec<Typed>);

type Typed = (Shape, String);

impl NetworkArg {
    /// The network.
    pub fn network(&self) -> Result<Option<Network>, ConfigError> {
        self.0.as_ref().map(|(shape, text)| Network::parse(*shape, text)).transpose()
    }
}

impl NetworkArgs {
    /// The networks, laid out.
    pub fn topologies(&self) -> Result<Vec<Topology>, ConfigError> {
        let lay_out = |(shape, text): &Typed| Config::of(*shape, Network::parse(*shape, text)?.sides).validate();
        self.0.iter().map(lay_out).collect()
    }
}

fn flag(shape: Shape) -> Arg {
    let value = if shape.is_line() { "NODES" } else { "SIDES" };
    // `-2x4` is no flag but a wrong side, and refused as one
    Arg::new(shape.name())
        .long(shape.name())
        .value_name(value)
        .help(Network::flag_help(shape))
        .allow_hyphen_values(true)
}

fn typed(matches: &ArgMatches) -> Vec<Typed> {
    let mut typed = Vec::new();
    for shape in Shape::ALL {
        let texts = matches.get_many::<String>(shape.name()).into_iter().flatten();
        let places = matches.indices_of(shape.name()).into_iter().flatten();
        typed.extend(places.zip(texts.map(|text| (shape, text.clone()))));
    }
    typed.sort_unstable_by_key(|(place, _)| *place);
    typed.into_iter().map(|(_, typed)| typed).collect()
}

fn group(several: bool) -> ArgGroup {
    ArgGroup::new(NETWORK).args(Shape::ALL.map(Shape::name)).multiple(several)
}

impl Args for NetworkArg {
    fn augment_args(command: Command) -> Command {
        command.args(Shape::ALL.map(|shape| flag(shape).help_heading("Network"))).group(group(false))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl Args for NetworkArgs {
    fn augment_args(command: Command) -> Command {
        let flag = |shape| flag(shape).help_heading("Networks; each flag may be repeated").action(ArgAction::Append);
        command.args(Shape::ALL.map(flag)).group(group(true))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for NetworkArg {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(typed(matches).pop()))
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
