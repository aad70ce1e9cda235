//! `torusweave diff`: what changes between two designs.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;

use super::args::{FieldArgs, Format, FormatArgs};
use super::error::CliError;
use super::{Outcome, output};
use crate::design::Design;
use crate::design::config::{Config, ConfigError, Setting, parse_sides};
use crate::show::diff::{self, Difference, Mark, Subject};

/// Show what changes between two designs: sizes, classes, the class map, the Verilog.
///
/// Classes are matched by what they do, not by their letters; the class map is compared as rules about coordinates.
/// Each line is marked: = the same on both, ~ changed, - only in the first, + only in the second.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The first config file.
    #[arg(required_unless_present = "torus", conflicts_with = "torus")]
    from: Option<PathBuf>,

    /// The second config file.
    #[arg(required_unless_present_any = ["to", "to_settings"], conflicts_with_all = ["torus", "to"])]
    into: Option<PathBuf>,

    /// The sides of the first torus, in place of a config file.
    #[arg(long, value_name = "SIDES")]
    torus: Option<String>,

    /// The sides of the second torus, all else as in the first design.
    #[arg(long, value_name = "SIDES")]
    to: Option<String>,

    /// Sets a field of the second design only, for example --to-set switching=memory; may be repeated.
    #[arg(long = "to-set", value_name = "PATH=VALUE")]
    to_settings: Vec<String>,

    #[command(flatten)]
    fields: FieldArgs,

    /// Exit with 1 if the designs differ in anything but their names.
    #[arg(long)]
    exit_code: bool,

    #[command(flatten)]
    format: FormatArgs,
}

pub fn run(args: &DiffArgs) -> Result<Outcome, CliError> {
    let from = Design::new(args.from()?)?;
    let to = Design::new(args.to()?)?;
    let difference = diff::diff(&Subject::of(&from), &Subject::of(&to));
    match args.format.format {
        Format::Json => output::json(&difference)?,
        Format::Text if wants_colour() => output::text(coloured(&difference))?,
        Format::Text => output::text(&difference)?,
    }
    Ok(if args.exit_code && !difference.is_empty() { Outcome::Failed } else { Outcome::Fine })
}

impl DiffArgs {
    fn from(&self) -> Result<Config, ConfigError> {
        let config = match (&self.from, &self.torus) {
            (Some(path), _) => Config::read(path)?,
            (None, Some(sides)) => Config::of_torus(parse_sides(sides)?),
            (None, None) => return Err(ConfigError::Nothing),
        };
        self.fields.apply(config)
    }

    fn to(&self) -> Result<Config, ConfigError> {
        let mut config = match (&self.into, &self.to) {
            (Some(path), _) => self.fields.apply(Config::read(path)?)?,
            (None, Some(sides)) => {
                let mut config = self.from()?;
                config.topology.torus = parse_sides(sides)?;
                // a name of the file tells its own size
                config.name.clone_from(&self.fields.name);
                config
            }
            (None, None) => self.from()?,
        };
        for setting in &self.to_settings {
            config = setting.parse::<Setting>()?.apply(&config)?;
        }
        Ok(config)
    }
}

/// Colours are for terminals, and for people who want them (<https://no-color.org>).
fn wants_colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

fn coloured(difference: &Difference) -> String {
    let paint = |line: &diff::Line| {
        let code = match line.mark {
            Mark::Heading => "1",
            Mark::Same => "2",
            Mark::Changed => "33",
            Mark::From => "31",
            Mark::To => "32",
        };
        if line.text.is_empty() { "\n".to_owned() } else { format!("\x1b[{code}m{line}\x1b[0m\n") }
    };
    difference.lines().iter().map(paint).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_leave_the_text_as_it_is() {
        let [from, to] = [vec![2, 2], vec![4, 4]].map(|sides| Design::new(Config::of_torus(sides)).unwrap());
        let difference = diff::diff(&Subject::of(&from), &Subject::of(&to));
        let mut plain = coloured(&difference);
        for code in ["0", "1", "2", "31", "32", "33"] {
            plain = plain.replace(&format!("\x1b[{code}m"), "");
        }
        assert_eq!(plain, difference.to_string());
    }
}
