//! A study: every design of the product of `cells` and `over`, and the commands that are run for each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::axis::{Axis, named};
use super::names::shown;
use super::step::Step;
use crate::cli::sweep_error::SweepError;
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
#[serde(deny_unknown_fields, expecting = "a sweep with `over` or `cells`, `design` and `do`")]
struct SweepFile {
    /// Designs one by one, each with the fields that it sets.
    cells: Option<Value>,
    /// Values of each field that is varied, by its path.
    #[serde(default)]
    over: Map<String, Value>,
    /// Fields that all designs share.
    #[serde(default)]
    design: Map<String, Value>,
    /// Commands with their flags.
    r#do: Vec<String>,
}

/// A design of a study.
#[derive(Debug, Serialize)]
pub struct Cell {
    /// Name of its folder.
    pub name: String,
    /// Text of the value of each field that is varied; none where the cell does not set it.
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
        let axes = Axis::read_all(file.cells.as_ref(), file.over)?;
        let steps = Step::read_all(&file.r#do)?;
        let cells = product(&axes)?;
        check_fields(&axes, &file.design)?;
        let fields = axes.iter().flat_map(Axis::fields).collect();
        let mut study = Self { fields, steps, cells: Vec::new(), colours: CYCLE_COLOURS, schedules: BTreeMap::new() };
        let mut sources = BTreeMap::new();
        for choices in cells {
            let cell = study.cell(&file.design, &choices, path.parent().unwrap_or(Path::new("")), &mut sources)?;
            study.cells.push(cell);
        }
        Ok(study)
    }

    /// Makes the design of one choice of each list; files that it names are relative to a folder.
    fn cell(
        &mut self,
        design: &Map<String, Value>,
        choices: &[&Map<String, Value>],
        folder: &Path,
        sources: &mut BTreeMap<PathBuf, String>,
    ) -> Result<Cell, SweepError> {
        let mut whole = Value::Object(design.clone());
        for (field, value) in choices.iter().copied().flatten() {
            Setting::of_list("over", field, value).set_in(&mut whole);
        }
        let config: Config = serde_json::from_value(whole.clone()).map_err(SweepError::Design)?;
        let config = config.resolved(folder)?;
        self.keep_files(&mut whole, &config, sources)?;
        let parts: Vec<String> = choices.iter().map(|choice| named(choice)).collect();
        let Value::Object(config) = whole else { unreachable!("it was made of a map") };
        let of_field = |field: &String| choices.iter().find_map(|choice| choice.get(field)).map(shown);
        let values = self.fields.iter().map(|field| of_field(field).unwrap_or_default()).collect();
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

/// Checks every field by itself, so that an error names it: those of the design, and each value of a list.
fn check_fields(axes: &[Axis], design: &Map<String, Value>) -> Result<(), SweepError> {
    for (index, axis) in axes.iter().enumerate() {
        // each choice with itself, and with all of the lists before
        for choice in axis.settings() {
            check_overlaps(&choice, &choice)?;
            for before in axes[..index].iter().flat_map(Axis::settings) {
                check_overlaps(&before, &choice)?;
            }
        }
    }
    let mut base = Value::Object(design.clone());
    if !design.contains_key("topology") {
        if !axes.iter().any(Axis::has_network) {
            return Err(SweepError::NoTopology);
        }
        // each network takes the place of this one
        base["topology"] = json!({ "path": 2 });
    }
    serde_json::from_value::<Config>(base.clone()).map_err(SweepError::Design)?;
    for (_, setting) in axes.iter().flat_map(Axis::settings).flatten() {
        let mut whole = base.clone();
        setting.set_in(&mut whole);
        setting.read(whole)?;
    }
    Ok(())
}

/// Checks that no two fields, one of either choice, set the same.
fn check_overlaps(one: &[(String, Setting)], other: &[(String, Setting)]) -> Result<(), SweepError> {
    for (path, setting) in one {
        if let Some((other_path, _)) = other.iter().find(|(other, also)| other != path && also.overlaps(setting)) {
            return Err(SweepError::Overlap { fields: [path.clone(), other_path.clone()] });
        }
    }
    Ok(())
}

/// All combinations of one choice of each list; the last list changes fastest.
fn product(axes: &[Axis]) -> Result<Vec<Vec<&Map<String, Value>>>, SweepError> {
    if axes.is_empty() {
        return Err(SweepError::NoFields);
    }
    let cells = axes.iter().map(|axis| axis.choices().len() as u128).product();
    if cells > MOST_CELLS as u128 {
        return Err(SweepError::TooMany { cells, most: MOST_CELLS });
    }
    let mut begun = vec![Vec::new()];
    for axis in axes {
        let longer = |begun: &Vec<_>| {
            let begun = begun.clone();
            axis.choices().iter().map(move |choice| [&begun[..], &[choice]].concat())
        };
        begun = begun.iter().flat_map(longer).collect();
    }
    Ok(begun)
}
