//! A study: every design of the product of `over`, and the commands that are run for each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::step::Step;
use crate::cli::sweep_error::SweepError;
use crate::cli::yaml::flow;
use crate::design::config::{Config, ConfigError, Setting};
use crate::draw::CYCLE_COLOURS;
use crate::files;
use crate::schedule;
use crate::schemes::SchemeName;

/// A sweep is a few lines.
const MOST_BYTES: u64 = 1 << 20;
/// Snakemake plans each command of each cell before the first.
const MOST_CELLS: usize = 10_000;
/// Letters of a cell's name; file systems take 255, and the study's own files need some.
const MOST_LETTERS: usize = 120;
/// Folder of schedules, as a cell sees it.
const SCHEDULES: &str = "../../schedules";

/// File of a sweep as it stands.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a sweep with `over`, `design` and `do`")]
struct SweepFile {
    /// Values of each field that is varied, by its path.
    over: Map<String, Value>,
    /// Fields that all designs share.
    #[serde(default)]
    design: Map<String, Value>,
    /// Commands with their flags.
    r#do: Vec<String>,
}

/// A field that is varied, with its values.
struct Axis {
    field: String,
    values: Vec<Value>,
}

/// A design of a study.
#[derive(Debug, Serialize)]
pub struct Cell {
    /// Name of its folder.
    pub name: String,
    /// Text of the value of each field that is varied.
    values: Vec<String>,
    /// Fields of the config.
    #[serde(skip)]
    pub config: Map<String, Value>,
}

/// Designs and commands; as JSON what the workflow and the table read.
#[derive(Debug, Serialize)]
pub struct Study {
    /// Fields that are varied.
    fields: Vec<String>,
    /// Commands that are run for every cell.
    pub steps: Vec<Step>,
    /// Designs in the order of the table.
    pub cells: Vec<Cell>,
    /// Colours of plots on white and on black paper.
    colours: [(&'static str, &'static str); CYCLE_COLOURS.len()],
    /// Schedules that designs name, by the names of their files.
    #[serde(skip)]
    pub schedules: BTreeMap<String, String>,
}

impl Study {
    /// Reads the file of a sweep; `-` is standard input.
    pub fn read(path: &Path) -> Result<Self, SweepError> {
        let text = files::read_input(path, MOST_BYTES)?;
        if text.lines().all(|line| matches!(line.trim_start().chars().next(), None | Some('#'))) {
            return Err(SweepError::Empty { path: path.to_owned() });
        }
        let file: SweepFile = serde_yaml::from_str(&text)
            .map_err(|source| SweepError::Yaml { path: path.to_owned(), source: Box::new(source) })?;
        let axes = file.over.into_iter().map(Axis::read).collect::<Result<Vec<_>, _>>()?;
        let steps = Step::read_all(&file.r#do)?;
        check_fields(&axes, &file.design)?;
        let cells = product(&axes)?;
        let fields = axes.iter().map(|axis| axis.field.clone()).collect();
        let mut study = Self { fields, steps, cells: Vec::new(), colours: CYCLE_COLOURS, schedules: BTreeMap::new() };
        let mut sources = BTreeMap::new();
        for values in cells {
            let cell = study.cell(&file.design, &values, path.parent().unwrap_or(Path::new("")), &mut sources)?;
            study.cells.push(cell);
        }
        Ok(study)
    }

    /// Makes the design of one value for each field; files that it names are relative to a folder.
    fn cell(
        &mut self,
        design: &Map<String, Value>,
        values: &[&Value],
        folder: &Path,
        sources: &mut BTreeMap<PathBuf, String>,
    ) -> Result<Cell, SweepError> {
        let mut whole = Value::Object(design.clone());
        for (field, value) in self.fields.iter().zip(values) {
            Setting::of_list("over", field, value).set_in(&mut whole);
        }
        let config: Config = serde_json::from_value(whole.clone()).map_err(SweepError::Design)?;
        let config = config.resolved(folder)?;
        self.keep_files(&mut whole, &config, sources)?;
        let parts: Vec<String> = self.fields.iter().zip(values).map(|(field, value)| part(field, value)).collect();
        let Value::Object(config) = whole else { unreachable!("it was made of a map") };
        let values = values.iter().map(|value| shown(value)).collect();
        Ok(Cell { name: self.free_name(&parts.join("-")), values, config })
    }

    /// Puts the contents of lengths in place of their file, and takes schedules along: a study may be moved to another machine.
    fn keep_files(
        &mut self,
        whole: &mut Value,
        config: &Config,
        sources: &mut BTreeMap<PathBuf, String>,
    ) -> Result<(), SweepError> {
        let programs = config.programs.iter().enumerate();
        let of_programs =
            programs.map(|(number, program)| (format!("/programs/{number}"), &program.lengths, &program.scheme));
        for (place, lengths, scheme) in of_programs.chain([(String::new(), &config.lengths, &config.scheme)]) {
            let Some(fields) = whole.pointer_mut(&place).and_then(Value::as_object_mut) else { continue };
            if let (Some(lengths), Some(written)) =
                (lengths, fields.get_mut("lengths").filter(|found| found.is_string()))
            {
                *written = json!(lengths);
            }
            if let SchemeName::File(file) = scheme {
                let name = self.keep_schedule(file.path(), sources)?;
                fields.insert("scheme".into(), json!({ "file": format!("{SCHEDULES}/{name}") }));
            }
        }
        Ok(())
    }

    /// Name under which a schedule is kept.
    fn keep_schedule(&mut self, path: &Path, sources: &mut BTreeMap<PathBuf, String>) -> Result<String, SweepError> {
        if let Some(name) = sources.get(path) {
            return Ok(name.clone());
        }
        let text =
            files::read_text(path, schedule::MOST_BYTES).map_err(|source| ConfigError::ScheduleFile { source })?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let free = |name: &String| !self.schedules.contains_key(name);
        let numbered = (2..).map(|number| format!("{number}-{name}"));
        let name = std::iter::once(name.clone()).chain(numbered).find(free).expect("numbers do not end");
        self.schedules.insert(name.clone(), text);
        sources.insert(path.to_owned(), name.clone());
        Ok(name)
    }

    /// Name that no cell has yet, on file systems that take small and capital letters for the same as well.
    fn free_name(&self, wanted: &str) -> String {
        let wanted: String = wanted.chars().take(MOST_LETTERS).collect();
        let is_free = |name: &String| !self.cells.iter().any(|cell| cell.name.eq_ignore_ascii_case(name));
        let numbered = (2..).map(|number| format!("{wanted}-{number}"));
        std::iter::once(wanted.clone()).chain(numbered).find(is_free).expect("numbers do not end")
    }
}

impl Axis {
    fn read((field, values): (String, Value)) -> Result<Self, SweepError> {
        let Value::Array(values) = values else {
            let value = if values.is_null() { String::new() } else { flow(&values) };
            return Err(SweepError::NotAList { field, value });
        };
        if values.is_empty() {
            return Err(SweepError::NotAList { field, value: "[]".into() });
        }
        let mut earlier = values.iter().enumerate();
        match earlier.find(|(index, value)| values[..*index].contains(value)) {
            Some((_, value)) => Err(SweepError::Twice { value: flow(value), field }),
            None => Ok(Self { field, values }),
        }
    }

    fn settings(&self) -> impl Iterator<Item = Setting> {
        self.values.iter().map(|value| Setting::of_list("over", &self.field, value))
    }
}

/// Checks every field by itself, so that an error names it: those of the design, and each value of a list.
fn check_fields(axes: &[Axis], design: &Map<String, Value>) -> Result<(), SweepError> {
    let first: Vec<Setting> = axes.iter().filter_map(|axis| axis.settings().next()).collect();
    for (index, setting) in first.iter().enumerate() {
        if let Some(before) = first[..index].iter().position(|before| before.overlaps(setting)) {
            return Err(SweepError::Overlap { fields: [before, index].map(|index| axes[index].field.clone()) });
        }
    }
    let mut base = Value::Object(design.clone());
    if !design.contains_key("topology") {
        if !axes.iter().any(|axis| axis.field.split('.').next() == Some("topology")) {
            return Err(SweepError::NoTopology);
        }
        // each network takes the place of this one
        base["topology"] = json!({ "path": 2 });
    }
    serde_json::from_value::<Config>(base.clone()).map_err(SweepError::Design)?;
    for setting in axes.iter().flat_map(Axis::settings) {
        let mut whole = base.clone();
        setting.set_in(&mut whole);
        setting.read(whole)?;
    }
    Ok(())
}

/// All choices of one value for each field; the last field changes fastest.
fn product<'a>(axes: &'a [Axis]) -> Result<Vec<Vec<&'a Value>>, SweepError> {
    if axes.is_empty() {
        return Err(SweepError::NoFields);
    }
    let cells = axes.iter().map(|axis| axis.values.len() as u128).product();
    if cells > MOST_CELLS as u128 {
        return Err(SweepError::TooMany { cells, most: MOST_CELLS });
    }
    let mut begun: Vec<Vec<&'a Value>> = vec![Vec::new()];
    for axis in axes {
        let longer = |begun: &Vec<&'a Value>| {
            let begun = begun.clone();
            axis.values.iter().map(move |value| [&begun[..], &[value]].concat())
        };
        begun = begun.iter().flat_map(longer).collect();
    }
    Ok(begun)
}

/// A value in a table: `torus 4x4`, `optimal`; larger ones as in YAML.
fn shown(value: &Value) -> String {
    let only = value.as_object().filter(|members| members.len() == 1).and_then(|members| members.iter().next());
    if let Some((name, value)) = only {
        return format!("{name} {}", shown(value));
    }
    match value {
        Value::Array(items) if items.iter().all(Value::is_number) => letters(value),
        Value::String(text) => text.clone(),
        other => flow(other),
    }
}

/// Part of a cell's name for one field: `torus_4x4`, `optimal`, `width_8`.
fn part(field: &str, value: &Value) -> String {
    let last = field.rsplit('.').next().unwrap_or(field);
    match value {
        Value::Bool(_) | Value::Number(_) | Value::Null => format!("{}_{}", plain(last), plain(&value.to_string())),
        _ => letters(value),
    }
}

fn letters(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| format!("{}_{}", plain(name), letters(value)));
            members.collect::<Vec<_>>().join("_")
        }
        Value::Array(items) => items.iter().map(letters).collect::<Vec<_>>().join("x"),
        Value::String(text) => plain(text),
        other => plain(&other.to_string()),
    }
}

/// Letters that a file's name and a shell take as they are.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect()
}
