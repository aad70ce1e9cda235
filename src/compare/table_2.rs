//! The paper's Table 2, recomputed beside the printed values.

use serde::Serialize;
use serde_json::json;

use super::TableLayout;
use super::layout::{aligned, document, pipes};
use crate::study::bounds::cost::{CostCell, Fractions, TABLE_2};

/// The algorithms of the table, in its order.
const ALGORITHMS: [&str; 3] = ["[14]", "section 3", "section 4"];

/// One entry of the table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TableEntry {
    /// Side of the torus.
    pub n: u32,
    /// The number of axes.
    pub d: u32,
    /// The normalized start-up time.
    pub r: f64,
    /// Name of the algorithm.
    pub algorithm: &'static str,
    /// Value as printed.
    pub printed: u32,
    /// Value by the paper's formulas.
    pub exact: u32,
}

impl TableEntry {
    /// Returns true if the paper errs.
    pub fn errs(&self) -> bool {
        self.printed != self.exact
    }
}

/// The entries, row by row.
pub fn entries() -> Vec<TableEntry> {
    let entries = |cell: &CostCell| {
        let CostCell { n, d, r, printed } = *cell;
        let exact = cell.computed(Fractions::Exact);
        [0, 1, 2].map(|i| TableEntry { n, d, r, algorithm: ALGORITHMS[i], printed: printed[i], exact: exact[i] })
    };
    TABLE_2.iter().flat_map(entries).collect()
}

/// A row: the side, the axes, the start-up time, and for each algorithm what is printed and what is right.
fn rows() -> Vec<Vec<String>> {
    let head = ["n", "d", "r"].map(str::to_owned).into_iter();
    let mut rows = vec![head.chain(ALGORITHMS.map(str::to_owned)).collect::<Vec<_>>()];
    for row in entries().chunks(ALGORITHMS.len()) {
        let first = row[0];
        let cells = row.iter().map(|entry| {
            let TableEntry { printed, exact, .. } = entry;
            if entry.errs() { format!("{exact} not {printed}") } else { exact.to_string() }
        });
        let names = [first.n.to_string(), first.d.to_string(), first.r.to_string()];
        rows.push(names.into_iter().chain(cells).collect());
    }
    rows
}

/// Explains the pattern in the entries that err.
fn errata() -> Vec<String> {
    let entries = entries();
    let wrong: Vec<&TableEntry> = entries.iter().filter(|entry| entry.errs()).collect();
    let mut lines =
        vec![format!("{} of {} entries are not what the paper's formulas give:", wrong.len(), entries.len())];
    lines.extend(wrong.iter().map(|entry| {
        let TableEntry { n, d, r, algorithm, printed, exact } = entry;
        format!("n = {n}, d = {d}, r = {r}, {algorithm}: printed {printed}, exact {exact}")
    }));
    // the test table_2_was_computed_with_rounded_fractions holds this
    lines.push("With .333 for 1/3 and .1666 for 1/6 all entries come out as printed.".into());
    lines
}

/// The whole table.
pub fn render(layout: TableLayout) -> String {
    let lines = match layout {
        TableLayout::Json => return document("table-2", &json!({ "entries": entries() })),
        TableLayout::Csv => {
            std::iter::once("n,d,r,algorithm,printed,exact".to_owned()).chain(entries().iter().map(csv)).collect()
        }
        TableLayout::Text => [aligned(&rows(), 0), vec![String::new()], errata()].concat(),
        TableLayout::Markdown => {
            let [headline, listed @ .., cause] = &errata()[..] else { unreachable!("errata have a head and a cause") };
            let listed = listed.iter().map(|line| format!("- {line}"));
            let blank = String::new;
            let errata = [headline.clone(), blank()].into_iter().chain(listed).chain([blank(), cause.clone()]);
            pipes(&rows(), 0).into_iter().chain([blank()]).chain(errata).collect()
        }
    };
    lines.join("\n") + "\n"
}

fn csv(entry: &TableEntry) -> String {
    let TableEntry { n, d, r, algorithm, printed, exact } = entry;
    format!("{n},{d},{r},{algorithm},{printed},{exact}")
}
