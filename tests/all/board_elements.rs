//! Processing elements on boards: each board's top, joined by cables, brings every element what one device with all nodes brings it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::fixtures::called::every_tool_is_silent;
use crate::fixtures::command::Place;
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{has, said};

/// Networks, boards with the form of their ports, roots, and ports of the nodes.
const DESIGNS: [(&str, &str, &str, &str); 7] = [
    ("torus: [2, 4]", "boards: [2, 2], start: common", "any", "elements: true"),
    ("torus: [3, 4], dead: { nodes: ['1,1'] }", "boards: [1, 2]", "[0, 1]", "elements: true"),
    ("torus: [2, 4]", "boards: [2, 2], ports: bytes, bytes: 4, clocks: cable", "any", "elements: true, words: 2"),
    ("torus: [4, 4]", "boards: [2, 2]", "any", "elements: true"),
    ("mesh: [3, 4]", "boards: [3, 2]", "[1, 1]", "elements: true, order: arrival"),
    ("mesh: [3, 4]", "boards: [3, 2], start: common", "[1, 1]", "elements: true, order: arrival, results: memory"),
    ("torus: [2, 2, 2]", "boards: [1, 2, 1], ports: serial", "any", "elements: true, results: memory"),
];

/// Design in the folder `d`, on one device or on boards.
fn generated(network: &str, boards: Option<&str>, root: &str, local: &str) -> Place {
    let boards = boards.map(|boards| format!(", elastic: true, checksum: crc8, {boards}")).unwrap_or_default();
    let place = Place::new();
    place.write(
        "d.yaml",
        format!(
            "name: d\ntopology: {{ {network} }}\nlink: {{ width: 8{boards} }}\nlocal: {{ {local} }}\nhost: {{ bus: streams }}\n\
             programs:\n  - {{ collective: gossip }}\n  - {{ collective: all-reduce, operation: sum }}\n  \
             - {{ collective: broadcast, root: {root} }}\n"
        ),
    );
    let ended = place.run("generate d.yaml --out d");
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{network}");
    place
}

/// Words that every element gets, with their programs, by its number.
fn received(folder: &Path, top: &str, files: &str, time: u32) -> BTreeMap<u32, Vec<String>> {
    let path = folder.join("d_element.v");
    let element = fs::read_to_string(&path).unwrap();
    let (comes, word) = if element.contains("s_ram_valid") {
        ("s_ram_valid", "s_ram_dest, s_ram_data")
    } else {
        ("s_axis_tvalid & s_axis_tready", "s_axis_tdest, s_axis_tdata")
    };
    let told = format!("    always @(posedge clk) if (~rst & {comes}) $display(\"word %0d %0d %h\", NODE, {word});\n");
    fs::write(&path, element.replace("\nendmodule", &format!("\n{told}endmodule"))).unwrap();
    let bench = format!(
        "module bench;\n    reg clk = 1'b0, rst = 1'b1;\n    always #1 clk = ~clk;\n    initial begin\n        repeat (4) @(negedge \
         clk);\n        rst = 1'b0;\n        #{time} $finish;\n    end\n    {top} tops (.clk(clk), .rst(rst));\nendmodule\n"
    );
    fs::write(folder.join("bench.v"), bench).unwrap();
    let call = |tool: &str, arguments: &str| {
        let output = Command::new(tool).args(arguments.split_whitespace()).current_dir(folder).output().unwrap();
        (output.status.success(), said(&output))
    };
    let (built, printed) = call("iverilog", &format!("-g2005 -o sim -s bench -f d_top.f {files} bench.v"));
    assert!(built, "{printed}");
    let (_, printed) = call("vvp", "-n sim");
    let mut words: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for line in printed.lines().filter_map(|line| line.strip_prefix("word ")) {
        let (node, word) = line.split_once(' ').unwrap();
        words.entry(node.parse().unwrap()).or_default().push(word.to_owned());
    }
    words
}

#[test]
fn elements_on_boards_get_what_they_get_on_one_device() {
    if !has("iverilog") {
        return;
    }
    for (network, boards, root, local) in sampled(DESIGNS, 7) {
        // boards take more clocks, and a serial line many more
        let time = if boards.contains("serial") { 32_000 } else { 4000 };
        let one = generated(network, None, root, local);
        let right = received(&one.path().join("d"), "d_top", "", 4000);
        let several = generated(network, Some(boards), root, local);
        let folder = several.path().join("d");
        let got = received(&folder, "d_tops", "tb/d_tops.v", time);
        assert_eq!(right.keys().collect::<Vec<_>>(), got.keys().collect::<Vec<_>>(), "{network}");
        for (node, words) in &got {
            let of_one = &right[node][..words.len().min(right[node].len())];
            assert!(words.len() > 1 && words[..of_one.len()] == *of_one, "{network}: node {node} gets {words:?}");
        }
        // an element that is told the number of another node sends other words
        let top = fs::read_to_string(folder.join("d_top.v")).unwrap();
        let wrong = top.replace("number_of = number", "number_of = number / 2");
        assert_ne!(top, wrong);
        fs::write(folder.join("d_top.v"), wrong).unwrap();
        assert_ne!(received(&folder, "d_tops", "tb/d_tops.v", time), got, "{network}");
    }
}

#[test]
fn tops_of_boards_are_clean_to_every_tool() {
    for (network, boards, root, local) in sampled(DESIGNS, 6) {
        let place = generated(network, Some(boards), root, local);
        let folder = place.path().join("d");
        // list that the tools are given
        fs::copy(folder.join("d_top.f"), folder.join("calls.f")).unwrap();
        every_tool_is_silent(&folder, "d_top");
        if has("verilator") {
            let arguments = "--lint-only -Wall -f d_top.f tb/d_tops.v --top-module d_tops";
            let output = Command::new("verilator").args(arguments.split(' ')).current_dir(&folder).output().unwrap();
            assert!(output.status.success(), "{network}: {}", said(&output));
        }
    }
}
