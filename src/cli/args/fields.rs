//! A flag for every field of the config that declares one, and `--set` for all of them.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::design::config::{Config, ConfigError, FIELDS, Field, NamedValue, Setting};

/// Overrides of the fields of a design.
#[derive(Debug)]
pub struct FieldArgs {
    by_flag: Vec<Setting>,
    /// `path=value`, as typed
    by_path: Vec<String>,
}

impl FieldArgs {
    /// Whether nothing is overridden.
    pub fn is_empty(&self) -> bool {
        self.by_flag.is_empty() && self.by_path.is_empty()
    }

    /// The config with every override applied.
    pub fn apply(&self, config: Config) -> Result<Config, ConfigError> {
        let by_path = self.by_path.iter().map(|text| text.parse());
        let settings: Vec<Setting> = self.by_flag.iter().cloned().map(Ok).chain(by_path).collect::<Result<_, _>>()?;
        Setting::apply_all(&settings, config)
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
type Flag = (&'static Field, &'static str, &'static str);

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
        arg.value_parser(PossibleValuesParser::new(values))
    } else if field.is_text {
        // the field's own check says more than that a flag is not known
        arg.allow_hyphen_values(true)
    } else {
        arg.allow_negative_numbers(true)
    }
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
