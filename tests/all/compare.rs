//! Comparisons as people see them.

use serde_json::Value;
use torusweave::compare::{self, Comparison, ComparisonColumn, TableLayout, Terms};
use torusweave::net::Torus;

use crate::fixtures::command::Place;

fn rendered(tori: &[&[u32]], columns: &[ComparisonColumn], layout: TableLayout) -> String {
    let terms = Terms::default();
    let comparisons: Vec<_> = tori.iter().map(|dims| Comparison::new(&Torus::new(dims).unwrap(), &terms)).collect();
    compare::render(&comparisons, columns, &terms, layout)
}

#[test]
fn every_scheme_on_8x6() {
    insta::assert_snapshot!(rendered(&[&[8, 6]], &ComparisonColumn::USUAL, TableLayout::Text));
}

#[test]
fn every_scheme_in_space() {
    insta::assert_snapshot!(rendered(&[&[6, 6, 6]], &ComparisonColumn::USUAL, TableLayout::Text));
}

#[test]
fn layouts_of_chosen_columns() {
    let columns =
        [ComparisonColumn::Packets, ComparisonColumn::Steps, ComparisonColumn::Time, ComparisonColumn::TableBits];
    for layout in [TableLayout::Csv, TableLayout::Json, TableLayout::Markdown] {
        insta::assert_snapshot!(format!("chosen_{layout:?}"), rendered(&[&[6, 7], &[3, 3, 3]], &columns, layout));
    }
}

#[test]
fn table_2_of_the_paper() {
    insta::assert_snapshot!(compare::render_table_2(TableLayout::Text));
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

#[test]
fn collectives_have_the_names_of_other_libraries_here_too() {
    let place = Place::new();
    let table = |flags: &str| {
        let ended = place.run(&format!("compare --torus 4x4 {flags}"));
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{flags}");
        ended.stdout
    };
    assert_eq!(table("--collective all-gather"), table(""));
    assert_eq!(table("--collective all-to-all --flits 1"), table("--collective exchange --flits 1"));
    let of_nothing = [
        ("--collective gossip --root 1,1", "--root: not supported with gossip"),
        ("--collective allreduce --root 1,1", "--root: not supported with all-reduce"),
        ("--collective allgather --flits 2", "--flits: not supported with gossip"),
    ];
    for (flags, problem) in of_nothing {
        let ended = place.run(&format!("compare --torus 4x4 {flags}"));
        let is_refused = ended.code == 2 && ended.stderr.contains(problem) && ended.stderr.contains("help: ");
        assert!(is_refused && ended.stdout.is_empty(), "{flags}: {}", ended.stderr);
    }
}
