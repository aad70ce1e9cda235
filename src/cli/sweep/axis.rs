//! `cells` and `over` of a sweep: lists of choices, of which a design takes one each.

use serde_json::{Map, Value};

use super::names::{letters, part};
use crate::cli::sweep_error::SweepError;
use crate::cli::yaml::flow;
use crate::design::config::Setting;

/// Field that names a design, and the folder of its cell.
const NAME: &str = "name";

/// Fields that are set together, by their paths.
type CellFields = Map<String, Value>;

/// A list of which every design takes one choice.
pub struct Axis {
    choices: Vec<CellFields>,
    /// The list of each choice, for messages: `over`, or `cells.2`.
    lists: Vec<String>,
}

impl Axis {
    /// Reads `cells`, and then each field of `over`.
    pub fn read_all(cells: Option<&Value>, over: Map<String, Value>) -> Result<Vec<Self>, SweepError> {
        let cells = cells.map(Self::of_cells).into_iter();
        cells.chain(over.into_iter().map(Self::of_field)).collect()
    }

    /// Reads designs that are listed one by one.
    fn of_cells(cells: &Value) -> Result<Self, SweepError> {
        let Some(cells) = cells.as_array().filter(|cells| !cells.is_empty()) else { return Err(SweepError::NotCells) };
        let mut choices: Vec<CellFields> = Vec::new();
        for (index, cell) in cells.iter().enumerate() {
            let Some(choice) = cell.as_object().filter(|choice| !choice.is_empty()) else {
                return Err(SweepError::NotACell { index, value: text(cell) });
            };
            if let Some(before) = choices.iter().position(|before| before == choice) {
                return Err(SweepError::CellTwice { index, before });
            }
            let name = choice.get(NAME);
            if name.is_some() && choices.iter().any(|before| before.get(NAME) == name) {
                return Err(SweepError::NameTwice { name: name.map(text).unwrap_or_default() });
            }
            choices.push(choice.clone());
        }
        let lists = (0..choices.len()).map(|index| format!("cells.{index}")).collect();
        Ok(Self { choices, lists })
    }

    /// Reads a field that is varied.
    fn of_field((field, values): (String, Value)) -> Result<Self, SweepError> {
        let Value::Array(values) = values else {
            return Err(SweepError::NotAList { field, value: text(&values) });
        };
        if values.is_empty() {
            return Err(SweepError::NotAList { field, value: "[]".into() });
        }
        let mut earlier = values.iter().enumerate();
        if let Some((_, value)) = earlier.find(|(index, value)| values[..*index].contains(value)) {
            return Err(SweepError::Twice { value: flow(value), field });
        }
        let lists = vec!["over".into(); values.len()];
        let choices = values.into_iter().map(|value| CellFields::from_iter([(field.clone(), value)])).collect();
        Ok(Self { choices, lists })
    }

    /// Choices of the list.
    pub fn choices(&self) -> &[CellFields] {
        &self.choices
    }

    /// Fields that any choice sets, in the order of the file; the name of a cell is the last.
    pub fn fields(&self) -> Vec<String> {
        let mut fields: Vec<String> = Vec::new();
        for field in self.choices.iter().flat_map(Map::keys) {
            if !fields.contains(field) {
                fields.push(field.clone());
            }
        }
        fields.sort_by_key(|field| field == NAME);
        fields
    }

    /// True if every design gets its network from this list.
    pub fn has_network(&self) -> bool {
        let is_network = |field: &String| field.split('.').next() == Some("topology");
        self.choices.iter().all(|choice| choice.keys().any(is_network))
    }

    /// Settings of each choice, with the path of each for messages.
    pub fn settings(&self) -> impl Iterator<Item = Vec<(String, Setting)>> {
        self.choices.iter().zip(&self.lists).map(|(choice, list)| {
            let named =
                |(field, value): (&String, &Value)| (format!("{list}.{field}"), Setting::of_list(list, field, value));
            choice.iter().map(named).collect()
        })
    }
}

/// Part of a cell's name for one choice: its name, if it has one, or the values of its fields.
pub fn named(choice: &CellFields) -> String {
    match choice.get(NAME) {
        Some(name) => letters(name),
        None => choice.iter().map(|(field, value)| part(field, value)).collect::<Vec<_>>().join("-"),
    }
}

/// Text of a value that is not what it must be; of nothing, none.
fn text(value: &Value) -> String {
    if value.is_null() { String::new() } else { flow(value) }
}
