//! Flags that several commands share: which design, which format.

mod fields;
mod networks;

use std::path::PathBuf;

use clap::{Args, FromArgMatches, ValueEnum};

use super::error::CliError;
use super::progress::Progress;
use crate::design::config::{Config, ConfigError};
use crate::design::list::{self, ListError};
use crate::design::listed::{Programs, ProgramsError};
use crate::design::{Design, DesignError};
use crate::files::{self, shown};
use crate::netlist::listed::Together;
use crate::program::{Duplex, Link};
use crate::task::MOST_LANES;
use crate::tools::{self, LONGEST_TIME_LIMIT};

pub use fields::{FieldArgs, completed};
pub use networks::{NETWORK, NetworkArg, NetworkArgs};

/// Design to work on: a config file, or a network in its place; the other flags override its fields.
#[derive(Debug, Args)]
pub struct DesignArgs {
    /// A config file in YAML; - is standard input.
    config: Option<PathBuf>,

    /// Config file as a flag, instead of the argument
    #[arg(short = 'c', long = "config", value_name = "FILE", conflicts_with = "config", hide_short_help = true)]
    config_flag: Option<PathBuf>,

    #[command(flatten)]
    network: NetworkArg,

    #[command(flatten)]
    fields: FieldArgs,
}

impl DesignArgs {
    /// Reads the config and applies the flags.
    pub fn config(&self) -> Result<Config, ConfigError> {
        self.fields.apply(base(self.config.as_ref().or(self.config_flag.as_ref()), &self.network)?)
    }

    /// The config of a command that generates it, as generated files tell it: it names a network and no file.
    pub fn config_of(command: &str) -> Result<Config, CliError> {
        let words = command.strip_prefix("torusweave ").unwrap_or(command).split_whitespace();
        let matches = Self::augment_args(clap::Command::new("generate")).try_get_matches_from(words)?;
        let Self { network, fields, .. } = Self::from_arg_matches(&matches)?;
        Ok(fields.apply(base(None, &network)?)?)
    }

    /// Builds the designs of all schedules, one at least.
    pub fn schedules(&self) -> Result<Vec<Design>, CliError> {
        Ok(schedules(self.config()?)?)
    }
}

/// Program of a list to work on.
#[derive(Debug, Args)]
pub struct ProgramArg {
    /// Program of a config with `programs`: its number from 0, or its collective. In `check` and `simulate` also the number of an
    /// entry of `together`.
    #[arg(long = "program", value_name = "PROGRAM")]
    named: Option<String>,
}

impl ProgramArg {
    /// Selects the programs of a list that are named; all if none is.
    pub fn of(&self, designs: Vec<Design>) -> Result<Vec<Design>, ListError> {
        list::selected(designs, self.named.as_deref())
    }

    /// Builds the one program of a config that is named.
    pub fn one_of(&self, config: Config) -> Result<Design, CliError> {
        Ok(self.one(schedules(config)?)?)
    }

    /// Builds the one program that is named, for a format in which each block is combined once.
    fn one_in_blocks(&self, config: Config) -> Result<Design, CliError> {
        Ok(self.one(built_schedules(config, Design::in_blocks)?)?)
    }

    /// Selects the one program that is named.
    pub fn one(&self, designs: Vec<Design>) -> Result<Design, ListError> {
        list::one(designs, self.named.as_deref())
    }

    /// Returns true if a program is named.
    pub fn is_named(&self) -> bool {
        self.named.is_some()
    }

    /// Returns true if a number is named.
    pub fn is_number(&self, number: u32) -> bool {
        self.named.as_ref().is_some_and(|named| *named == number.to_string())
    }
}

/// One schedule to work on: a design with one collective, or one program of a list.
#[derive(Debug, Args)]
pub struct ScheduleArgs {
    #[command(flatten)]
    design: DesignArgs,

    #[command(flatten)]
    program: ProgramArg,
}

impl ScheduleArgs {
    /// Reads the config and applies the flags.
    pub fn config(&self) -> Result<Config, ConfigError> {
        self.design.config()
    }

    /// Builds the design of the one schedule.
    pub fn design(&self) -> Result<Design, CliError> {
        self.built(self.config()?)
    }

    /// Builds the design, for a format in which each block of an all-reduce is combined once.
    pub fn design_in_blocks(&self) -> Result<Design, CliError> {
        self.program.one_in_blocks(self.config()?)
    }

    /// Builds the design of the one schedule of a config.
    pub fn built(&self, config: Config) -> Result<Design, CliError> {
        self.program.one_of(config)
    }

    /// Selects the one schedule that is named.
    pub fn one(&self, designs: Vec<Design>) -> Result<Design, ListError> {
        self.program.one(designs)
    }

    /// Selects the schedules that are named; all if none is.
    pub fn named_of(&self, designs: Vec<Design>) -> Result<Vec<Design>, ListError> {
        self.program.of(designs)
    }

    /// Builds the designs of all schedules, or of the one that is named.
    pub fn designs(&self, config: Config) -> Result<Vec<Design>, CliError> {
        Ok(self.program.of(schedules(config)?)?)
    }

    /// Returns true if a program is named.
    pub fn is_named(&self) -> bool {
        self.program.is_named()
    }

    /// Programs at once whose number is named.
    pub fn named_together<'p>(&self, programs: &'p Programs) -> Option<&'p Together> {
        programs.netlist.together.iter().find(|together| self.program.is_number(together.number))
    }
}

/// Designs to work on: config files, or a network in their place; the other flags override fields of each.
#[derive(Debug, Args)]
pub struct DesignsArgs {
    /// Config files in YAML; - is standard input.
    #[arg(value_name = "CONFIG")]
    configs: Vec<PathBuf>,

    /// Config files as flags, instead of the arguments
    #[arg(short = 'c', long = "config", value_name = "FILE", conflicts_with = "configs", hide_short_help = true)]
    config_flags: Vec<PathBuf>,

    #[command(flatten)]
    network: NetworkArg,

    #[command(flatten)]
    fields: FieldArgs,
}

impl DesignsArgs {
    /// The config files that are named, in the order of the designs.
    pub fn files(&self) -> Vec<&PathBuf> {
        self.configs.iter().chain(&self.config_flags).collect()
    }

    /// The configs, one at least, each with its file if it has one.
    pub fn configs(&self) -> Result<Vec<(Option<&PathBuf>, Config)>, CliError> {
        files::refuse_twice(self.files())?;
        let config = |file| Ok((file, self.fields.apply(base(file, &self.network)?)?));
        match self.files().as_slice() {
            [] => Ok(vec![config(None)?]),
            files => files.iter().map(|&file| config(Some(file))).collect(),
        }
    }

    /// Builds something of each config, one at least; every config is read before. An error names the file where there are several.
    pub fn each<T>(&self, build: impl Fn(Config) -> Result<T, ProgramsError>) -> Result<Vec<T>, CliError> {
        self.of_each(self.configs()?, build)
    }

    fn of_each<T>(
        &self,
        configs: Vec<(Option<&PathBuf>, Config)>,
        build: impl Fn(Config) -> Result<T, ProgramsError>,
    ) -> Result<Vec<T>, CliError> {
        let is_one = self.files().len() < 2;
        let built = |(file, config): (Option<&PathBuf>, Config)| {
            build(config).map_err(|source| match file {
                Some(path) if !is_one => CliError::OfSeveral { path: path.clone(), source: source.into() },
                _ => source.into(),
            })
        };
        configs.into_iter().map(built).collect()
    }
}

pub fn schedules(config: Config) -> Result<Vec<Design>, ProgramsError> {
    built_schedules(config, Design::new)
}

fn built_schedules(
    config: Config,
    build: impl FnOnce(Config) -> Result<Design, DesignError>,
) -> Result<Vec<Design>, ProgramsError> {
    let _progress = Progress::of(format!("building the schedules of {}", shown(&config.name())));
    list::schedules_by(config, build)
}

/// The config that a file or a network in its place stands for.
pub fn base(file: Option<&PathBuf>, network: &NetworkArg) -> Result<Config, ConfigError> {
    match (file, network.network()?) {
        (Some(path), None) => network.applied_to(Config::read(path)?),
        (None, Some(network)) => Ok(Config::on(network)),
        (Some(path), Some(network)) => {
            Err(ConfigError::Both { path: path.clone(), base: network.base_name(), shape: network.shape() })
        }
        (None, None) => Err(ConfigError::Nothing),
    }
}

/// The links of a network for which there is no design.
#[derive(Debug, Args)]
pub struct LinkArgs {
    /// Direction of the links: `full` lets both ends send in the same tick, `half` only one of them
    #[arg(long, value_enum, default_value_t)]
    duplex: Duplex,

    /// Flits that an end of a link sends in one tick.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=i64::from(MOST_LANES)))]
    lanes: u8,
}

impl LinkArgs {
    /// Links as the flags describe them.
    pub fn link(&self) -> Link {
        Link { duplex: self.duplex, lanes: self.lanes, ..Link::default() }
    }
}

/// Format of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ResultFormat {
    /// Text for people
    #[default]
    Text,
    /// JSON for programs
    Json,
}

/// Flag `--time-limit` of a command that runs other tools.
#[derive(Debug, Args)]
pub struct TimeArgs {
    /// Time that compilers, simulators and other tools have together, then they are ended [default: an hour each].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=LONGEST_TIME_LIMIT))]
    time_limit: Option<u64>,
}

impl TimeArgs {
    /// Limits all tools together from here on.
    pub fn apply(&self) {
        if let Some(seconds) = self.time_limit {
            tools::set_time_limit(seconds);
        }
    }
}

/// Flag `--format` of a command.
#[derive(Debug, Args)]
pub struct FormatArgs {
    /// Format of the result
    #[arg(long, value_enum, default_value_t)]
    pub format: ResultFormat,
}
