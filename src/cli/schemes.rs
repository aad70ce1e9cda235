//! `torusweave schemes`: every scheme with its theorem and condition, and what it does on a given torus.

use clap::Args;
use serde::Serialize;

use super::Outcome;
use super::args::{Format, FormatArgs};
use super::error::CliError;
use super::output::{self, count};
use crate::bounds;
use crate::config::{Config, parse_sides};
use crate::scheme::{About, Choice, Scheme};

/// List the schemes: theorem, condition, and on a given torus how many steps, or why not.
#[derive(Debug, Args)]
pub struct SchemesArgs {
    /// The sides of a torus, like 6x8.
    #[arg(long, value_name = "SIDES")]
    torus: Option<String>,

    #[command(flatten)]
    format: FormatArgs,
}

/// One row.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    about: About,
    #[serde(skip_serializing_if = "Option::is_none")]
    on_torus: Option<OnTorus>,
}

/// What a scheme does on a given torus.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum OnTorus {
    Applies { steps: u32, packets: u16, bound: u64 },
    DoesNotApply { why: String },
}

pub fn run(args: &SchemesArgs) -> Result<Outcome, CliError> {
    let sides = args.torus.as_deref().map(parse_sides).transpose()?;
    let torus = sides.map(|sides| Config::of_torus(sides).validate()).transpose()?;
    let rows: Vec<Row> = Scheme::CONCRETE
        .into_iter()
        .map(|scheme| Row {
            about: scheme.about(),
            on_torus: torus.as_ref().map(|torus| match scheme.build(torus, Choice::default(), "any") {
                Ok(woven) => OnTorus::Applies {
                    steps: woven.program.steps(),
                    packets: woven.program.packets,
                    bound: bounds::lower_bound(torus.nodes(), woven.program.packets, torus.axes()),
                },
                Err(error) => OnTorus::DoesNotApply { why: error.to_string() },
            }),
        })
        .collect();
    match args.format.format {
        Format::Json => output::json(&rows)?,
        Format::Text => output::text(rows.iter().map(describe).collect::<String>())?,
    }
    Ok(Outcome::Fine)
}

fn describe(row: &Row) -> String {
    let About { name, theorem, condition, packets } = row.about;
    let mut text = format!("{name}\n  {theorem}\n  needs {condition}; {packets} packet{} a node\n", plural(packets));
    match &row.on_torus {
        None => {}
        Some(OnTorus::Applies { steps, packets, bound }) => {
            let (steps, packets) = (count((*steps).into(), "step"), count((*packets).into(), "packet"));
            text += &format!("  applies: {steps}, the bound for {packets} a node is {bound}\n");
        }
        Some(OnTorus::DoesNotApply { why }) => text += &format!("  does not apply: {why}\n"),
    }
    text
}

/// The letter that makes a packet several; a count may be a letter too, as in d packets.
fn plural(packets: &str) -> &'static str {
    if packets == "1" { "" } else { "s" }
}
