//! `torusweave init`: a config with every field, its meaning and its default, to start from.

use std::path::PathBuf;

use askama::Template;
use clap::Args;

use super::args::NetworkArg;
use super::error::CliError;
use super::yaml::flow;
use super::{CommandEnd, output};
use crate::design::config::{Config, FIELDS, NetworkFields, PlainField};
use crate::files::{self, FilesError};
use crate::net::ShapeName;

/// Write a commented config: every field with its meaning, its values and its default.
///
/// All fields but the network are commented out, so that the file means the same as the network alone.
#[derive(Debug, Args)]
pub struct InitArgs {
    #[command(flatten)]
    network: NetworkArg,

    /// The file to write, like design.yaml; stdout if left out or -. A file that exists is not replaced.
    #[arg(short, long, alias = "output", value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Template)]
#[template(path = "init/config.yaml", escape = "none")]
struct Commented {
    topology: String,
    sections: Vec<Section>,
}

/// Fields of one group, or one field outside all groups.
struct Section {
    group: Option<&'static str>,
    entries: Vec<CommentedField>,
}

/// Field that is commented out.
struct CommentedField {
    indent: &'static str,
    about: Vec<String>,
    name: &'static str,
    default: String,
}

pub fn run(args: &InitArgs) -> Result<CommandEnd, CliError> {
    let network = args.network.network()?.unwrap_or_else(|| NetworkFields::of(ShapeName::Torus, vec![6, 8]));
    Config::on(network.clone()).validate()?;
    if let Some(path) = args.out.as_ref().filter(|path| !files::is_standard(path) && path.exists()) {
        return Err(FilesError::Exists { path: path.clone() }.into());
    }
    let topology = flow(&serde_json::to_value(&network).expect("a network is plain data"));
    let text = Commented { topology, sections: sections() }.render().expect("a template of ours");
    output::to(args.out.as_deref(), &text)?;
    Ok(CommandEnd::Fine)
}

fn sections() -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for field in FIELDS.iter() {
        match field.path.split_once('.') {
            None => sections.push(Section { group: None, entries: vec![CommentedField::of(field, "", &field.path)] }),
            Some((group, name)) => {
                let entry = CommentedField::of(field, "  ", name);
                match sections.last_mut().filter(|section| section.group == Some(group)) {
                    Some(section) => section.entries.push(entry),
                    None => sections.push(Section { group: Some(group), entries: vec![entry] }),
                }
            }
        }
    }
    sections
}

impl CommentedField {
    fn of(field: &'static PlainField, indent: &'static str, name: &'static str) -> Self {
        let widest = field.values.iter().map(|value| value.name.len()).max().unwrap_or(0);
        let mut about = wrapped(&field.about, "");
        let hanging = " ".repeat(widest + 4);
        for value in &field.values {
            let lines = wrapped(&value.about, &hanging);
            let first = lines.first().map_or("", |line| line.trim_start());
            about.push(format!("  {:widest$}  {first}", value.name).trim_end().to_owned());
            about.extend(lines.into_iter().skip(1));
        }
        Self { indent, about, name, default: field.default_text() }
    }
}

/// Widest comment, without its indentation and `# `.
const COLUMNS: usize = 96;

/// Breaks text into lines with an indentation.
fn wrapped(text: &str, indent: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut().filter(|line| line.len() + 1 + word.len() <= COLUMNS) {
            Some(line) => *line = format!("{line} {word}"),
            None => lines.push(format!("{indent}{word}")),
        }
    }
    lines
}
