//! `torusweave diff`: what changes between two designs, or from what stands on disk.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;

use super::args::{self, FieldArgs, FormatArgs, NetworkArg, ProgramArg, ResultFormat};
use super::diff_operand::NamedOperand;
use super::error::CliError;
use super::{CommandEnd, output};
use crate::design::config::{Config, NetworkFields, Setting};
use crate::explain::diff::{self, Difference, Mark};
use crate::files;

/// Show what changes between two designs: sizes, classes, the class map, the Verilog.
///
/// Classes are matched by what they do, not by their letters; the class map is compared as rules about coordinates.
/// Each line is marked: = the same on both, ~ changed, - only in the first, + only in the second.
///
/// Either side may also be a folder that `generate` wrote: then its program.json and its Verilog are compared as they stand there.
/// A program.json alone says what the nodes do, and neither width nor Verilog: these are left aside, as for a program of a list.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The first design: a config file, a generated folder or a program.json; - is standard input.
    from: Option<PathBuf>,

    /// The second design: any of these, too.
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

    #[command(flatten)]
    program: ProgramArg,

    /// Exit with 1 if the designs differ in anything but their names.
    #[arg(long)]
    exit_code: bool,

    #[command(flatten)]
    format: FormatArgs,
}

pub fn run(args: &DiffArgs) -> Result<CommandEnd, CliError> {
    files::refuse_twice(args.from.iter().chain(&args.into))?;
    let named = args.from()?;
    let base = named.config().cloned();
    let from = named.set(&args.fields)?;
    let to = args.to(base)?;
    if !args.fields.is_empty() && ![&from, &to].into_iter().any(NamedOperand::is_config) {
        return Err(CliError::NothingToSet);
    }
    let (from, to) = (from.build(&args.program)?, to.build(&args.program)?);
    let difference = diff::diff(&from.subject(), &to.subject());
    match args.format.format {
        ResultFormat::Json => output::json("diff", &difference)?,
        ResultFormat::Text if wants_colour() => output::text(coloured(&difference))?,
        ResultFormat::Text => output::text(&difference)?,
    }
    Ok(if args.exit_code && !difference.is_empty() { CommandEnd::Failed } else { CommandEnd::Fine })
}

impl DiffArgs {
    fn from(&self) -> Result<NamedOperand, CliError> {
        match (&self.from, self.network.network()?) {
            (Some(path), None) => match NamedOperand::read(path)? {
                NamedOperand::Config(config) => Ok(NamedOperand::Config(self.network.applied_to(config)?)),
                _ if self.network.takes() => Err(CliError::NoConfig { path: path.clone() }),
                other => Ok(other),
            },
            _ => Ok(NamedOperand::Config(args::base(self.from.as_ref(), &self.network)?)),
        }
    }

    /// The second design, or what the config of the first becomes, if it has one.
    fn to(&self, base: Option<Config>) -> Result<NamedOperand, CliError> {
        let into = self.into.as_deref().map(NamedOperand::read).transpose()?;
        if self.to.is_none() && self.to_settings.is_empty() {
            return into.ok_or(CliError::OneDesign)?.set(&self.fields);
        }
        let path = self.into.as_ref().or(self.from.as_ref());
        let base = into.map_or(base, |into| into.config().cloned());
        let base = base.ok_or_else(|| CliError::NoConfig { path: path.cloned().unwrap_or_default() })?;
        let config = match &self.to {
            None => self.fields.apply(base)?,
            Some(sides) => {
                // the file's name includes its design's size
                let config = self.fields.apply(Config { name: None, ..base })?;
                let shape = config.topology.shape().ok_or(CliError::NoSides)?;
                let NetworkFields { open, dead, part, .. } = config.topology.clone();
                Config { topology: NetworkFields { open, dead, part, ..NetworkFields::parse(shape, sides)? }, ..config }
            }
        };
        let settings: Result<Vec<_>, _> =
            self.to_settings.iter().map(|text| Setting::parse("--to-set", text)).collect();
        Ok(NamedOperand::Config(Setting::apply_all(&settings?, config)?))
    }
}

/// Colours are for terminals, and for people who want them (<https://no-color.org>).
fn wants_colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

fn coloured(difference: &Difference) -> String {
    let paint = |line: &diff::TextLine| {
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
    use crate::design::Design;
    use crate::explain::diff::DiffSubject;
    use crate::net::ShapeName;

    #[test]
    fn colours_leave_the_text_as_it_is() {
        let design = |sides: &[u32]| Design::new(Config::of(ShapeName::Torus, sides.to_vec())).unwrap();
        let [from, to] = [design(&[2, 2]), design(&[4, 4])];
        let difference = diff::diff(&DiffSubject::of(&from), &DiffSubject::of(&to));
        let mut plain = coloured(&difference);
        for code in ["0", "1", "2", "31", "32", "33"] {
            plain = plain.replace(&format!("\x1b[{code}m"), "");
        }
        assert_eq!(plain, difference.to_string());
    }
}
