//! docs/tables/synthesisers.md: every figure of ours has its bound, small rows are what is built today, published ones have a source.

use torusweave::design::Design;
use torusweave::study::bounds;

use crate::farm::config;
use crate::pages::read;

fn rows(heading: &str) -> Vec<Vec<String>> {
    let page = read("docs/tables/synthesisers.md");
    let (_, rest) = page.split_once(heading).unwrap();
    let table = rest.split("\n\n").find(|part| part.trim_start().starts_with("| ")).unwrap().trim();
    let cells = |line: &str| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
    table.lines().skip(2).map(cells).collect()
}

#[test]
fn every_schedule_of_the_page_has_its_bound_and_small_ones_are_built_anew() {
    let all = rows("# Beside schedule synthesisers");
    assert_eq!(all.len(), 9 * 3 * 4);
    let (mut bounded, mut built) = (0, 0);
    for row in &all {
        let (Ok(steps), Ok(bound)) = (row[4].parse::<u64>(), row[5].parse::<u64>()) else {
            assert!(row[3].starts_with("refused: ") || row[3].starts_with("none within "), "{row:?}");
            continue;
        };
        bounded += 1;
        assert!(steps >= bound && !row[6].is_empty(), "{row:?}");
        assert_eq!(row[7], format!("{:.3}", steps as f64 / bound as f64), "{row:?}");
        let network = match row[0].as_str() {
            "8x8" => "torus: [8, 8]",
            "4x4x4" => "torus: [4, 4, 4]",
            _ => continue,
        };
        let is_cube = row[0] == "4x4x4";
        let dead = match (row[1].as_str(), is_cube) {
            ("healthy", _) => "",
            ("a dead link", true) => ", dead: { links: [\"0,0,0 x1+\"] }",
            ("a dead link", false) => ", dead: { links: [\"0,0 x1+\"] }",
            (_, true) => ", dead: { nodes: [\"1,1,1\"] }",
            (_, false) => ", dead: { nodes: [\"1,1\"] }",
        };
        let collective: &[&str] = match row[2].as_str() {
            "all-gather" => &["collective=gossip"],
            "all-to-all" => &["collective=exchange"],
            "all-reduce" => &["collective=all-reduce", "operation=sum"],
            _ => &["collective=reduce-scatter", "operation=sum"],
        };
        // the search of routes takes seconds where a node is dead
        if row[2] == "all-to-all" && row[1] != "healthy" {
            continue;
        }
        let design = Design::new(config(&format!("{network}{dead}"), &[collective])).unwrap();
        let program = &design.program;
        let least = bounds::of(program);
        let shown = [steps, bound, u64::from(program.ticks / program.flits), least.ticks];
        assert_eq!(shown[..2], shown[2..], "docs/tables/synthesisers.md is out of date: {row:?}");
        assert_eq!(row[6], least.due_to.to_string(), "{row:?}");
        built += 1;
    }
    println!("{bounded} of {} rows have a schedule, {built} built anew", all.len());
    assert!(bounded > 60 && built == 2 * 10, "{bounded} {built}");
}

#[test]
fn published_figures_have_a_source_and_a_year() {
    let published = rows("## Published figures of others");
    let known = ["TACOS", "PCCL", "ForestColl", "TE-CCL", "SyCCL", "TONS"];
    assert!(known.iter().all(|name| published.iter().any(|row| row[0] == *name)));
    for row in &published {
        let words = row[3].split([' ', ',']);
        let has_year = words.filter_map(|word| word.parse::<u32>().ok()).any(|year| (2020..2030).contains(&year));
        assert!(row.len() == 4 && has_year, "{row:?}");
    }
}
