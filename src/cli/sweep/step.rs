//! `do` of a sweep: commands, each with its flags, that are run for every design.

use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{Arg, Command};
use serde::Serialize;

use crate::cli::command;
use crate::cli::sweep_error::SweepError;

/// Name of the config in the folder of each design.
pub const CONFIG: &str = "config.yaml";

/// Headings of flags that set what the config has.
const OF_DESIGN: [&str; 2] = ["Network", "Fields of the design"];

/// Commands that read a config and have no end, or no result in the folder of the design.
const NOT_IN_A_STUDY: [&str; 2] = ["diff", "sweep"];

/// A command that is run for every design.
#[derive(Debug, Serialize)]
pub struct Step {
    /// Name of its files: the command's, and a number where the command stands several times.
    pub name: String,
    /// The words after `torusweave`.
    pub words: Vec<String>,
    /// True if it prints JSON.
    pub json: bool,
}

impl Step {
    /// Reads all commands, each with its flags.
    pub fn read_all(texts: &[String]) -> Result<Vec<Self>, SweepError> {
        let mut steps: Vec<Self> = Vec::new();
        for text in texts {
            let mut step = Self::read(text)?;
            if steps.iter().any(|before| before.words == step.words) {
                return Err(refused(text, "stands twice", "leave one of them out".into()));
            }
            let before = steps.iter().filter(|before| before.words[0] == step.name).count();
            if before > 0 {
                step.name = format!("{}-{}", step.name, before + 1);
            }
            steps.push(step);
        }
        if steps.is_empty() { Err(SweepError::NoCommands) } else { Ok(steps) }
    }

    /// Reads `fpga --device hx8k`, as the command line would.
    fn read(text: &str) -> Result<Self, SweepError> {
        let mut words = text.split_whitespace().map(str::to_owned);
        let name = words.next().ok_or(SweepError::NoCommands)?;
        let flags: Vec<String> = words.collect();
        let whole = command();
        let of_design: Vec<&str> =
            whole.get_subcommands().filter(|one| is_of_design(one)).map(Command::get_name).collect();
        let Some(called) = whole.find_subcommand(&name).filter(|_| of_design.contains(&name.as_str())) else {
            let problem =
                if name.starts_with('-') { "must begin with a command" } else { "is no command of one design" };
            return Err(refused(text, problem, format!("the commands are {}", of_design.join(", "))));
        };
        let json = called.get_arguments().any(|arg| arg.get_id() == "format" && has_json(arg));
        let format = if json { vec!["--format".to_owned(), "json".to_owned()] } else { Vec::new() };
        if let Some(flag) = flags.iter().find(|flag| json && (*flag == "--format" || flag.starts_with("--format="))) {
            return Err(refused(text, &format!("{flag} is set for every command"), "leave it out".into()));
        }
        let words: Vec<String> = [vec![name.clone(), CONFIG.to_owned()], format, flags].concat();
        let matches = whole
            .clone()
            .try_get_matches_from(["torusweave".to_owned()].iter().chain(&words))
            .map_err(|error| refused_flags(text, &name, &error))?;
        let (_, matches) = matches.subcommand().expect("its name is that of a command");
        let is_typed = |arg: &&Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
        let sets_design = |arg: &&Arg| arg.get_help_heading().is_some_and(|heading| OF_DESIGN.contains(&heading));
        if called.get_arguments().filter(is_typed).any(|arg| arg.get_id() == "serve") {
            return Err(refused(text, "serves without an end", "leave --serve out".into()));
        }
        if let Some(arg) = called.get_arguments().filter(is_typed).find(sets_design) {
            let flag = arg.get_long().unwrap_or_default();
            let cure = "set the field in `design`, or vary it in `over`".into();
            return Err(refused(text, &format!("--{flag} is a field of the design"), cure));
        }
        Ok(Self { name, words, json })
    }
}

/// Returns true if a command reads the config of a design.
fn is_of_design(command: &Command) -> bool {
    let is_config = |arg: &Arg| arg.is_positional() && ["config", "configs"].contains(&arg.get_id().as_str());
    !NOT_IN_A_STUDY.contains(&command.get_name()) && command.get_arguments().any(is_config)
}

fn has_json(arg: &Arg) -> bool {
    arg.get_possible_values().iter().any(|value| value.get_name() == "json")
}

fn refused(command: &str, problem: &str, cure: String) -> SweepError {
    SweepError::Command { command: command.to_owned(), problem: problem.to_owned(), cure }
}

/// An error of the parser of flags: its first sentence, and what it suggests.
fn refused_flags(text: &str, name: &str, error: &clap::Error) -> SweepError {
    let rendered = error.to_string();
    let problem = rendered.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
    let suggested =
        [ContextKind::SuggestedArg, ContextKind::SuggestedValue].into_iter().find_map(|kind| match error.get(kind) {
            Some(ContextValue::String(near)) => Some(near.clone()),
            Some(ContextValue::Strings(near)) => near.first().cloned(),
            _ => None,
        });
    let cure = match suggested {
        Some(near) => format!("`{near}` is near"),
        None => format!("`torusweave {name} --help` lists its flags"),
    };
    refused(text, &problem.split_whitespace().collect::<Vec<_>>().join(" "), cure)
}
