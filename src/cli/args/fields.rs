//! A flag for every field of the config that declares one, and `--set` for all of them.

use std::ffi::{OsStr, OsString};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::design::config::{Config, ConfigError, FIELDS, NamedValue, PlainField, Setting};
use crate::schemes::ScheduleFile;

/// Overrides of the fields of a design.
#[derive(Debug)]
pub struct FieldArgs {
    by_flag: Vec<Setting>,
    /// `path=value`, as typed
    by_path: Vec<String>,
}

impl FieldArgs {
    /// Returns true if nothing is overridden.
    pub fn is_empty(&self) -> bool {
        self.by_flag.is_empty() && self.by_path.is_empty()
    }

    /// The config with every override applied.
    pub fn apply(&self, config: Config) -> Result<Config, ConfigError> {
        let by_path = self.by_path.iter().map(|text| text.parse());
        let settings: Vec<Setting> = self.by_flag.iter().cloned().map(Ok).chain(by_path).collect::<Result<_, _>>()?;
        Ok(Setting::apply_all(&settings, config)?.as_list())
    }
}

const SET: &str = "set";

fn set() -> Arg {
    Arg::new(SET)
        .long(SET)
        .value_name("PATH=VALUE")
        .help("Sets any field by its path, for example --set link.width=16; may be repeated")
        .action(ArgAction::Append)
}

/// The flag of a field, its name, and the name of its value.
type Flag = (&'static PlainField, &'static str, &'static str);

fn flags() -> impl Iterator<Item = Flag> {
    FIELDS.iter().filter_map(|field| Some((field, field.flag()?, field.value_name.as_deref()?)))
}

fn arg((field, name, value_name): Flag) -> Arg {
    let about = sentence(&field.about);
    let help =
        if field.default.is_null() { about.to_owned() } else { format!("{about} [default: {}]", field.default_text()) };
    let arg = Arg::new(name).long(name).value_name(value_name).help(help);
    if !field.values.is_empty() {
        let values = field.values.iter().map(|NamedValue { name, about, aliases }| {
            PossibleValue::new(name.as_str()).help(sentence(about)).aliases(aliases.iter().map(String::as_str))
        });
        let values = PossibleValuesParser::new(values);
        if field.is_file { arg.value_parser(ValueOrFile(values)) } else { arg.value_parser(values) }
    } else if field.is_boolean {
        arg.num_args(0..=1).default_missing_value("true")
    } else if field.is_text || field.has_minus() {
        // the field's own error is more helpful than "unknown flag"
        arg.allow_hyphen_values(true)
    } else {
        arg.allow_negative_numbers(true)
    }
}

/// Reads one of the values of a field, or the name of a file, which has a dot or a slash.
#[derive(Clone)]
struct ValueOrFile(PossibleValuesParser);

impl TypedValueParser for ValueOrFile {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        match value.to_str().filter(|name| ScheduleFile::is_named(name)) {
            Some(file) => Ok(file.to_owned()),
            None => self.0.parse_ref(command, arg, value),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

/// Returns the arguments with `--bist` as `--bist=true` where no value follows, so that a config file after it is none.
pub fn completed(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let switches: Vec<String> =
        flags().filter(|(field, ..)| field.is_boolean).map(|(_, name, _)| format!("--{name}")).collect();
    let mut arguments = arguments.peekable();
    let mut completed = Vec::new();
    while let Some(mut argument) = arguments.next() {
        let is_switch = switches.iter().any(|switch| argument == **switch);
        // a word is a value, right or wrong; a flag or a path is not
        let has_value = arguments
            .peek()
            .and_then(|next| next.to_str())
            .is_some_and(|next| next.chars().all(|c| c.is_ascii_alphanumeric()));
        if is_switch && !has_value {
            argument.push("=true");
        }
        completed.push(argument);
    }
    completed
}

/// Help has no full stop at its end.
fn sentence(text: &str) -> &str {
    text.trim_end_matches('.')
}

impl Args for FieldArgs {
    fn augment_args(command: Command) -> Command {
        let args = flags().map(arg).chain([set()]);
        command.args(args.map(|arg| arg.help_heading("Fields of the design")))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for FieldArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let setting = |(field, name, _): Flag| Some(Setting::by_flag(field, matches.get_one::<String>(name)?));
        let by_flag = flags().filter_map(setting);
        let by_path = matches.get_many::<String>(SET).into_iter().flatten();
        Ok(Self { by_flag: by_flag.collect(), by_path: by_path.cloned().collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_without_a_value_are_true() {
        let completed = |line: &str| {
            let words = completed(line.split(' ').map(OsString::from));
            words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
        };
        for (typed, expected) in [
            ("check --bist", "check --bist=true"),
            ("check --bist --elastic x.yaml", "check --bist=true --elastic=true x.yaml"),
            ("check --bist ./x --elastic -", "check --bist=true ./x --elastic=true -"),
            ("check --bist false --elastic true", "check --bist false --elastic true"),
            ("check --bist perhaps --width 3", "check --bist perhaps --width 3"),
            ("check --bist=false x.yaml", "check --bist=false x.yaml"),
        ] {
            assert_eq!(completed(typed), expected);
        }
    }
}
