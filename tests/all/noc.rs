//! The networks beside which `benches/noc` measures fabrics: they deliver every word once, and the bench finds faults in them.

use std::fs;

use crate::fixtures::command::project;
use crate::fixtures::designs::Folder;
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{call, has};

/// Networks with the name that the bench knows them by.
const NETWORKS: [(&str, &str); 4] = [
    ("deflection", "deflection_torus"),
    ("buffered", "buffered_torus"),
    ("buffered", "forking_torus"),
    ("buffered", "adding_torus"),
];

type Ways = &'static [(&'static str, &'static [&'static str], u32)];

/// Each collective with the ways to do it, and the number of words that nodes receive on a 4x4 torus.
const WAYS: Ways = &[
    ("all-gather", &["direct", "rows"], 240),
    ("all-to-all", &["direct", "planned"], 240),
    ("broadcast", &["direct", "rows", "tree"], 15),
    ("reduce", &["direct", "rows", "tree"], 15),
    ("all-reduce", &["direct", "rows"], 480),
];

/// Ways of routers that copy.
const FORKING_WAYS: Ways = &[
    ("all-gather", &["rows", "forks"], 240),
    ("broadcast", &["rows", "forks"], 15),
    ("all-reduce", &["rows", "forks"], 480),
];

/// Ways of routers that add: nodes receive sums, not summands.
const ADDING_WAYS: Ways = &[("reduce", &["adds"], 1), ("all-reduce", &["adds", "scattered"], 256)];

/// Copies the files into a folder, edits the network's, and builds the bench of a 4x4 torus with Icarus.
fn built(network: (&str, &str), copies: u32, edit: impl Fn(String) -> String) -> Folder {
    let folder = Folder::empty();
    for file in ["deflection.v", "buffered.v", "bench.v"] {
        let text = fs::read_to_string(project().join("benches/noc").join(file)).unwrap();
        let is_edited = file == format!("{}.v", network.0);
        fs::write(folder.path().join(file), if is_edited { edit(text) } else { text }).unwrap();
    }
    let define = format!("-DNETWORK={}_torus", network.0);
    let copies = format!("-Pbench.COPIES={copies}");
    let mut arguments = vec!["-g2005", "-Wall", &define, &copies, "-s", "bench", "-o", "sim"];
    if network.1 != "deflection_torus" {
        arguments.push("-DBOTH_WAYS");
    }
    if ["forking_torus", "adding_torus"].contains(&network.1) {
        arguments.push("-DFORKS");
    }
    if network.1 == "adding_torus" {
        arguments.push("-DADDS");
    }
    arguments.extend(["deflection.v", "buffered.v", "bench.v"]);
    let (built, said) = call(&folder, "iverilog", &arguments);
    assert!(built && said.is_empty(), "{said}");
    folder
}

/// The last verdict of the bench: `PASS clocks words` or `FAIL ...`.
fn verdict(folder: &Folder, collective: &str, way: &str) -> String {
    verdict_of_plan(folder, collective, way, 1)
}

/// Verdict on one of the plans.
fn verdict_of_plan(folder: &Folder, collective: &str, way: &str, seed: u32) -> String {
    let flags = [format!("+collective={collective}"), format!("+way={way}"), format!("+seed={seed}")];
    let (_, printed) = call(folder, "vvp", &["-n", "sim", &flags[0], &flags[1], &flags[2]]);
    let last = printed.lines().rfind(|line| line.starts_with("PASS") || line.starts_with("FAIL"));
    last.unwrap_or_else(|| panic!("no verdict: {printed}")).to_owned()
}

#[test]
fn networks_that_decide_deliver_every_word_once() {
    if !has("iverilog") {
        return;
    }
    let page = fs::read_to_string(project().join("docs/tables/noc.md")).unwrap();
    // as many side by side as the page has, with the words of its rows
    let rows = [
        (NETWORKS[0], 1, "deflection torus, "),
        (NETWORKS[0], 2, "deflection torus, two side by side, "),
        (NETWORKS[1], 1, "buffered torus, "),
        (NETWORKS[1], 4, "buffered torus, four side by side, "),
        (NETWORKS[2], 1, "buffered torus that forks, "),
        (NETWORKS[2], 4, "buffered torus that forks, four side by side, "),
        (NETWORKS[3], 1, "buffered torus that adds, "),
        (NETWORKS[3], 4, "buffered torus that adds, four side by side, "),
    ];
    // in a quick run two that stand alone
    for (network, copies, name) in sampled(rows, 4) {
        let folder = built(network, copies, |text| text);
        let all_ways = match network.1 {
            "forking_torus" => FORKING_WAYS,
            "adding_torus" => ADDING_WAYS,
            _ => WAYS,
        };
        for &(collective, ways, words) in all_ways {
            let fastest = ways.iter().map(|&way| {
                // the plans of the buffered torus are random
                let seeds = if way == "planned" && network == NETWORKS[1] { 4 } else { 1 };
                let clocks = (1..=seeds).map(|seed| {
                    let verdict = verdict_of_plan(&folder, collective, way, seed);
                    let figures: Vec<&str> = verdict.split(' ').collect();
                    assert_eq!(figures[0], "PASS", "{name} {collective} {way}: {verdict}");
                    assert_eq!(figures[2], words.to_string(), "{name} {collective} {way}: {verdict}");
                    figures[1].parse::<u32>().unwrap()
                });
                (clocks.min().unwrap(), way)
            });
            let (clocks, way) = fastest.min().unwrap();
            let row = format!("| {collective} | {name}{way} | {copies} | {clocks} | ");
            assert!(page.contains(&row), "docs/tables/noc.md is out of date: it has no row {row}");
        }
    }
}

/// Faults of a router: the text that is replaced, and its replacement.
const FAULTS: [(usize, &str, &str); 21] = [
    (0, "east <= west_east ? west : inject;", "east <= west_valid ? west : inject;"),
    (0, "(west[A-1:0] == COLUMN) & ~north_valid", "(west[A-1:0] == COLUMN)"),
    (
        0,
        "south_valid <= ~rst & (north_valid | west_south | inject_south) & ~leaves;",
        "south_valid <= ~rst & (north_valid | west_south | inject_south);",
    ),
    (0, "inject_east = inject_valid & ~is_column & ~west_east", "inject_east = inject_valid & ~is_column"),
    (1, "credits + {{LOG - 1{1'b0}}, credit} -", "credits -"),
    (1, "i != 3 && dx != 0", "i != 3 && dx > 1"),
    (1, "north_grant[2] ? {from_east[B-1:2*A]", "north_grant[2] ? {from_west[B-1:2*A]"),
    (1, "{eject_grant[2], south_grant[0], 3'b000}", "{1'b0, south_grant[0], 3'b000}"),
    (1, "memory[tail] <= in;", "memory[tail] <= {in[B-1:12], in[B-1], in[10:0]};"),
    (2, "served[i*5+:5] | grants[i*5+:5] &", "grants[i*5+:5] &"),
    (2, "valid[i] & ~is_sum & (want[i*5+:5] & ~grants[i*5+:5]) == 0;", "grants[i*5+:5] != 0;"),
    (2, "LAST_SOUTH = Y + ROWS / 2;", "LAST_SOUTH = Y + ROWS / 2 - 1;"),
    (2, "is_all[1] ? LAST_NORTH : from_east[A+:A]", "from_east[A+:A]"),
    (3, "(north + south) + (along_row + other)", "(north + south) + along_row"),
    (3, "south = heads[3*B+2*A+T+:W] & {W{chosen[3]}};", "south = heads[3*B+2*A+T+:W];"),
    (3, "is_root | is_summand[4] & (children & ~like_own) == 0;", "is_root | is_summand[4];"),
    (3, "sum_want[4] ? is_sum_ejected : ~is_sum_first | grants[4*5+:5] != 0;", "1'b1;"),
    (3, "heads[i*B+:2*A] == inject[0+:2*A];", "1'b1;"),
    (3, "dy < HALF_ROWS - 1, dy == 0 &", "dy < HALF_ROWS, dy == 0 &"),
    (3, "!(i == 4 && is_sum_first) && FORKS", "FORKS"),
    (3, "valid[i] & ~is_sum & (want", "valid[i] & (want"),
];

/// A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn faults_of_routers_are_found_by_the_bench() {
    if !has("iverilog") {
        return;
    }
    for (network, right, wrong) in sampled(FAULTS, 4) {
        let folder = built(NETWORKS[network], 1, |text| {
            assert_eq!(text.matches(right).count(), 1, "{right}");
            text.replace(right, wrong)
        });
        let ways: &[(&str, &str)] = match NETWORKS[network].1 {
            "forking_torus" => &[("all-gather", "forks")],
            // with several roots sums meet other words, with one they wait for room
            "adding_torus" => &[("all-reduce", "scattered"), ("all-reduce", "adds")],
            _ => &[("all-to-all", "direct")],
        };
        let verdicts: Vec<String> = ways.iter().map(|(collective, way)| verdict(&folder, collective, way)).collect();
        assert!(verdicts.iter().any(|verdict| verdict.starts_with("FAIL")), "{wrong}: {verdicts:?}");
    }
}
