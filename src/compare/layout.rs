//! A comparison as a table: aligned text, CSV, Markdown, JSON.

use serde_json::{Map, Value, json};

use super::{Comparison, ComparisonColumn, ComparisonRow, Heading, Terms};
use crate::net::{ShapeName, Topology};
use crate::program::Document;

/// Format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableLayout {
    /// Aligned columns, with what they mean.
    Text,
    /// Comma-separated values, exact, one header.
    Csv,
    /// Values by name.
    Json,
    /// A pipe table, with what the columns mean.
    Markdown,
}

/// Lays comparisons out, one table for all.
pub fn render(comparisons: &[Comparison], columns: &[ComparisonColumn], terms: &Terms, layout: TableLayout) -> String {
    let headings: Vec<Heading> = columns.iter().flat_map(|column| column.headings(terms)).collect();
    match layout {
        TableLayout::Text => text(comparisons, columns, &headings),
        TableLayout::Markdown => markdown(comparisons, columns, &headings),
        TableLayout::Csv => csv(comparisons, &headings),
        TableLayout::Json => json(comparisons, &headings),
    }
}

fn switching(row: &ComparisonRow) -> &'static str {
    row.switching.map_or("-", crate::paths::supply::Switching::name)
}

/// Title of the first column, and the function that names a network in it.
fn network(comparisons: &[Comparison]) -> (&'static str, fn(&Topology) -> String) {
    let only_tori = comparisons.iter().all(|comparison| comparison.topology.shape() == Some(ShapeName::Torus));
    if only_tori { ("torus", Topology::to_string) } else { ("network", Topology::describe) }
}

/// The cells with the best of each column marked, the network first.
fn cells(comparisons: &[Comparison], headings: &[Heading]) -> Vec<Vec<String>> {
    let (network, name) = network(comparisons);
    let names = [network, "scheme", "switching"].map(str::to_owned);
    let mut table = vec![names.into_iter().chain(headings.iter().map(|heading| heading.title())).collect()];
    for comparison in comparisons {
        let best: Vec<_> = headings.iter().map(|heading| heading.best(&comparison.rows)).collect();
        for row in &comparison.rows {
            let names = [name(&comparison.topology), row.scheme.to_string(), switching(row).to_owned()];
            let values = headings.iter().zip(&best).map(|(heading, best)| {
                let text = heading.text(row);
                if best.as_ref() == Some(&text) { text + "*" } else { text }
            });
            table.push(names.into_iter().chain(values).collect());
        }
    }
    table
}

/// Number of left-aligned columns, which hold words.
const WORDS: usize = 3;

/// Columns of equal width, the first `words` of them to the left. A mark hangs over the edge, so that digits stand below
/// digits.
pub(super) fn aligned(cells: &[Vec<String>], words: usize) -> Vec<String> {
    let width = |column: usize| cells.iter().map(|row| row[column].trim_end_matches('*').len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..cells[0].len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let padded = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            let (bare, mark) = cell.strip_suffix('*').map_or((cell.as_str(), ' '), |bare| (bare, '*'));
            if column < words { format!("{bare:<width$}{mark}") } else { format!("{bare:>width$}{mark}") }
        });
        padded.collect::<Vec<_>>().join(" ").trim_end().to_owned()
    };
    cells.iter().map(line).collect()
}

/// A pipe table with the first `words` columns to the left; marked cells are bold.
pub(super) fn pipes(cells: &[Vec<String>], words: usize) -> Vec<String> {
    let bold = |cell: &String| cell.strip_suffix('*').map_or(cell.clone(), |bare| format!("**{bare}**"));
    let line = |row: &Vec<String>| format!("| {} |", row.iter().map(bold).collect::<Vec<_>>().join(" | "));
    let mut lines: Vec<String> = cells.iter().map(line).collect();
    let rules = (0..cells[0].len()).map(|column| if column < words { "---" } else { "--:" });
    lines.insert(1, format!("|{}|", rules.collect::<Vec<_>>().join("|")));
    lines
}

/// Title and meaning of each column, and of the mark.
fn legend(columns: &[ComparisonColumn], headings: &[Heading]) -> Vec<(String, &'static str)> {
    let title = |column: &ComparisonColumn| {
        let heading = headings.iter().find(|heading| heading.column == *column)?;
        let title = if *column == ComparisonColumn::Time { "r=...".to_owned() } else { heading.title() };
        Some((title, column.meaning()))
    };
    columns.iter().filter_map(title).collect()
}

fn refusals(comparisons: &[Comparison]) -> impl Iterator<Item = String> + '_ {
    let all = comparisons.iter().flat_map(|comparison| &comparison.refused);
    all.map(|refusal| format!("not compared: {}", refusal.why))
}

fn text(comparisons: &[Comparison], columns: &[ComparisonColumn], headings: &[Heading]) -> String {
    let mut lines = aligned(&cells(comparisons, headings), WORDS);
    lines.push(String::new());
    lines.push(format!("  {:<11} the best of its column", "*"));
    lines.extend(legend(columns, headings).iter().map(|(title, meaning)| format!("  {title:<11} {meaning}")));
    lines.extend(refusals(comparisons));
    lines.join("\n") + "\n"
}

fn markdown(comparisons: &[Comparison], columns: &[ComparisonColumn], headings: &[Heading]) -> String {
    let mut lines = pipes(&cells(comparisons, headings), WORDS);
    lines.push(String::new());
    lines.push("- **bold**: the best of its column".into());
    lines.extend(legend(columns, headings).iter().map(|(title, meaning)| format!("- `{title}`: {meaning}")));
    lines.extend(refusals(comparisons).map(|refusal| format!("- {refusal}")));
    lines.join("\n") + "\n"
}

fn csv(comparisons: &[Comparison], headings: &[Heading]) -> String {
    let keys: Vec<String> = headings.iter().map(|heading| heading.key()).collect();
    let (network, name) = network(comparisons);
    let mut lines = vec![format!("{network},scheme,switching,{}", keys.join(","))];
    for comparison in comparisons {
        for row in &comparison.rows {
            let values = headings
                .iter()
                .map(|heading| heading.value(row).map_or(String::new(), |value| rounded(value).to_string()));
            let switching = row.switching.map_or("", crate::paths::supply::Switching::name);
            let values: Vec<String> = values.collect();
            lines.push(format!("{},{},{switching},{}", name(&comparison.topology), row.scheme, values.join(",")));
        }
    }
    lines.join("\n") + "\n"
}

fn json(comparisons: &[Comparison], headings: &[Heading]) -> String {
    let row = |row: &ComparisonRow| {
        let mut values = Map::new();
        values.insert("scheme".into(), json!(row.scheme));
        values.insert("switching".into(), json!(row.switching));
        for heading in headings {
            values.insert(heading.key(), heading.value(row).map_or(Value::Null, number));
        }
        Value::Object(values)
    };
    let comparison = |comparison: &Comparison| {
        let refused = comparison
            .refused
            .iter()
            .map(|refusal| json!({ "scheme": refusal.scheme, "switching": refusal.switching, "why": refusal.why }));
        json!({
            "topology": &comparison.topology,
            "rows": comparison.rows.iter().map(row).collect::<Vec<_>>(),
            "not_compared": refused.collect::<Vec<_>>(),
        })
    };
    let networks: Vec<Value> = comparisons.iter().map(comparison).collect();
    document("compare", &json!({ "networks": networks }))
}

/// A JSON document of this name, indented.
pub(super) fn document(name: &str, fields: &Value) -> String {
    format!("{:#}\n", json!(Document::new(name, fields)))
}

/// Whole numbers without a fraction.
fn number(value: f64) -> Value {
    let value = rounded(value);
    #[expect(clippy::cast_sign_loss, reason = "only whole numbers that are not negative")]
    if value.fract() == 0.0 && value >= 0.0 { json!(value as u64) } else { json!(value) }
}

/// To a millionth, so that 46.8 is not 46.800000000000004.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
