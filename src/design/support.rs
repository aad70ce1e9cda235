//! One table of what is not supported: every refusal that is not a mistake in a field's own value is a row of it.
//!
//! A row is decided in one of three ways. The config alone decides (`configs`). Or the built program decides, for one
//! way of use (`uses`): a way that the config asks for, or a command. Or whoever builds a program or a file meets the
//! limit on the way and names the row (`building`). docs/limits.md is made from the rows.

mod boards;
pub mod building;
mod commands;
mod configs;
pub mod lists;
mod messages;
mod uses;

use std::borrow::Cow;
use std::fmt::{self, Display};

use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use super::config::{Config, Setting};
use super::{Design, ListedProgram};
use crate::netlist::Crossbar;
use crate::netlist::listed::NotLowered;
use crate::schemes::SchemeError;
use crate::task::Collective;

pub use uses::DesignUse;

use uses::Facts;

/// One row of the table.
pub struct Limit {
    /// Field, flag or command that the error names.
    pub field: &'static str,
    /// Values with which the field is not supported, as the page and most errors word them.
    pub when: &'static str,
    /// Reason, as the page words it.
    pub reason: &'static str,
    /// Settings that work instead.
    pub help: &'static str,
    rule: RefusalRule,
}

/// Place and time of the decision whether a row holds.
enum RefusalRule {
    /// Decided by the config.
    Config(With, fn(&Config) -> bool),
    /// Decided by the config: the field is missing.
    Missing(With, fn(&Config) -> bool),
    /// Decided by the built program, for a way of use. Returns the value that is too much, for the error.
    Use(DesignUse, fn(&Facts) -> Option<String>),
    /// Met by whoever builds a program or a file.
    Met,
}

/// Setting of the config that a field is not supported with.
#[derive(Clone, Copy, Debug)]
enum With {
    /// Field, shown with its value.
    Field(&'static str),
    /// Links whose ends share wires, however they were asked for.
    HalfDuplex,
    /// Programs of a design.
    Programs,
}

/// Settings that are not supported together, with the field and a cure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnsupportedSetting {
    /// Field that the error names.
    pub field: Cow<'static, str>,
    /// Problem, with its values.
    pub problem: String,
    /// Settings that work instead.
    pub help: String,
}

/// All violations at once.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize)]
pub struct Unsupported(Vec<UnsupportedSetting>);

impl Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, UnsupportedSetting { field, problem, .. }) in self.0.iter().enumerate() {
            if let Some(before) = index.checked_sub(1) {
                write!(f, "\nhelp: {}\nerror: ", self.0[before].help)?;
            }
            write!(f, "{field}: {problem}")?;
        }
        Ok(())
    }
}

impl Unsupported {
    /// All violations, at least one.
    pub fn violations(&self) -> &[UnsupportedSetting] {
        &self.0
    }

    /// Returns the cure of the last violation; the text of the error has those before.
    pub fn help(&self) -> String {
        self.0.last().map_or_else(String::new, |violation| violation.help.clone())
    }
}

/// The refusal of a scheme, in the words that its condition has.
impl From<SchemeError> for Unsupported {
    fn from(error: SchemeError) -> Self {
        let text = error.to_string();
        let limit = match &error {
            SchemeError::Unmet { .. } => &building::SCHEME,
            SchemeError::Supply { .. } => &building::SWITCHING,
        };
        limit.refusal_with(text.strip_prefix("scheme ").unwrap_or(&text), error.help())
    }
}

impl From<UnsupportedSetting> for Unsupported {
    fn from(violation: UnsupportedSetting) -> Self {
        Self(vec![violation])
    }
}

impl Limit {
    const fn met(field: &'static str) -> Self {
        Self { field, when: "", reason: "", help: "", rule: RefusalRule::Met }
    }

    /// Refusal for whoever meets the limit, with the problem and its values.
    pub fn refusal(&self, problem: impl Display) -> Unsupported {
        self.refusal_with(problem, self.help)
    }

    /// Refusal with a cure that depends on the values.
    pub fn refusal_with(&self, problem: impl Display, help: impl Into<String>) -> Unsupported {
        self.violation(problem.to_string(), help.into()).into()
    }

    /// Refusal of a field of one program: `programs[2].root`, whether the row has `programs.root` or `root`.
    pub fn refusal_of_program(&self, program: usize, problem: impl Display) -> Unsupported {
        let violation = self.violation(problem.to_string(), self.help.into());
        let own = self.field.strip_prefix("programs.").unwrap_or(self.field);
        UnsupportedSetting { field: format!("programs[{program}].{own}").into(), ..violation }.into()
    }

    /// Refusal of an entry of a list: `together[2]`.
    pub fn refusal_of_entry(&self, entry: usize, problem: impl Display) -> Unsupported {
        let violation = self.violation(problem.to_string(), self.help.into());
        UnsupportedSetting { field: format!("{}[{entry}]", self.field).into(), ..violation }.into()
    }

    fn violation(&self, problem: String, help: String) -> UnsupportedSetting {
        UnsupportedSetting { field: self.field.into(), problem, help }
    }

    fn of_config(&self, config: &Config) -> Option<UnsupportedSetting> {
        let problem = match self.rule {
            RefusalRule::Config(with, holds) if holds(config) => {
                format!("not supported with {} ({})", with.shown(config), shown(config, self.field))
            }
            RefusalRule::Missing(with, holds) if holds(config) => {
                format!("required with {} (left out)", with.shown(config))
            }
            _ => return None,
        };
        Some(self.violation(problem, self.help.into()))
    }

    /// Violation of a config that a flag has changed.
    fn of_flag(&self, config: &Config, flag: &'static str) -> Option<UnsupportedSetting> {
        match self.rule {
            RefusalRule::Config(with, holds) if holds(config) => Some(UnsupportedSetting {
                field: flag.into(),
                problem: format!("not supported with {}", with.shown(config)),
                help: format!("take another `--top`: {}", self.reason),
            }),
            _ => None,
        }
    }

    /// Violation of a way of use, with the value that is too much.
    fn of_use(&self, value: &str) -> UnsupportedSetting {
        self.violation(format!("not supported with {} ({value})", self.when), self.help.into())
    }

    fn of_design(&self, facts: &Facts, wanted: DesignUse) -> Option<UnsupportedSetting> {
        match self.rule {
            RefusalRule::Use(of, found) if of == wanted => Some(self.of_use(&found(facts)?)),
            _ => None,
        }
    }
}

impl With {
    fn shown(self, config: &Config) -> String {
        match self {
            Self::Field(field) => format!("`{field}: {}`", shown(config, field)),
            Self::HalfDuplex => "half-duplex links".to_owned(),
            Self::Programs => "`programs`".to_owned(),
        }
    }
}

/// Longer values are cut off in errors.
const MOST_LETTERS: usize = 60;

/// Value of a field as a config writes it.
fn shown(config: &Config, field: &str) -> String {
    let fields = serde_json::to_value(config).expect("a config is plain data");
    match fields.pointer(&format!("/{}", field.replace('.', "/"))) {
        Some(Value::String(text)) if text.len() > MOST_LETTERS => {
            format!("{}...", text.chars().take(MOST_LETTERS).collect::<String>())
        }
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "left out".to_owned(),
    }
}

fn all_of(violations: Vec<UnsupportedSetting>) -> Result<(), Unsupported> {
    if violations.is_empty() { Ok(()) } else { Err(Unsupported(violations)) }
}

/// Limits of one collective that the config alone decides.
const OF_ONE: [&[Limit]; 3] = [messages::LIMITS, configs::LIMITS, boards::LIMITS];

/// Returns every violation that the config alone decides, at once. Each program of a design has a config of its own.
pub fn check(config: &Config) -> Result<(), Unsupported> {
    let limits = if config.programs.is_empty() { OF_ONE } else { [lists::LIMITS, boards::LIMITS, &[]] };
    all_of(limits.into_iter().flatten().filter_map(|limit| limit.of_config(config)).collect())
}

/// Returns every violation of the ways of use that the config of a built design asks for.
pub fn check_built(design: &Design) -> Result<(), Unsupported> {
    let facts = Facts::new(design);
    let asked = DesignUse::OF_CONFIGS.into_iter().filter(|of| of.is_asked_for(&design.config));
    let lowered = facts.unlowered().map(|error| {
        let (limit, _) = lists::of_lowering(&error);
        limit.violation(error.to_string(), limit.help.into())
    });
    all_of(asked.flat_map(|of| violations(&facts, of)).chain(lowered).collect())
}

/// Refusal of a self-test of a list whose tables have so many bits.
pub fn too_large_a_self_test(bits: u64) -> Unsupported {
    uses::SELF_TEST_TABLES.refusal(format!("not supported with tables of {bits} bits"))
}

/// Reason for which the model of clocks does not cover a design.
pub fn unclocked(design: &Design) -> Option<String> {
    if let Some(ListedProgram { number, .. }) = design.listed {
        return Some(format!("not supported with a router that a list shares (program {number})"));
    }
    let (collective, crossbar) = (design.config.collective(), design.config.crossbar);
    let problem = match (collective, crossbar) {
        (Collective::Gossip, Crossbar::Fixed) => return None,
        (Collective::Gossip, Crossbar::Configurable) => "crossbar configurable".to_owned(),
        (collective, _) => format!("collective {}", collective.name()),
    };
    Some(format!("not supported with {problem}"))
}

/// Refusal of programs that nodes cannot play, for the row that their lowering meets.
pub fn not_lowered(error: &NotLowered) -> Unsupported {
    match lists::of_lowering(error) {
        (limit, Some(program)) => limit.refusal_of_program(program, error),
        (limit, None) => limit.refusal(error),
    }
}

/// Returns every violation of a way of use that a command asks for.
pub fn check_use(design: &Design, of: DesignUse) -> Result<(), Unsupported> {
    let asked = of.as_setting();
    let of = asked.map_or(of, |(.., of)| of);
    let mut all = violations(&Facts::new(design), of);
    // a config that asks for it was checked when it was read
    if let Some((flag, setting, _)) = asked.filter(|_| !of.is_asked_for(&design.config)) {
        let setting: Setting = setting.parse().expect("the settings of the table are right");
        let config = setting.apply(&design.config).expect("the settings of the table are right");
        all.splice(..0, configs::LIMITS.iter().filter_map(|limit| limit.of_flag(&config, flag)));
    }
    all_of(all)
}

fn violations(facts: &Facts, of: DesignUse) -> Vec<UnsupportedSetting> {
    let limits = uses::LIMITS.iter().chain(commands::LIMITS);
    limits.filter_map(|limit| limit.of_design(facts, of)).collect()
}

/// Returns the text of docs/limits.md.
pub fn page() -> String {
    let mut page = "# Limits\n\nThis page is for whoever was refused, or wants to know before. It lists all that is not \
                    supported. A command reports every violation at once, and each names its field:\n\n    torusweave check \
                    --torus 4x4 --root 1,1 --bist true --crossbar configurable\n\nThe table in `src/design/support.rs` makes \
                    this page.\n"
        .to_owned();
    let decided = [messages::LIMITS, configs::LIMITS, lists::LIMITS, boards::LIMITS, uses::LIMITS, commands::LIMITS];
    let limits: Vec<&Limit> = decided.into_iter().flatten().chain([building::LIMITS, lists::MET].concat()).collect();
    let rows = rows(&limits);
    for (subject, title) in Subject::ALL {
        page += &format!("\n## {title}\n\n| field | not supported with, and why | instead |\n|---|---|---|\n");
        for RefusalRow { fields, cases, help, .. } in rows.iter().filter(|row| row.subject == subject) {
            let cases: Vec<String> = cases.iter().map(|[when, reason]| format!("{when}: {reason}")).collect();
            page += &format!("| {} | {} | {help} |\n", fields.join(", "), cases.join("<br>"));
        }
    }
    page
}

/// Section of the page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    Schedule,
    Nodes,
    Links,
    Commands,
}

impl Subject {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Schedule, "Network, collective and scheme"),
        (Self::Nodes, "Routers, nodes, host and self-test"),
        (Self::Links, "Links and boards"),
        (Self::Commands, "Commands and their flags"),
    ];

    fn of(field: &str) -> Self {
        match field.split(['.', ' ']).next().unwrap_or(field) {
            "topology" | "collective" | "root" | "lengths" | "count" | "reach" | "corners" | "tree" | "operation"
            | "number" | "flush" | "adder" | "scheme" | "packets" | "programs" | "together" => Self::Schedule,
            "own" | "crossbar" | "bist" | "local" | "host" => Self::Nodes,
            "link" => Self::Links,
            _ => Self::Commands,
        }
    }
}

/// Line of the page: fields that have refusals and their cure in common.
struct RefusalRow {
    /// Section of its first field.
    subject: Subject,
    fields: Vec<String>,
    /// Settings that they are not supported with, each with its reason.
    cases: Vec<[&'static str; 2]>,
    help: String,
}

/// Limits as lines of the page; what is said of several fields alike stands in one.
fn rows(limits: &[&Limit]) -> Vec<RefusalRow> {
    let mut rows: Vec<RefusalRow> = Vec::new();
    for Limit { field, when, reason, help, rule } in limits {
        let state = if matches!(rule, RefusalRule::Missing(..)) { " left out" } else { "" };
        let shown = format!("`{field}`{state}");
        let of_any = |help: &str, field: &str| help.replace(field, "it");
        let alike = rows.iter_mut().find(|row| {
            let others = of_any(&row.help, &row.fields[0]);
            row.cases == [[*when, *reason]] && others == of_any(help, &shown)
        });
        match alike {
            Some(row) if row.fields.contains(&shown) => {}
            Some(row) => {
                row.help = of_any(&row.help, &row.fields[0]);
                row.fields.push(shown);
            }
            None => {
                let subject = Subject::of(field);
                rows.push(RefusalRow {
                    subject,
                    fields: vec![shown],
                    cases: vec![[when, reason]],
                    help: (*help).to_owned(),
                });
            }
        }
    }
    // then what has one cure
    let mut lines: Vec<RefusalRow> = Vec::new();
    for row in rows {
        match lines.iter_mut().find(|line| line.fields == row.fields && line.help == row.help) {
            Some(line) => line.cases.extend(row.cases),
            None => lines.push(row),
        }
    }
    lines
}
