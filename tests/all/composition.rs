//! Collectives that are short forms or transforms, on every kind of network, in every way of use: each is accepted and right, or
//! refused by a row of the limits.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::fixtures::command::{Place, project};
use crate::fixtures::ranges::{quick_or_full, sampled};
use crate::fixtures::tools::has;

const NETWORKS: [&str; 10] = [
    "torus: [4, 4]",
    "torus: [3, 2, 3]",
    "mesh: [4, 4]",
    "mesh: [3, 5]",
    "cycle: 7",
    "path: 5",
    "torus: [4, 3], open: [x2]",
    "lattice: [[4, 2], [0, 4]]",
    "torus: [4, 4], dead: { links: [\"0,1 x2+\"] }",
    "torus: [4, 4], dead: { nodes: [\"1,1\"] }",
];
const COLLECTIVES: [&str; 5] = [
    "collective: reduce, operation: sum",
    "collective: all-reduce, operation: sum, count: 1",
    "collective: all-reduce, operation: max, count: 5",
    "collective: halo, count: 2",
    "scheme: mine.json",
];
const WAYS: [&str; 9] = [
    "",
    "link: { flits: 4 }",
    "link: { latency: 4 }",
    "local: { order: origin }",
    "host: chain",
    "host: { bus: streams }",
    "link: { elastic: true }",
    "link: { elastic: true, checksum: crc8 }, local: { order: origin }",
    "bist: true",
];

/// Config of a collective on a network, used in a way; beside it, the program of a gossip as a schedule of one's own.
fn placed(network: &str, collective: &str, way: &str) -> Place {
    let place = Place::new();
    if collective.contains("mine.json") {
        place.write("gossip.yaml", format!("{{ topology: {{ {network} }} }}"));
        let json = place.run("program gossip.yaml --format json").stdout;
        place.write("mine.json", json);
    }
    let way = if way.is_empty() { String::new() } else { format!(", {way}") };
    place.write("d.yaml", format!("{{ name: x, topology: {{ {network} }}, {collective}{way} }}"));
    place
}

fn all() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let pairs = NETWORKS.into_iter().flat_map(|network| COLLECTIVES.map(|collective| (network, collective)));
    pairs.flat_map(|(network, collective)| WAYS.map(|way| (network, collective, way)))
}

/// Fields that rows of docs/limits.md are about.
fn limited() -> Vec<String> {
    let page = fs::read_to_string(project().join("docs/limits.md")).unwrap();
    let cells = page
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" |"))
        .map(|(cell, _)| cell.replace('`', ""));
    cells.flat_map(|cell| cell.split(", ").map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn each_is_right_or_refused_by_a_row_of_the_limits() {
    let limited = limited();
    let mut accepted: BTreeMap<&str, u32> = BTreeMap::new();
    for (network, collective, way) in all() {
        let what = format!("{network}, {collective}, {way}");
        let ended = placed(network, collective, way).run("check d.yaml");
        match ended.code {
            0 => {
                assert!(ended.stdout.contains(", correct\n"), "{what}: {}", ended.stdout);
                *accepted.entry(way).or_default() += 1;
            }
            2 => {
                assert!(ended.stderr.contains("\nhelp: "), "{what}: {}", ended.stderr);
                let problem = ended.stderr.lines().next().unwrap();
                let field = problem.trim_start_matches("error: ").split(": ").next().unwrap();
                let field = field.trim_start_matches("programs[0].");
                assert!(limited.iter().any(|one| one == field), "{what}: {field}: {problem}");
            }
            _ => panic!("{what}: {}{}", ended.stdout, ended.stderr),
        }
    }
    let accepted: Vec<u32> = WAYS.iter().map(|way| accepted[way]).collect();
    assert_eq!(
        accepted,
        [50, 10, 40, 50, 50, 50, 50, 50, 50],
        "of 50 each: lengths follow from `count`, and a file says its own"
    );
}

/// Cell of a table: ticks of what `auto` takes, and the bound where they are more.
fn ticks(network: &str, collective: &str) -> String {
    let ended = placed(network, collective, "").run("check d.yaml --format json");
    let told: Value = serde_json::from_str(&ended.stdout).unwrap();
    let (ticks, bound) = (told["ticks"].as_u64().unwrap(), told["bound"].as_u64().unwrap());
    assert!(ticks >= bound, "{network}, {collective}");
    let scheme = told["scheme"].as_str().unwrap();
    if ticks == bound { format!("{ticks} {scheme}") } else { format!("{ticks} {scheme}, bound {bound}") }
}

/// `INSTA_UPDATE=always` writes the page.
#[test]
fn the_page_has_ticks_and_bounds_of_each() {
    let mut page = "# Reduce, short vectors and halos on ten networks\n\nMade by `INSTA_UPDATE=always cargo test --test all -- \
                    composition::`. Ticks of what `auto` takes, of packets of one flit; with the lower bound where they are \
                    more.\n\n"
        .to_owned();
    let forms = &COLLECTIVES[..4];
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let named = forms.iter().map(|form| form.trim_start_matches("collective: ").to_owned());
    page += &row(["network".to_owned()].into_iter().chain(named).collect());
    page += &format!("|{}\n", "---|".repeat(1 + forms.len()));
    for network in NETWORKS {
        let cells = forms.iter().map(|form| ticks(network, form));
        page += &row([format!("`{network}`")].into_iter().chain(cells).collect());
    }
    let path = project().join("docs/tables/short-forms.md");
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        fs::write(&path, &page).unwrap();
    }
    assert!(fs::read_to_string(path).unwrap() == page, "docs/tables/short-forms.md is out of date");
}

#[test]
fn accepted_ones_pass_their_benches() {
    if !has("iverilog") {
        return;
    }
    let mut passed = 0;
    for (network, collective, way) in sampled(all(), 101) {
        let place = placed(network, collective, way);
        if place.run("check d.yaml").code != 0 {
            continue;
        }
        let ended = place.run("simulate d.yaml --engine icarus");
        let what = format!("{network}, {collective}, {way}");
        assert!(ended.code == 0 && ended.stdout.contains("PASS "), "{what}: {}{}", ended.stdout, ended.stderr);
        passed += 1;
    }
    assert!(passed > quick_or_full(2, 20), "{passed}");
}
