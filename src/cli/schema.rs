//! `torusweave schema`: the JSON Schema of the config.

use clap::Args;

use super::error::CliError;
use super::{CommandEnd, output};
use crate::design::config;

/// Print the JSON Schema of the config file.
#[derive(Debug, Args)]
pub struct SchemaArgs {}

pub fn run(_: &SchemaArgs) -> Result<CommandEnd, CliError> {
    output::value(&config::schema())?;
    Ok(CommandEnd::Fine)
}
