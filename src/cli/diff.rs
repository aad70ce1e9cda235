//! `torusweave diff`: what changes between two designs.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;

use super::args::{self, FieldArgs, Format, FormatArgs, NetworkArg};
use super::error::CliError;
use super::{Outcome, output};
use crate::design::Design;
use crate::design::config::{Config, ConfigError, Network, Setting};
use crate::show::diff::{self, Difference, Mark, Subject};

/// Show what changes between two designs: sizes, classes, the class map, the Verilog.
///
/// Classes are matched by what they do, not by their letters; the class map is compared as rules about coordinates.
/// Each line is marked: = the same on both, ~ changed, - only in the first, + only in the second.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The first config file.
    from: Option<PathBuf>,

    /// The second config file.
    #[arg(conflicts_with = "to")]
    into: Option<PathBuf>,

    /// The sides of the second network; its shape and all else as in the first design.
    #[arg(long, value_name = "SIDES")]
    to: Option<String>,

    /// Sets a field of the second design only, for example --to-set switching=memory or --to-set topology.path=8; may be
    /// repeated.
    #[arg(long = "to-set", value_name = "PATH=VALUE")]
    to_settings: Vec<String>,

    #[command(flatten)]
    network: NetworkArg,

    #[command(flatten)]
    fields: FieldArgs,

    /// Exit with 1 if the designs differ in anything but their names.
    #[arg(long)]
    exit_code: bool,

    #[command(flatten)]
    format: FormatArgs,
}

pub fn run(args: &DiffArgs) -> Result<Outcome, CliError> {
    let from = args.from()?;
    if args.into.is_none() && args.to.is_none() && args.to_settings.is_empty() {
        return Err(CliError::OneDesign);
    }
    let from = Design::new(from)?;
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
    fn base(&self) -> Result<Config, ConfigError> {
        args::base(self.from.as_ref(), &self.network)
    }

    fn from(&self) -> Result<Config, ConfigError> {
        self.fields.apply(self.base()?)
    }

    fn to(&self) -> Result<Config, ConfigError> {
        let config = match (&self.into, &self.to) {
            (Some(path), _) => self.fields.apply(Config::read(path)?)?,
            (None, Some(sides)) => {
                // a name of the file tells its own size
                let config = self.fields.apply(Config { name: None, ..self.base()? })?;
                Config { topology: Network::parse(config.topology.shape, sides)?, ..config }
            }
            (None, None) => self.from()?,
        };
        let settings: Result<Vec<_>, _> =
            self.to_settings.iter().map(|text| Setting::parse("--to-set", text)).collect();
        Setting::apply_all(&settings?, config)
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
    use crate::net::Shape;

    #[test]
    fn colours_leave_the_text_as_it_is() {
        let design = |sides: &[u32]| Design::new(Config::of(Shape::Torus, sides.to_vec())).unwrap();
        let [from, to] = [design(&[2, 2]), design(&[4, 4])];
        let difference = diff::diff(&Subject::of(&from), &Subject::of(&to));
        let mut plain = coloured(&difference);
        for code in ["0", "1", "2", "31", "32", "33"] {
            plain = plain.replace(&format!("\x1b[{code}m"), "");
        }
        assert_eq!(plain, difference.to_string());
    }
}
