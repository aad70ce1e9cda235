//! Flags that several commands share: which design, which format.

use std::num::NonZeroU16;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::error::CliError;
use crate::design::Design;
use crate::design::config::{Config, ConfigError, Setting, parse_sides};
use crate::netlist::Rom;
use crate::paths::supply::Switching;
use crate::schemes::Pick;
use crate::schemes::optimal::Store;

/// Which design: a config file, or --torus in its place; the other flags override its fields.
#[derive(Debug, Args)]
#[command(next_help_heading = "Design")]
pub struct DesignArgs {
    /// A config file in YAML.
    pub config: Option<PathBuf>,

    /// The sides of a torus, in place of a config file: 6x8 has 6 rows (axis x1) and 8 columns (axis x2).
    #[arg(long, value_name = "SIDES", allow_hyphen_values = true)]
    pub torus: Option<String>,

    #[command(flatten)]
    pub fields: FieldArgs,
}

/// Overrides of the fields of a design.
#[derive(Debug, Args)]
#[command(next_help_heading = "Design")]
pub struct FieldArgs {
    /// The scheme; `torusweave schemes` lists them.
    #[arg(long, value_enum)]
    pub scheme: Option<Pick>,

    /// How off-cycle nodes receive both directions of a cycle.
    #[arg(long, value_enum)]
    pub switching: Option<Switching>,

    /// How much of a packet store the routers may need (scheme optimal).
    #[arg(long, value_enum)]
    pub store: Option<Store>,

    /// Where the routers' tables are (scheme optimal).
    #[arg(long, value_enum)]
    pub rom: Option<Rom>,

    /// Packets each node has to contribute; `auto` takes the scheme that is fastest for so many.
    #[arg(long, value_name = "N")]
    pub packets: Option<NonZeroU16>,

    /// Bits a flit.
    #[arg(long, value_name = "BITS", allow_negative_numbers = true)]
    pub width: Option<u32>,

    /// Flits a packet.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub flits: Option<u32>,

    /// Prefix of every module.
    #[arg(long, allow_hyphen_values = true)]
    pub name: Option<String>,

    /// Sets any field by its path, for example --set link.width=16; may be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub settings: Vec<String>,
}

impl DesignArgs {
    /// The config, read and with every override applied.
    pub fn config(&self) -> Result<Config, ConfigError> {
        let config = match (&self.config, &self.torus) {
            (Some(path), Some(_)) => return Err(ConfigError::Both { path: path.clone() }),
            (Some(path), None) => Config::read(path)?,
            (None, Some(sides)) => Config::of_torus(parse_sides(sides)?),
            (None, None) => return Err(ConfigError::Nothing),
        };
        self.fields.apply(config)
    }

    /// The design.
    pub fn design(&self) -> Result<Design, CliError> {
        Ok(Design::new(self.config()?)?)
    }
}

impl FieldArgs {
    /// The config with every override applied.
    pub fn apply(&self, mut config: Config) -> Result<Config, ConfigError> {
        config.scheme = self.scheme.unwrap_or(config.scheme);
        config.switching = self.switching.unwrap_or(config.switching);
        config.store = self.store.unwrap_or(config.store);
        config.rom = self.rom.unwrap_or(config.rom);
        config.packets = self.packets.or(config.packets);
        config.link.width = self.width.unwrap_or(config.link.width);
        config.link.flits = self.flits.unwrap_or(config.link.flits);
        config.name = self.name.clone().or(config.name);
        for setting in &self.settings {
            config = setting.parse::<Setting>()?.apply(&config)?;
        }
        Ok(config)
    }
}

/// How a result is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// Adds `--format`.
#[derive(Debug, Args)]
pub struct FormatArgs {
    /// How the result is printed.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
