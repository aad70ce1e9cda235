//! A top with a processing element at each node: the stub plays as it is, a user's own is kept, and its words go everywhere.

use std::fs;

use crate::farm;
use crate::fixtures::command::Place;
use crate::fixtures::designs::Folder;
use crate::fixtures::tools::{call, has};

/// Plays `COLLECTIVES` collectives, then lets the streams run dry.
const BENCH: &str = "module tb;
    reg clk = 1'b0, rst = 1'b1, start = 1'b1;
    wire busy, done, misframed;
    integer dones = 0, clocks = 0;
    TOP top (.clk(clk), .rst(rst), .start(start), .busy(busy), .done(done), .misframed(misframed), .results());
    always #1 clk = ~clk;
    always @(negedge clk) begin
        clocks = clocks + 1;
        rst = clocks < 20;
        if (!rst && done === 1'b1) dones = dones + 1;
        if (dones == COLLECTIVES - 1 && busy === 1'b1) start = 1'b0;
        if (clocks == 1500) begin
            $display(\"%0d collectives, misframed %b, %h\", dones, misframed, top.results);
            $finish;
        end
    end
endmodule
";

/// Design with elements, in a folder, and the name of its top.
fn top(network: &str, settings: &str) -> (Folder, String) {
    let settings: Vec<&str> = settings.split(' ').chain(["local.elements=true"]).collect();
    let design = farm::built(farm::config(network, &[&settings])).unwrap_or_else(|error| panic!("{network}: {error}"));
    let name = format!("{}_top", design.program.title.name);
    (Folder::with_options(&design.program, &design.options()), name)
}

/// Text that the bench prints after some collectives under Icarus.
fn play(folder: &Folder, top: &str, collectives: u32) -> String {
    let bench = BENCH.replace("TOP", top).replace("COLLECTIVES", &collectives.to_string());
    fs::write(folder.path().join("tb.v"), bench).unwrap();
    let line = format!("-g2005 -Wall -o top -s tb -f {top}.f tb.v");
    let (built, said) = call(folder, "iverilog", &line.split(' ').collect::<Vec<_>>());
    let said: String = said.lines().filter(|line| !line.contains("timescale")).collect();
    assert!(built && said.is_empty(), "{said}");
    call(folder, "vvp", &["-n", "top"]).1
}

/// Streams and read ports, rows, one word per block and several, nodes that take or give nothing, nodes that are not there.
const DESIGNS: [(&str, &str); 9] = [
    ("torus: [4, 4]", "scheme=optimal link.width=8"),
    ("torus: [3, 5]", "scheme=hamiltonian link.width=8 link.flits=3 local.results=memory"),
    ("torus: [4, 4]", "scheme=staircase link.width=40 local.words=4"),
    ("torus: [3, 3]", "collective=broadcast root=1,1 link.width=8 link.flits=4"),
    ("torus: [3, 3]", "collective=scatter root=1,1 link.width=8 link.flits=2"),
    ("torus: [3, 3]", "collective=gather root=1,1 link.width=1 local.results=memory"),
    ("torus: [4, 4]", "collective=exchange link.width=8"),
    ("torus: [3, 4]", "collective=all-reduce operation=max link.width=16 link.flits=2"),
    ("torus: [3, 4], dead: { nodes: ['0,0'] }", "link.width=8 local.order=arrival"),
];

#[test]
fn the_stub_plays_collectives_as_it_is() {
    if !has("iverilog") {
        return;
    }
    for (network, settings) in DESIGNS {
        let (folder, top) = top(network, settings);
        let printed = play(&folder, &top, 5);
        assert!(printed.starts_with("5 collectives, misframed 0, ") && !printed.contains('x'), "{settings}: {printed}");
    }
}

#[test]
fn verilator_is_silent_about_a_top_with_elements() {
    if !has("verilator_bin") {
        return;
    }
    for (network, settings) in DESIGNS {
        let (folder, top) = top(network, settings);
        let line = format!("--lint-only -Wall -f {top}.f --top-module {top}");
        let (passed, said) = call(&folder, "verilator_bin", &line.split(' ').collect::<Vec<_>>());
        assert!(passed && said.is_empty(), "{settings}: {said}");
    }
}

/// An element of a user's own: it sends its number and one, and sums what it gets.
const SUM: [(&str, &str); 3] = [
    ("word <= word - ", "word <= word - 1'b0 * "),
    ("word <= number[WIDTH-1:0];", "word <= number[WIDTH-1:0] + 1'b1;"),
    ("result <= s_axis_tdata;", "result <= result + s_axis_tdata;"),
];

#[test]
fn words_of_an_element_of_your_own_reach_every_other() {
    if !has("iverilog") {
        return;
    }
    let (folder, top) = top("torus: [4, 4]", "scheme=optimal link.width=8");
    let path = folder.path().join("torus_4x4_element.v");
    let mut text = fs::read_to_string(&path).unwrap();
    for (from, to) in SUM {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text = text.replace(from, to);
    }
    fs::write(&path, &text).unwrap();
    // three times 1 + 2 + .. + 16, modulo 256, at each node
    let expected = format!("3 collectives, misframed 0, {}\n", "98".repeat(16));
    assert_eq!(play(&folder, &top, 3), expected);
    // streams of two nodes are exchanged in the top, and an element ends its blocks too early
    let path = folder.path().join("torus_4x4_top.v");
    let right = fs::read_to_string(&path).unwrap();
    fs::write(&path, right.replace("in_data[3*WIDTH+:WIDTH]", "in_data[4*WIDTH+:WIDTH]")).unwrap();
    assert_ne!(play(&folder, &top, 3), expected);
    fs::write(&path, right).unwrap();
    fs::write(folder.path().join("torus_4x4_element.v"), text.replace("m_axis_tlast = 1'b1", "m_axis_tlast = 1'b0"))
        .unwrap();
    assert!(play(&folder, &top, 3).contains("misframed 1"));
}

#[test]
fn an_edited_element_is_kept_until_it_is_forced() {
    let place = Place::new();
    let command = "generate --torus 2x4 --elements true --out top";
    assert_eq!(place.run(command).code, 0);
    let path = place.path().join("top/torus_2x4_element.v");
    let stub = fs::read_to_string(&path).unwrap();
    let mine = format!("{stub}// mine\n");
    fs::write(&path, &mine).unwrap();
    for change in ["", " --width 8", " --width 8"] {
        let ended = place.run(&format!("{command}{change}"));
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert!(ended.stderr.contains("kept top/torus_2x4_element.v, edited since it was written"), "{}", ended.stderr);
        assert_eq!(fs::read_to_string(&path).unwrap(), mine);
        let ended = place.run(&format!("{command}{change} --check"));
        assert_eq!((ended.code, ended.stdout), (0, "top is up to date\n".into()));
    }
    assert!(fs::read_to_string(place.path().join("top/torus_2x4_top.v")).unwrap().contains("integer WIDTH = 8"));
    // other files that were edited are in the way as ever
    let node = place.path().join("top/torus_2x4_node.v");
    fs::write(&node, "// mine\n").unwrap();
    let ended = place.run(command);
    assert!(ended.code != 0 && ended.stderr.contains("`torus_2x4_node.v` (edited)"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("element"), "{}", ended.stderr);
    assert_eq!(place.run(&format!("{command} --force")).code, 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), stub);
}

#[test]
fn an_edited_element_or_top_of_another_network_is_named_until_it_fits() {
    let place = Place::new();
    let command = |sides: &str| format!("generate --torus {sides} --set name=x --elements true --out top");
    assert_eq!(place.run(&command("2x4")).code, 0);
    let [element, top] = ["element", "top"].map(|part| place.path().join(format!("top/x_{part}.v")));
    for path in [&element, &top] {
        fs::write(path, fs::read_to_string(path).unwrap() + "// mine\n").unwrap();
    }
    let ended = place.run(&format!("{} --format json", command("4x6")));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let generated: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(generated["kept"], serde_json::json!(["x_element.v", "x_top.v"]), "{generated}");
    assert!(generated["stale"].as_array().unwrap().contains(&"x_top.v".into()), "{generated}");
    let is_kept = |file: &serde_json::Value| file == "x_element.v" || file == "x_top.v";
    assert!(!generated["files"].as_array().unwrap().iter().any(is_kept), "{generated}");
    assert!(ended.stderr.contains("kept top/x_top.v, edited since it was written, for a design with other ports"));
    let ended = place.run(&format!("{} --check", command("4x6")));
    assert!(ended.code == 1 && ended.stdout.contains("differs: top/x_top.v\n"), "{}", ended.stdout);
    // all but ports and constants is the user's
    assert_eq!(place.run(&format!("{} --width 8", command("2x4"))).code, 0);
    let ended = place.run(&format!("{} --width 8 --check", command("2x4")));
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "top is up to date\n"));
    assert_eq!(place.run(&command("4x6")).code, 0);
    // the user takes over what is new
    let new = place.run("generate --torus 4x6 --set name=x --elements true --out new");
    assert_eq!(new.code, 0);
    for (path, name) in [(&element, "x_element.v"), (&top, "x_top.v")] {
        fs::write(path, fs::read_to_string(place.path().join("new").join(name)).unwrap() + "// mine\n").unwrap();
    }
    let ended = place.run(&format!("{} --check", command("4x6")));
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "top is up to date\n"));
}

#[test]
fn blocks_of_different_lengths_have_no_stub() {
    let ended = Place::new().run("generate --path 3 --collective gather --scheme fdf --lengths 1,2,3 --elements true");
    assert_eq!(ended.code, 2);
    assert!(
        ended.stderr.contains("lengths: blocks of different lengths are not supported with `local.elements`"),
        "{}",
        ended.stderr
    );
}
