//! Every JSON document that a command prints: its fields are those of docs/json.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;
use torusweave::check::{PacketLabel, Violation};

use crate::fixtures::command::{Place, project};
use crate::fixtures::tools::has;

/// Commands that print every field of every format together; the first word is a tool that is needed.
const LINES: [(&str, &str); 50] = [
    ("", "check --torus 3x3 --scheme auto --device hx8k"),
    ("", "check --torus 8x8 --collective scatter"),
    ("", "check --torus 4x4 --collective broadcast --scheme worm"),
    ("", "check --torus 5x4 --scheme optimal"),
    ("", "check --path 5 --scheme lau-zhang --duplex half --structural"),
    ("", "check --torus 4x6 --packets 1"),
    ("", "check --torus 4x4 --groups x2"),
    ("", "check a.yaml b.yaml"),
    ("", "check list.yaml --program 0"),
    ("", "generate list.yaml --out listed"),
    ("", "simulate list.yaml --program 0"),
    ("verilator", "simulate list.yaml --engine verilator --calls 2"),
    ("", "simulate --torus 3x4"),
    ("iverilog", "simulate --torus 3x4 --engine icarus"),
    ("verilator", "simulate --torus 3x4 --engine verilator --by class"),
    (
        "",
        "explain --torus 4x6 --scheme zigzag --switching memory --collective all-reduce --operation sum --node 2,4 --tick 5",
    ),
    ("", "explain --torus 8x6 --scheme zigzag --switching memory --node 3,4 --tick 9"),
    ("", "explain --torus 4x4 --scheme optimal --node 1,2 --tick 3 --latency 2"),
    ("", "explain --path 6 --lanes 2 --node 2 --tick 4"),
    ("", "explain --torus 3x3 --collective reduce-scatter --operation sum --number f32 --node 0,0"),
    ("", "check --torus 3x3 --scheme optimal --collective all-reduce --operation sum --number f32"),
    ("", "reduce --cycle 3 --collective all-reduce --operation sum --number f32 --scheme optimal --values values"),
    ("", "explain --torus 4x4 --collective broadcast --scheme fork --node 1,2"),
    ("", "arrivals --torus 3x3"),
    ("", "arrivals --path 6 --lanes 2"),
    ("", "arrivals --torus 3x3 --collective all-reduce --operation sum"),
    ("", "diff --torus 3x4 --to 3x5"),
    ("", "diff --torus 4x4 --scheme staircase --to-set switching=memory"),
    ("", "diff --torus 8x6 --scheme zigzag --switching memory --to 12x10"),
    ("", "diff --torus 4x4 --scheme optimal --to 4x6 --collective all-reduce --operation sum"),
    ("", "diff --torus 3x3 --scheme zigzag --to 5x5 --collective reduce-scatter --operation sum"),
    ("", "diff --cycle 6 --lanes 2 --duplex half --to 8"),
    ("", "diff --path 6 --collective gather --to-set root=3"),
    ("", "schemes"),
    ("", "schemes --torus 64x64"),
    ("", "schemes --torus 4x4 --device hx8k --width 8"),
    ("", "generate --torus 3x3 --out out"),
    ("", "generate --torus 3x3 --out out --dry-run"),
    ("", "generate --torus 3x3 --out out --check"),
    ("", "compare --torus 3x4 --mesh 3x4"),
    ("", "compare --torus 3x4 --collective broadcast"),
    ("", "compare --torus 4x4 --collective all-reduce"),
    ("", "compare --table-2"),
    ("", "program --torus 2x2 --node 0,0"),
    ("", "program --path 5 --collective gather --scheme shoulder-tap --node 1"),
    ("", "pace --torus 3x3 --scheme optimal --set link.elastic=true"),
    ("", "pace list.yaml --program 0 --set host.bus=streams --runs 2"),
    ("z3", "prove --torus 2x2"),
    ("z3", "prove list.yaml --part fabric"),
    ("nextpnr-ice40", "fpga --torus 2x4 --scheme staircase --width 4 --device hx8k"),
];

/// Paths of the fields of a value: `rows[].ticks`. The inside of a topology is that of program.json.
fn fields(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                if key != "topology" {
                    fields(value, &path, found);
                }
                found.insert(path);
            }
        }
        Value::Array(all) => all.iter().for_each(|value| fields(value, &format!("{path}[]"), found)),
        _ => {}
    }
}

/// Returns true if a field is one of the page; `<name>` in its path stands for any names.
fn is_of(field: &str, listed: &str) -> bool {
    listed.split_once('<').map_or(field == listed, |(start, _)| field.starts_with(start))
}

/// Code of a cell of a table: `a`, `b`.
fn code(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn page() -> String {
    fs::read_to_string(project().join("docs/json.md")).unwrap()
}

/// Fields that the page lists for each format. Where it names several formats in a sentence they have one table.
fn listed(page: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut formats: Vec<&str> = Vec::new();
    let mut is_table = false;
    for line in page.lines().skip_while(|line| *line != "## check") {
        let named: Vec<&str> = code(line).filter(|code| code.starts_with("torusweave-")).collect();
        if !named.is_empty() {
            formats = named;
        } else if line == "| field | meaning |" {
            is_table = true;
        } else if !line.starts_with('|') {
            is_table = false;
        }
        if let Some((cell, _)) = line.strip_prefix('|').filter(|_| is_table).and_then(|line| line.split_once('|')) {
            for format in &formats {
                all.entry((*format).to_owned()).or_default().extend(code(cell).map(str::to_owned));
            }
        }
    }
    all
}

/// Differences between the fields of documents and those of the page.
fn differences(printed: &BTreeMap<String, BTreeSet<String>>, page: &str) -> Vec<String> {
    let listed = listed(page);
    let mut wrong = Vec::new();
    for (format, fields) in printed {
        let Some(listed) = listed.get(format) else {
            wrong.push(format!("{format} is not on the page"));
            continue;
        };
        let unlisted = fields.iter().filter(|field| !listed.iter().any(|listed| is_of(field, listed)));
        wrong.extend(unlisted.map(|field| format!("{format}: {field} is not on the page")));
        let unseen = listed.iter().filter(|listed| !fields.iter().any(|field| is_of(field, listed)));
        wrong.extend(unseen.map(|listed| format!("{format}: {listed} is never printed")));
    }
    wrong
}

/// Every document within what a command prints, and whether it is in the form of all.
fn documents(printed: Value) -> Vec<Value> {
    let mut found = vec![];
    if let Some(items) = printed.get("items") {
        assert_eq!(printed["format"], "torusweave-list/1");
        found.extend(items.as_array().unwrap().iter().cloned());
        found.push(serde_json::json!({ "format": "torusweave-list/1", "items": null }));
    } else {
        found.push(printed);
    }
    found
}

#[test]
fn every_field_that_is_printed_is_on_the_page_and_no_other() {
    let place = Place::new();
    for name in ["a", "b"] {
        place.write(&format!("{name}.yaml"), format!("topology: {{ torus: [3, 3] }}\nname: {name}\n"));
    }
    place.write("list.yaml", "topology: { torus: [3, 3] }\nprograms: [{ collective: gossip }]\n");
    place.write("values", "1 2 3 4.5 inf 1e-45 -1 0x7f7fffff nan");
    let mut printed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, line) in LINES.iter().filter(|(tool, _)| tool.is_empty() || has(tool)) {
        let ended = place.run(&format!("{line} --format json"));
        let value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{line}: {}", ended.stderr));
        for document in documents(value) {
            let (first, format) = document.as_object().unwrap().iter().next().unwrap();
            assert_eq!(first, "format", "{line}");
            let mut found = BTreeSet::new();
            fields(&document, "", &mut found);
            found.remove("format");
            // an item of its own kind each
            found.retain(|field| !field.starts_with("violations[]"));
            printed.entry(format.as_str().unwrap().to_owned()).or_default().extend(found);
        }
    }
    let page = page();
    let wrong = differences(&printed, &page);
    assert!(wrong.is_empty(), "{wrong:#?}");
    let count: usize = printed.values().map(BTreeSet::len).sum();
    println!("{count} fields of {} formats are printed and on the page", printed.len());

    // a page that leaves a field out, or has one more, is noticed
    let lacking = page.replace("`complete_at`, `steps` | tick", "`steps` | tick");
    let expected = ["torusweave-check/1: complete_at is not on the page"];
    assert_eq!(differences(&printed, &lacking), expected);
    let more = page.replace("| `fits` |", "| `fits`, `fit` |");
    assert_eq!(differences(&printed, &more).len(), usize::from(has("nextpnr-ice40")));
}

/// Ports in fields are never the letters of two dimensions, and nodes are lists.
#[test]
fn ports_nodes_and_topologies_have_one_form() {
    fn walk(line: &str, key: &str, value: &Value, seen: &mut [usize; 3]) {
        let is_port = |text: &str| {
            let axis = text.strip_prefix('x').and_then(|text| text.strip_suffix(['-', '+']));
            axis.is_some_and(|axis| axis.parse::<u32>().is_ok())
        };
        match (key, value) {
            ("port", value) => {
                assert!(value.as_str().is_some_and(is_port), "{line}: {value}");
                seen[0] += 1;
            }
            ("ports" | "with", Value::Array(all)) if all.iter().all(Value::is_string) => {
                assert!(all.iter().all(|port| is_port(port.as_str().unwrap())), "{line}: {value}");
                seen[0] += all.len();
            }
            ("node" | "neighbour" | "origin" | "supporter", value) => {
                assert!(value.as_array().is_some_and(|all| all.iter().all(Value::is_u64)), "{line}: {value}");
                seen[1] += 1;
            }
            ("topology", value) => {
                let (shape, sides) = value.as_object().and_then(|map| map.iter().next()).unwrap();
                assert!(["torus", "mesh", "cycle", "path"].contains(&shape.as_str()), "{line}: {value}");
                assert_eq!(sides.is_u64(), ["cycle", "path"].contains(&shape.as_str()), "{line}: {value}");
                seen[2] += 1;
            }
            (_, Value::Object(map)) => map.iter().for_each(|(key, value)| walk(line, key, value, seen)),
            (_, Value::Array(all)) => all.iter().for_each(|value| walk(line, "", value, seen)),
            _ => {}
        }
    }
    let place = Place::new();
    let mut seen = [0; 3];
    let lines =
        LINES.iter().filter(|(tool, line)| tool.is_empty() && !line.contains(".yaml") && !line.contains("--values"));
    for (_, line) in lines {
        let ended = place.run(&format!("{line} --format json"));
        walk(line, "", &serde_json::from_str(&ended.stdout).unwrap(), &mut seen);
    }
    println!("{} ports, {} nodes, {} topologies", seen[0], seen[1], seen[2]);
    assert!(seen[0] > 100 && seen[1] > 100 && seen[2] > 10, "{seen:?}");
}

/// One of each kind.
fn violations() -> Vec<Violation> {
    let (class, packet, tick, age) = (27, 1, 3, 2);
    let node = || vec![1, 2];
    let neighbour = || vec![1, 3];
    let port = || "x2+".to_owned();
    let first = || PacketLabel { node: node(), packet };
    vec![
        Violation::Outputs { class, outputs: 3 },
        Violation::ClassMap { node: 7 },
        Violation::Length { class, port: port(), ticks: 9 },
        Violation::Late { class, port: port() },
        Violation::EmptyRun { class, port: port() },
        Violation::Packet { class, port: port(), packet },
        Violation::Input { class, port: port(), age },
        Violation::Outside { node: node(), port: port() },
        Violation::Windows { windows: 3 },
        Violation::Clash { node: node(), port: port(), tick },
        Violation::RunOver { node: node(), port: port(), tick },
        Violation::BothWays { node: node(), port: port(), neighbour: neighbour(), tick },
        Violation::NoSilence { node: node(), port: port(), neighbour: neighbour(), tick },
        Violation::Backwards { node: node(), port: port(), neighbour: neighbour(), tick },
        Violation::Missing { node: node(), missing: 4, first: first() },
        Violation::Torn { node: node(), port: port(), tick },
        Violation::Part { class, port: port(), tick },
        Violation::Results { class },
        Violation::Mixed { node: node(), port: port(), tick },
        Violation::Twice { node: node(), port: port(), tick },
        Violation::Absent { node: node(), port: port(), tick },
        Violation::Entries { node: node(), port: port(), used: 1, entries: 2 },
        Violation::Sent { node: node(), partials: 1, first: first(), times: 2 },
        Violation::NotCombined { node: node(), packet, missing: 2 },
        Violation::NotOfGroup { node: node(), packet, others: 2 },
        Violation::NotCertifiable { node: node(), port: port(), why: "a reason" },
    ]
}

#[test]
fn the_page_has_the_fields_of_every_kind_of_violation() {
    let page = page();
    let table = page.split("| kind | fields beside `kind` |").nth(1).unwrap().split("\n\n").next().unwrap();
    let mut listed = BTreeMap::new();
    for (kinds, names) in table.lines().filter_map(|line| line.strip_prefix('|')?.split_once('|')) {
        let names: BTreeSet<&str> = code(names).collect();
        listed.extend(code(kinds).map(|kind| (kind.to_owned(), names.clone())));
    }
    let all: Vec<Value> = violations().iter().map(|violation| serde_json::to_value(violation).unwrap()).collect();
    for violation in &all {
        let names: BTreeSet<&str> = violation.as_object().unwrap().keys().map(String::as_str).collect();
        let expected = listed.remove(violation["kind"].as_str().unwrap()).unwrap_or_default();
        assert_eq!(names, expected.into_iter().chain(["kind"]).collect(), "{violation}");
        assert!(violation.get("class").is_none_or(|class| class == "ab"), "{violation}");
    }
    assert!(listed.is_empty(), "kinds that there are not: {listed:?}");
}
