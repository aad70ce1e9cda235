//! Comparisons as people see them.

use serde_json::Value;
use torusweave::compare::{self, Column, Comparison, Layout, Terms};
use torusweave::net::Torus;

use crate::fixtures::command::Place;

fn rendered(tori: &[&[u32]], columns: &[Column], layout: Layout) -> String {
    let terms = Terms::default();
    let comparisons: Vec<_> = tori.iter().map(|dims| Comparison::new(&Torus::new(dims).unwrap(), &terms)).collect();
    compare::render(&comparisons, columns, &terms, layout)
}

#[test]
fn every_scheme_on_8x6() {
    insta::assert_snapshot!(rendered(&[&[8, 6]], &Column::USUAL, Layout::Text));
}

#[test]
fn every_scheme_in_space() {
    insta::assert_snapshot!(rendered(&[&[6, 6, 6]], &Column::USUAL, Layout::Text));
}

#[test]
fn layouts_of_chosen_columns() {
    let columns = [Column::Packets, Column::Steps, Column::Time, Column::TableBits];
    for layout in [Layout::Csv, Layout::Json, Layout::Markdown] {
        insta::assert_snapshot!(format!("chosen_{layout:?}"), rendered(&[&[6, 7], &[3, 3, 3]], &columns, layout));
    }
}

#[test]
fn table_2_of_the_paper() {
    insta::assert_snapshot!(compare::render_table_2(Layout::Text));
}

#[test]
fn table_2_errs_in_14_entries_all_of_them_in_space() {
    let entries = compare::table_2_entries();
    let wrong: Vec<_> = entries.iter().filter(|entry| entry.errs()).collect();
    assert_eq!((wrong.len(), entries.len()), (14, 54));
    assert!(wrong.iter().all(|entry| entry.d == 3 && entry.n > 4));
}

/// Figures that were not counted or take too long are shown as unknown, not as zero.
#[test]
fn unknown_figures_are_not_numbers() {
    let place = Place::new();
    let seen = |line: &str| {
        let surveys: Value = serde_json::from_str(&place.run(line).stdout).unwrap();
        surveys["surveys"][0]["rows"][0]["sends"].clone()
    };
    assert_eq!(seen("compare --torus 4x4 --collective scatter --flits 1 --format json"), 4);
    assert_eq!(seen("compare --torus 104x104 --collective scatter --flits 1 --format json"), Value::Null);
    let ended = place.run("compare --mesh 39x39x39 --collective gather --flits 1,65536 --format csv");
    let rows: Vec<&str> = ended.stdout.lines().skip(1).collect();
    assert!(rows.len() > 1 && rows.iter().all(|row| row.contains(",1,")), "{rows:?}");
}
