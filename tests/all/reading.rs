//! A program read from JSON: what was written comes back, and every field that does not fit is refused by its name.

use serde_json::{Value, json};
use torusweave::check;
use torusweave::net::{NodeId, Port, ShapeName};
use torusweave::program::{ClassId, ClassMap, Duplex, Link, Program, Run, Source, Track, Window, is_program};

use crate::fixtures::by_chance;
use crate::fixtures::by_hand::{beyond_gossip, cycle_of_four, gather, one_way_round, path_of_three, scatter};
use crate::fixtures::chance::Chance;
use crate::fixtures::designs::{design, design_on};

/// The program with a field of its JSON changed, or left out.
fn changed(text: &str, changes: &[(&str, Value)]) -> String {
    let mut json: Value = serde_json::from_str(text).unwrap();
    for (path, value) in changes {
        let (parent, field) = path.rsplit_once('/').unwrap();
        let parent = json.pointer_mut(parent).unwrap_or_else(|| panic!("{path}"));
        match (parent, value) {
            (Value::Object(fields), Value::String(left_out)) if left_out == "left out" => {
                drop(fields.remove(field).unwrap());
            }
            (Value::Object(fields), value) => drop(fields.insert(field.to_owned(), value.clone())),
            (Value::Array(items), value) => items[field.parse::<usize>().unwrap()] = value.clone(),
            (other, _) => panic!("{path}: {other}"),
        }
    }
    json.to_string()
}

fn read(text: &str, changes: &[(&str, Value)]) -> Result<Program, String> {
    Program::from_json(&changed(text, changes)).map_err(|error| error.to_string())
}

fn assert_refused(text: &str, cases: &[(&[(&str, Value)], &str)]) {
    assert!(Program::from_json(text).is_ok());
    for (changes, message) in cases {
        assert_eq!(read(text, changes).map(|_| ()), Err((*message).to_owned()), "{changes:?}");
    }
}

fn out() -> Value {
    json!("left out")
}

#[test]
fn programs_by_hand_and_by_chance_are_read_as_they_were_written() {
    let chance =
        (0..300).flat_map(|seed| [by_chance::program(&mut Chance(seed)), by_chance::reduction(&mut Chance(seed))]);
    for program in beyond_gossip().into_iter().chain(chance) {
        let text = program.json();
        assert!(is_program(&text));
        assert!(Program::from_json(&text).unwrap_or_else(|error| panic!("{error}\n{text}")) == program, "{text}");
    }
    let is = ["{\"format\": \"torusweave-program/9\"", "  {\"torusweave-program/"].map(is_program);
    assert_eq!(
        (is, is_program("torus: [4, 4] # \"torusweave-program/1\""), is_program("{}")),
        ([true; 2], false, false)
    );
}

#[test]
fn names_and_networks_that_make_no_sense_are_refused() {
    let path = path_of_three().json();
    assert_refused(
        &path,
        &[
            (&[("/name", json!(""))], "name: it is no Verilog identifier"),
            (&[("/name", json!("a-b"))], "name: it is no Verilog identifier"),
            (&[("/scheme", json!("a\tb"))], "scheme: it is not printable"),
            (&[("/scheme", json!("a\u{7f}"))], "scheme: it is not printable"),
            (&[("/format", json!("torusweave-program/12"))], "format: `torusweave-program/12` is not known here"),
            (&[("/format", json!("my-torusweave-program/1"))], "format: `my-torusweave-program/1` is not known here"),
            (&[("/class_of", json!([0, 1]))], "class_of: 2 for 3 nodes"),
            (
                &[("/class_of", json!([0, 1, 1]))],
                "class_of: it names a class that is not in `classes`, or not all of them",
            ),
            (
                &[("/class_of", json!([0, 1, 3]))],
                "class_of: it names a class that is not in `classes`, or not all of them",
            ),
            (&[("/windows", json!([[1, 1]]))], "windows: 1 for 3 nodes"),
            (
                &[("/packets", json!(2)), ("/messages", json!([{"from": 0, "flits": 1}]))],
                "packets: the node with most messages has 1",
            ),
        ],
    );
    assert!(read(&path, &[("/topology", json!({"path": 1}))]).unwrap_err().starts_with("topology: "));
    assert!(
        read(&path, &[("/topology", json!({"torus": [3], "path": 3}))]).unwrap_err().starts_with("not a program: ")
    );
    assert!(read(&path, &[("/scheme", json!(" ~")), ("/name", json!("_9aZ"))]).is_ok());
}

#[test]
fn outputs_that_do_not_fit_are_refused() {
    let path = path_of_three().json();
    let run = |run: Value| ("/classes/0/outputs/1/runs", json!([run]));
    let neither = "class a, output 2: a run is one of idle, own, in with an age, any and, with an operation, sum";
    assert_refused(
        &path,
        &[
            (&[("/classes/0/outputs", json!([{"port": "x1-", "runs": []}]))], "class a: 1 output where a node has 2"),
            (&[("/classes/1/outputs/0/port", json!("x1+"))], "class b, output 1: it is not lane 0 of port x1-"),
            (&[("/classes/1/outputs/0/lane", json!(1))], "class b, output 1: it is not lane 0 of port x1-"),
            (&[run(json!({"own": 0, "ticks": 4}))], "class a, output 2: its runs last 4 ticks, not 3"),
            (&[run(json!({"own": 0, "ticks": 2}))], "class a, output 2: its runs last 2 ticks, not 3"),
            (&[("/classes/0/outputs/1/repeat_from", json!(2))], "class a, output 2: there is no run 2 to repeat from"),
            (&[("/classes/0/outputs/1/inject", json!(0))], "class a, output 2: it injects, and there are no windows"),
            (&[run(json!({"own": 1, "ticks": 3}))], "class a, output 2: no node has a packet 1"),
            (&[run(json!({"own": 0, "through": 1, "ticks": 3}))], "class a, output 2: no node has a packet 1"),
            (&[run(json!({"in": "x1-", "lane": 1, "age": 1, "ticks": 3}))], "class a, output 2: there is no lane 1"),
            (&[run(json!({"in": "x2-", "age": 1, "ticks": 3}))], "class a, output 2: there is no port x2-"),
            (&[run(json!({"any": ["x1-", "x2-"], "ticks": 3}))], "class a, output 2: there is no port x2-"),
            (&[run(json!({"sum": [], "ticks": 3}))], neither),
            (&[run(json!({"idle": false, "ticks": 3}))], neither),
            (&[run(json!({"idle": true, "own": 0, "ticks": 3}))], neither),
            (&[run(json!({"in": "x1-", "ticks": 3}))], neither),
            (&[run(json!({"ticks": 3}))], neither),
        ],
    );
    for spelling in ["R", "b", "x01-", "x+1+", "x++1"] {
        let refused = read(&path, &[run(json!({"in": spelling, "age": 1, "ticks": 3}))]).unwrap_err();
        assert!(refused.contains(&format!("`{spelling}` is no port")), "{refused}");
    }
    assert!(read(&path, &[run(json!({"in": "y", "age": 1, "ticks": 3}))]).unwrap_err().contains("`y` is no port"));
    assert!(read(&path, &[run(json!({"in": "x1-", "age": 0, "ticks": 3}))]).unwrap_err().starts_with("not a program"));
    assert_refused(
        &cycle_of_four().json(),
        &[(&[("/classes/0/outputs/1/lane", out())], "class a, output 2: it is not lane 1 of port x1-")],
    );
    assert_refused(
        &scatter().json(),
        &[(
            &[("/classes/0/outputs/1/runs/0/own", json!(2)), ("/classes/0/outputs/1/runs/0/through", json!(1))],
            "class a, output 2: packets 2 through 1 are none",
        )],
    );
    assert_refused(
        &gather().json(),
        &[
            (&[("/classes/1/outputs/0/inject", json!(1))], "class b, output 1: no node has a packet 1"),
            (&[("/windows", json!([[1, 1]]))], "windows: 1 for 4 nodes"),
        ],
    );
}

/// Inputs bring nothing from before the first tick, and no memory is kept for it.
#[test]
fn ages_beyond_the_ticks_bring_nothing() {
    let path = path_of_three().json();
    let run = |run: Value| read(&path, &[("/classes/0/outputs/1/runs", json!([run]))]).unwrap();
    let (old, silent) =
        (run(json!({"in": "x1+", "age": u32::MAX, "ticks": 3})), run(json!({"idle": true, "ticks": 3})));
    assert_eq!(check::by_execution(&old).violations, check::by_execution(&silent).violations);
    assert!(check::bytes(&old) < 2 * check::bytes(&path_of_three()));
}

#[test]
fn as_many_ticks_and_rounds_are_read_as_can_be_counted() {
    let most = u32::MAX;
    let text = one_way_round().json();
    let outputs = |runs: Value, from: u32| {
        let output = |port: &str| json!({"port": port, "runs": runs, "repeat_from": from});
        ("/classes/0/outputs", json!([output("x1-"), output("x1+")]))
    };
    let idle = |ticks: &[u32]| ticks.iter().map(|ticks| json!({"idle": true, "ticks": ticks})).collect::<Value>();
    assert!(read(&text, &[outputs(idle(&[most]), 0)]).is_ok());
    assert_refused(&text, &[(&[outputs(idle(&[most, 1]), 0)], "class a, output 1: its runs last 4294967296 ticks")]);
    // one after the other they are no more than a million, on links that are long
    let rounds = |ticks: u32, latency: u32, runs: &[u32], from| {
        read(&text, &[("/ticks", json!(ticks)), ("/latency", json!(latency)), outputs(idle(runs), from)]).map(|_| ())
    };
    let refused = |rounds: u32| Err(format!("class a, output 1: its rounds are {rounds} runs, one after the other"));
    assert_eq!(rounds(1 << 20, 2, &[1], 0), Ok(()));
    assert_eq!(rounds(1 << 20, 2, &[5, 1], 1), Ok(()));
    assert_eq!(rounds((1 << 20) + 1, 2, &[1], 0), refused((1 << 20) + 1));
    assert_eq!(rounds((1 << 20) + 1, 2, &[5, 1, 1], 1), refused((1 << 20) + 2));
    assert_eq!(rounds(most, 1, &[1], 0), Ok(()), "nobody unrolls them on short links");
}

#[test]
fn messages_that_do_not_fit_are_refused() {
    let text = scatter().json();
    let one = |message: Value| {
        [
            ("/messages", json!([message])),
            ("/packets", json!(1)),
            ("/classes/0/outputs/1/runs/0", json!({"own": 0, "ticks": 6})),
        ]
    };
    let refused =
        |message: Value, reason: &str| assert_eq!(read(&text, &one(message)).map(|_| ()), Err(reason.to_owned()));
    assert!(read(&text, &one(json!({"from": 3, "to": 3, "flits": 0}))).is_ok());
    refused(json!({"from": 4, "flits": 1}), "messages: there is no node 4");
    refused(json!({"to": 4, "flits": 1}), "messages: there is no node 4");
    assert!(read(&text, &one(json!({"to": {"offset": [3]}, "flits": 1}))).is_ok());
    refused(json!({"to": {"offset": [4]}, "flits": 1}), "messages: [4] is no way to another node");
    refused(json!({"to": {"offset": [1, 1]}, "flits": 1}), "messages: [1, 1] is no way to another node");
    refused(json!({"flits": 1 << 30}), "messages: 4 of 4294967296 flits are more than can be numbered");
    assert!(read(&text, &one(json!({"from": 0, "flits": u32::MAX}))).is_ok());
    assert!(read(&text, &one(json!({"flits": u32::MAX / 4}))).is_ok());
}

/// Both ways of naming partials: by how far away they go, and node by node.
fn all_reduces() -> [String; 2] {
    let settings = ["collective=all-reduce", "operation=sum"];
    let offsets = design(&[2, 3], &[&["scheme=optimal"], &settings[..]].concat());
    let nodes = design_on(ShapeName::Mesh, &[2, 3], &[&["scheme=hamiltonian"], &settings[..]].concat());
    [offsets, nodes].map(|design| design.program.json())
}

#[test]
fn reductions_that_do_not_fit_are_refused() {
    let needs = "operation: it needs `order` and `results`, and they need it";
    let [offsets, nodes] = all_reduces();
    assert_refused(
        &path_of_three().json(),
        &[
            (&[("/reduce_ticks", json!(2))], needs),
            (&[("/operation", json!("sum"))], needs),
            (&[("/results", json!([]))], needs),
            (&[("/order", json!({}))], needs),
        ],
    );
    let whole = "results: not one for each packet of each class";
    let classes = read(&nodes, &[]).unwrap().classes.len();
    let results = |packets: usize, ports: &str| json!(vec![vec![json!([{"in": ports, "age": 1}]); packets]; classes]);
    assert!(read(&nodes, &[("/results", results(1, "x1+"))]).is_ok());
    assert_refused(
        &nodes,
        &[
            (&[("/order", json!({}))], "order: it has one of `offsets` and `nodes`"),
            (&[("/order/offsets", json!({}))], "order: it has one of `offsets` and `nodes`"),
            (&[("/order/nodes", json!([{}]))], "order.nodes: 1 for 6 nodes"),
            (&[("/order/nodes/2", json!({"x1-": [null, [6, 0]]}))], "order.nodes: there is no node 6"),
            (&[("/order/nodes/2", json!({"x1-": [[5, 1]]}))], "order.nodes: no node has a packet 1"),
            (&[("/order/nodes/2", json!({"x3-": []}))], "order.nodes: there is no port x3-"),
            (&[("/results", json!([]))], whole),
            (&[("/results", results(2, "x1-"))], whole),
            (&[("/results", results(1, "x3-"))], "results: there is no port x3-"),
        ],
    );
    assert!(read(&nodes, &[("/order/nodes/2", json!({"x1-": [null, [5, 0]]}))]).is_ok());
    assert_refused(
        &offsets,
        &[
            (&[("/order/offsets/x1-", json!([null, [[2, 0], 0]]))], "order.offsets: [2, 0] is no way to another node"),
            (&[("/order/offsets/x1-", json!([[[1], 0]]))], "order.offsets: [1] is no way to another node"),
            (&[("/order/offsets/x1-", json!([[[1, 2], 1]]))], "order.offsets: no node has a packet 1"),
            (&[("/order/offsets/x3+", json!([]))], "order.offsets: there is no port x3+"),
        ],
    );
    for spelling in ["x01-", "x+1-", "T"] {
        let refused = read(&offsets, &[(&format!("/order/offsets/{spelling}"), json!([]))]).unwrap_err();
        assert!(refused.contains(&format!("`{spelling}` is no port")), "{refused}");
    }
    for (text, lists) in [(&offsets, "\"offsets\": {"), (&nodes, "\"nodes\": [\n      {")] {
        let twice = text.replacen(lists, &format!("{lists}\"x1+\": [], \"x1+\": [], "), 1);
        let refused = Program::from_json(&twice).unwrap_err().to_string();
        assert!(refused.starts_with("not a program: port x1+ has two lists at line "), "{refused}");
    }
    let operation =
        [("/operation", json!("sum")), ("/order", json!({"offsets": {}})), ("/results", json!([[[]], [[]]]))];
    assert_refused(&cycle_of_four().json(), &[(&operation, "lanes: values are combined on links of one lane")]);
}

#[test]
fn links_that_are_too_long_for_a_part_are_refused() {
    let path = path_of_three().json();
    assert!(read(&path, &[("/latency", json!(3))]).is_ok());
    assert_refused(&path, &[(&[("/latency", json!(4))], "latency: nothing arrives in 3 ticks")]);
    let [text, _] = all_reduces();
    let ticks = read(&text, &[]).unwrap().ticks;
    let parts = |reduce: u32, latency: u32| {
        read(&text, &[("/reduce_ticks", json!(reduce)), ("/latency", json!(latency))]).map(|_| ())
    };
    let refused = |reduce: u32| Err(format!("reduce_ticks: {reduce} of {ticks} leave nothing for one of two parts"));
    assert_eq!((parts(1, 1), parts(ticks - 2, 1)), (Ok(()), Ok(())));
    assert_eq!((parts(ticks - 1, 1), parts(ticks + 1, 1)), (refused(ticks - 1), refused(ticks + 1)));
    assert_eq!(parts(ticks, 1), Ok(()), "there is no other part");
    assert_eq!((parts(2, 2), parts(ticks - 3, 2)), (Ok(()), Ok(())));
    assert_eq!((parts(1, 2), parts(ticks - 2, 2)), (refused(1), refused(ticks - 2)));
}

#[test]
fn the_first_format_is_that_of_gossip_on_plain_tori() {
    let format = |program: &Program| {
        let json: Value = serde_json::from_str(&program.json()).unwrap();
        json["format"].as_str().unwrap().strip_prefix("torusweave-program/").unwrap().to_owned()
    };
    let plain = design(&[4, 6], &["scheme=staircase"]).program;
    let windows = Program { windows: vec![Window::default(); 24], ..plain.clone() };
    let mut in_a_row = plain.clone();
    in_a_row.classes[0].outputs[0].runs[0].source = Source::Own { packet: 0, through: 1 };
    let mut late = plain.clone();
    late.latency = 2;
    assert_eq!(format(&plain), "1");
    assert_eq!(format(&Program { duplex: Duplex::Half, ..plain.clone() }), "1", "nothing is executed differently");
    for other in [&windows, &in_a_row, &late, &cycle_of_four(), &one_way_round(), &path_of_three(), &scatter()] {
        assert_eq!(format(other), "2");
    }
    let lanes = design(&[4, 6], &["scheme=hamiltonian", "link.lanes=2"]).program;
    assert_eq!((format(&lanes), lanes.link()), ("2".to_owned(), Link::half(2)));
    assert_eq!(late.link().latency, 2);
    let reduce = design(&[4, 6], &["scheme=staircase", "collective=reduce-scatter", "operation=max"]).program;
    let json: Value = serde_json::from_str(&reduce.json()).unwrap();
    assert_eq!(
        (format(&reduce), &json["operation"], &json["reduce_ticks"]),
        ("2".to_owned(), &json!("max"), &Value::Null)
    );
}

#[test]
fn a_node_by_itself_is_its_class_with_its_window() {
    let program = gather();
    let whole: Value = serde_json::from_str(&program.json()).unwrap();
    for node in program.topology.node_ids() {
        let alone: Value = serde_json::from_str(&program.node_json(node)).unwrap();
        let class = &whole["classes"][whole["class_of"][node.index()].as_u64().unwrap() as usize];
        assert_eq!((&alone["class"], &alone["outputs"]), (&class["name"], &class["outputs"]));
        assert_eq!((&alone["node"], &alone["window"]), (&json!([node.0]), &whole["windows"][node.index()]));
    }
    let plain = design(&[2, 3], &["scheme=optimal"]).program;
    let alone: Value = serde_json::from_str(&plain.node_json(NodeId(4))).unwrap();
    assert_eq!((&alone["node"], alone.get("window")), (&json!([1, 1]), None));
}

#[test]
fn a_track_in_words_leaves_long_ends_out() {
    let run = |age, ticks| Run { source: Source::input(Port::plus(0), age), ticks };
    let told = |runs: &[Run], repeat_from| Track { runs: runs.to_vec(), repeat_from, inject: None }.describe_changes(1);
    let own = Run { source: Source::own(0), ticks: 2 };
    assert_eq!(told(&[own, run(1, 3), run(3, 1)], None), "own 0, x1+ from tick 3, x1+ 2 ticks late from tick 6");
    assert_eq!(told(&[own, run(1, 3), run(2, 1)], Some(1)), "own 0, over and over x1+ for 3, x1+ 1 tick late for 1");
    let runs: Vec<Run> = (1..=10).map(|age| run(age, 1)).collect();
    assert!(told(&runs[..8], None).ends_with("7 ticks late from tick 8"));
    assert!(told(&runs[..9], None).ends_with("7 ticks late from tick 8, and 1 more runs"));
    assert!(told(&runs, None).ends_with(", and 2 more runs"));
    let track = Track { runs: vec![own, run(1, 3)], repeat_from: Some(0), inject: Some(4) };
    assert_eq!(track.describe(1), "own 4 in the node's window, else over and over: own 0 for 2, x1+ for 3");
    assert_eq!(Track { runs: vec![Run { source: Source::Idle, ticks: 9 }], ..Track::default() }.describe(1), "idle");
}

#[test]
fn a_map_of_classes_is_empty_until_a_node_is_added() {
    let mut map = ClassMap::with_capacity(3);
    assert!(map.is_empty());
    map.push(ClassId(0));
    assert!(!map.is_empty());
}
