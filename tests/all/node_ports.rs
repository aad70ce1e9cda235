//! Nodes of lists with blocks, rows, read ports and elements: played by their bench, beside the model, and with faults.

use std::fs;
use std::path::Path;
use std::process::Command;

use torusweave::design::config::Config;
use torusweave::design::listed::Programs;

use crate::fixtures::called::{every_tool_is_silent, generated};
use crate::fixtures::command::{Ended, Place};
use crate::fixtures::node_lists::{ALL, ROOTED, list, played};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{has, said, toolchain};

/// Ports that `local` can ask for.
const PORTS: [&str; 7] = [
    "results: memory",
    "order: origin",
    "order: arrival",
    "words: 4",
    "results: memory, order: origin",
    "results: memory, order: arrival",
    "words: 2",
];

/// Networks with links and programs.
const NETWORKS: [(&str, &str, &str); 8] = [
    ("torus: [3, 4]", "link: { width: 16 },", ALL),
    ("mesh: [2, 3]", "link: { width: 8 },", ROOTED),
    ("lattice: [[3, 1], [0, 4]]", "", ALL),
    (
        "lattice: [[4, 2], [0, 4]], dead: { links: [\"0,1 x2+\", \"1,1 x2+\"], nodes: [\"3,3\"] }",
        "link: { width: 16 },",
        ROOTED,
    ),
    ("torus: [3, 3]", "number: f32, adder: 2,", "{ collective: all-reduce, operation: sum }, { collective: gossip }"),
    ("torus: [3, 3]", "link: { width: 12, flits: 3 },", ALL),
    ("path: 2", "", "{ collective: gather, root: [1] }, { collective: broadcast, root: [0] }"),
    ("torus: [4, 4]", "link: { width: 16, elastic: true, checksum: crc16, latency: 3, boards: [1, 2] },", ALL),
];

/// Programs whose blocks have different lengths, on networks: blocks are not read by their number.
const UNEVEN: [(&str, &str, &str); 3] = [
    ("torus: [2, 2]", "link: { width: 16 },", LENGTHS),
    (
        "mesh: [2, 3], dead: { nodes: [\"1,2\"] }",
        "link: { width: 8, latency: 2 },",
        "{ collective: exchange, lengths: [[0, 2, 0, 1, 3, 9], [1, 0, 0, 0, 0, 9], [0, 0, 0, 0, 5, 0], [4, 1, 2, 0, 1, 9], \
         [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]] }, { collective: all-reduce, operation: max, flits: 3 }, \
         { collective: gather, root: [0, 1], lengths: [2, 9, 0, 3, 1, 9] }",
    ),
    ("torus: [2, 4]", "link: { width: 16, elastic: true, checksum: crc16, boards: [1, 2] },", SCATTERED),
];
const LENGTHS: &str = "{ collective: gossip, flits: 2 }, { collective: broadcast, root: any, flits: 3 }, { collective: exchange, \
                       lengths: [[0, 2, 0, 3], [1, 0, 0, 0], [0, 0, 0, 0], [1, 1, 4, 0]] }, { collective: scatter, root: [1, 0], \
                       lengths: [3, 1, 0, 0] }, { collective: gather, root: [1, 1], lengths: [2, 0, 5, 0] }";
const SCATTERED: &str = "{ collective: scatter, root: [1, 2], lengths: [3, 1, 0, 2, 1, 1, 0, 7] }, { collective: exchange }, \
                         { collective: gather, root: [1, 0], lengths: [0, 0, 0, 2, 9, 1, 1, 6] }";

/// Every kind of ports on every network.
fn everywhere() -> Vec<(&'static str, (&'static str, &'static str, &'static str))> {
    let known = || PORTS.into_iter().filter(|&ports| ports != "results: memory, order: arrival");
    let even = PORTS.into_iter().flat_map(|ports| NETWORKS.into_iter().map(move |network| (ports, network)));
    even.chain(UNEVEN.into_iter().flat_map(|network| known().map(move |ports| (ports, network)))).collect()
}

fn config(network: &str, more: &str, ports: &str, programs: &str) -> String {
    list(network, &format!("{more} local: {{ {ports} }},"), programs)
}

#[test]
fn every_port_gives_every_word_on_every_network() {
    if !has("iverilog") {
        return;
    }
    for (ports, (network, more, programs)) in sampled(everywhere(), 51) {
        let place = Place::new();
        place.write("list.yaml", config(network, more, ports, programs));
        let ended = place.run("simulate list.yaml --engine icarus");
        let is_right = ended.code == 0 && ended.stdout.starts_with("PASS ");
        assert!(is_right, "{ports} on {network}: {}{}", ended.stdout, ended.stderr);
    }
}

#[test]
fn every_port_gives_the_words_of_the_model() {
    if toolchain().is_none() {
        return;
    }
    let mut all = everywhere();
    all.retain(|(_, (_, more, _))| !more.contains("elastic"));
    for (ports, (network, more, programs)) in sampled(all, 11) {
        let place = Place::new();
        place.write("list.yaml", config(network, more, ports, programs));
        let ended = place.run("simulate list.yaml --engine verilator --calls 60");
        assert_eq!(ended.code, 0, "{ports} on {network}: {}{}", ended.stdout, ended.stderr);
    }
}

#[test]
fn no_tool_has_a_word_on_ports_of_nodes() {
    for (ports, (network, more, programs)) in sampled(everywhere(), 17) {
        let place = generated(&config(network, more, ports, programs));
        let top = if more.contains("elastic") { "calls_board" } else { "calls_system" };
        every_tool_is_silent(&place.path().join("calls"), top);
    }
}

/// Faults by ports, file, text and what stands in its place.
const FAULTS: [(&str, &str, &str, &str); 22] = [
    ("results: memory", "stream", "reads[1:0], m_ram_en}", "reads[1:0], m_ram_en & m_ram_addr[0]}"),
    (
        "results: memory",
        "stream",
        "assign m_ram_full = was_draining & gives & ~freed;",
        "assign m_ram_full = was_draining & gives;",
    ),
    ("results: memory", "stream", "(freed | ~gives)", "1'b1"),
    ("results: memory", "stream", "assign m_ram_valid = reads[2];", "assign m_ram_valid = reads[1];"),
    ("results: memory", "stream", "m_ram_dest = given_program", "m_ram_dest = placed_program"),
    ("results: memory", "node", "out_row = out_all ?", "out_row = ~out_all ?"),
    ("results: memory", "caller", "out_bank <= played_bank;", "out_bank <= in_bank;"),
    ("order: origin", "stream", "(was_last != in_ends)", "(was_last == in_ends)"),
    ("order: origin", "node", "out_is_own ? here : out_root", "here"),
    ("order: origin", "node", "out_root <= put_root;", "out_root <= ~put_root;"),
    ("order: origin", "node", "out_all ? out_block : out_only", "out_block"),
    ("order: origin", "node", "{out_end[0], out_flit == out_last}", "{out_end[0], 1'b0}"),
    ("order: origin", "place", "put_root <= moved ? root_code : fixed;", "put_root <= fixed;"),
    ("order: arrival", "node", ".from(out_code)", ".from(here)"),
    ("order: arrival", "node", "out_all ? out_node : out_only", "out_node"),
    ("results: memory, order: arrival", "node", "out_all ? out_node : out_only", "out_only"),
    ("words: 4", "node", "out_reads <= out_next & ~out_first;", "out_reads <= 1'b1;"),
    ("words: 4", "node", "out_row <= (rst | out_first) ?", "out_row <= rst ?"),
    ("words: 4", "node", "if (rst | (out_moves & ~out_reads)) t_gone", "if (rst) t_gone"),
    ("words: 4", "node", "out_ends <= out_entry", "out_ends <= ~out_entry"),
    ("words: 4", "stream", "out_keep, out_user", "~out_keep, out_user"),
    ("words: 4", "node", "out_chosen_0 <= out_entry", "out_chosen_0 <= ~out_entry"),
];

/// Faults of nodes whose tables say where blocks end.
const FAULTS_OF_LENGTHS: [(&str, &str, &str, &str); 5] = [
    ("order: origin", "node", "assign in_ends = in_entry", "assign in_ends = ~in_entry"),
    ("order: origin", "node", "out_end <= out_entry", "out_end <= ~out_entry"),
    ("order: origin", "node", "out_told ? out_node : out_only", "out_only"),
    ("order: arrival", "node", "out_told ? out_node : out_only", "out_only"),
    ("words: 2", "node", "out_told ? out_told_0 : out_only", "out_only"),
];

/// Faults in what blocks, rows and read ports have of their own are seen by the bench that is generated. A sample; all under
/// `TORUSWEAVE_FULL`.
#[test]
fn the_bench_sees_faults_of_ports() {
    if !has("iverilog") {
        return;
    }
    let even = FAULTS.map(|fault| (fault, ("torus: [3, 3]", "link: { width: 16 },", ALL)));
    let uneven = FAULTS_OF_LENGTHS.map(|fault| (fault, UNEVEN[0]));
    for ((ports, part, right, wrong), (network, more, programs)) in sampled(even, 6).chain(sampled(uneven, 2)) {
        let place = generated(&config(network, more, ports, programs));
        let path = place.path().join(format!("calls/calls_{part}.v"));
        let good = fs::read_to_string(&path).unwrap();
        assert!(good.contains(right), "{ports}: {part}: `{right}` is not there");
        fs::write(&path, good.replacen(right, wrong, 1)).unwrap();
        assert_ne!(played(&place, "calls_tb").code, 0, "{ports}: {part}: `{wrong}` is not seen");
    }
}

/// Arrivals as `arrivals` lists them say in which tick each block of a gossip comes to node 0,0.
#[test]
fn blocks_go_out_in_the_order_of_the_ticks_in_which_they_arrive() {
    let place = Place::new();
    let programs = "{ collective: gossip }, { collective: exchange }";
    place.write("list.yaml", config("torus: [4, 6]", "", "order: arrival", programs));
    let listed = place.run("arrivals list.yaml --program 0 --format csv").stdout;
    let mut ticks = vec![0; 24];
    for line in listed.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [tick, x1, x2] = [3, 4, 5].map(|field| fields[field].parse::<i32>().unwrap());
        let node = usize::try_from(x1.rem_euclid(4) * 6 + x2.rem_euclid(6)).unwrap();
        ticks[node] = if ticks[node] == 0 { tick } else { ticks[node].min(tick) };
    }
    let list = Programs::new(Config::read(&place.path().join("list.yaml")).unwrap()).unwrap();
    // an entry tells how far node 0,0 is from the block's
    let node = |from: u32| ((8 - from / 8) % 4 * 6 + (12 - from % 8) % 6) as usize;
    let order: Vec<usize> = list.netlist.given[..24].iter().map(|given| node(given.from)).collect();
    let mut all = order.clone();
    all.sort_unstable();
    assert_eq!((order[0], all), (0, (0..24).collect()));
    assert!(order.is_sorted_by_key(|&node| ticks[node]), "{order:?} {ticks:?}");
    assert!(!order.is_sorted(), "{order:?}");
}

/// A top that runs for some clocks.
const TOP: &str = "module top_tb;
    reg clk = 1'b0, rst = 1'b1;
    wire busy, done, absent, differs;
    wire [@LAST@:0] astray;
    @MISFRAMED_WIRE@
    integer dones = 0, clocks = 0;
    calls_top top (.clk(clk), .rst(rst), .busy(busy), .done(done), .absent(absent), .differs(differs), .astray(astray),
        @MISFRAMED@ .results());
    always #1 clk = ~clk;
    always @(negedge clk) begin
        clocks = clocks + 1;
        rst = clocks < 20;
        if (!rst && done === 1'b1) dones = dones + 1;
        if (dones == @CALLS@ || clocks == 40000) begin
            $display(\"%0d calls, absent %b, differs %b, astray %0d, misframed %0d, %h\", dones, absent, differs, astray, @MISFRAMED_VALUE@, top.results);
            $finish;
        end
    end
endmodule
";

/// Text that a top prints after some calls.
fn played_top(place: &Place, nodes: u32, calls: u32) -> Ended {
    let folder = place.path().join("calls");
    let last = (nodes - 1).to_string();
    let has_blocks = fs::read_to_string(folder.join("calls_top.v")).unwrap().contains("misframed");
    let (wire, port, value) = if has_blocks {
        (format!("wire [{last}:0] misframed;"), ".misframed(misframed),", "misframed")
    } else {
        (String::new(), "", "0")
    };
    let bench = TOP.replace("@LAST@", &last).replace("@CALLS@", &calls.to_string());
    let bench =
        bench.replace("@MISFRAMED_WIRE@", &wire).replace("@MISFRAMED@", port).replace("@MISFRAMED_VALUE@", value);
    fs::write(folder.join("top_tb.v"), bench).unwrap();
    let compile = ["-g2005", "-Wall", "-o", "top", "-s", "top_tb", "-f", "calls_top.f", "top_tb.v"];
    let compiled = Command::new("iverilog").args(compile).current_dir(&folder).output().unwrap();
    assert!(compiled.status.success(), "{}", said(&compiled));
    Command::new("vvp").args(["-n", "top"]).current_dir(&folder).output().unwrap().into()
}

#[test]
fn elements_call_every_program_for_every_root() {
    if !has("iverilog") {
        return;
    }
    let networks = [
        ("torus: [3, 4]", "link: { width: 16 },", ALL, 12, 7),
        ("mesh: [2, 4], dead: { nodes: [\"0,1\"] }", "link: { width: 8 },", ROOTED, 7, 5),
    ];
    let all = ["results: stream"].into_iter().chain(PORTS).flat_map(|ports| networks.map(|network| (ports, network)));
    for (ports, (network, more, programs, nodes, count)) in sampled(all, 5) {
        let place = generated(&config(network, more, &format!("{ports}, elements: true"), programs));
        let calls = nodes * count + 3;
        let ended = played_top(&place, nodes, calls);
        let start = format!("{calls} calls, absent 0, differs 0, astray 0, misframed 0, ");
        let is_right = ended.stdout.starts_with(&start) && !ended.stdout.contains('x');
        assert!(is_right, "{ports} on {network}: {}{}", ended.stdout, ended.stderr);
        silent_top(&place.path().join("calls"));
    }
}

/// Verilator says nothing of a top.
fn silent_top(folder: &Path) {
    if !has("verilator_bin") {
        return;
    }
    let lint = ["--lint-only", "-Wall", "-f", "calls_top.f", "--top-module", "calls_top"];
    let output = Command::new("verilator_bin").args(lint).current_dir(folder).output().unwrap();
    assert!(output.status.success() && said(&output).is_empty(), "{}", said(&output));
}

#[test]
fn elements_that_sum_what_they_get_see_every_word_and_those_that_differ_are_told() {
    if !has("iverilog") {
        return;
    }
    let programs = "{ collective: gossip }, { collective: all-reduce, operation: sum }";
    let place = generated(&config("torus: [2, 3]", "link: { width: 16 },", "elements: true", programs));
    let path = place.path().join("calls/calls_element.v");
    let mut text = fs::read_to_string(&path).unwrap();
    for (from, to) in [
        ("word <= word - ", "word <= word - 1'b0 * "),
        ("word <= number[WIDTH-1:0];", "word <= number[WIDTH-1:0] + 1'b1;"),
        ("result <= s_axis_tdata;", "result <= result + s_axis_tdata;"),
    ] {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text = text.replace(from, to);
    }
    fs::write(&path, &text).unwrap();
    // 1 + 2 + .. + 6 of the gossip, and six times that of the reduction
    let ended = played_top(&place, 6, 2);
    let expected = format!("2 calls, absent 0, differs 0, astray 0, misframed 0, {}\n", "0093".repeat(6));
    assert_eq!(ended.stdout, expected, "{}", ended.stderr);
    // one element asks for the calls in another order
    fs::write(
        &path,
        text.replace(
            "program_number <= 1'd0;\n            root <= 3'd0;",
            "program_number <= (NODE == 3);\n            root <= 3'd0;",
        ),
    )
    .unwrap();
    let ended = played_top(&place, 6, 2);
    assert!(ended.stdout.contains("differs 1"), "{}", ended.stdout);
}

#[test]
fn an_edited_element_of_a_list_is_kept_and_named_for_other_programs() {
    let programs = "{ collective: gossip }, { collective: exchange }";
    let place = generated(&config("torus: [2, 3]", "link: { width: 16 },", "elements: true", programs));
    let path = place.path().join("calls/calls_element.v");
    let mine = fs::read_to_string(&path).unwrap() + "// mine\n";
    fs::write(&path, &mine).unwrap();
    let ended = place.run("generate calls.yaml --out calls");
    assert!(ended.code == 0 && ended.stderr.contains("kept calls/calls_element.v"), "{}", ended.stderr);
    assert_eq!(fs::read_to_string(&path).unwrap(), mine);
    assert_eq!(place.run("generate calls.yaml --out calls --check").code, 0);
    place.write(
        "calls.yaml",
        config("torus: [2, 3]", "link: { width: 16 },", "elements: true, order: origin", programs),
    );
    let ended = place.run("generate calls.yaml --out calls");
    assert!(ended.stderr.contains("for a design with other ports"), "{}", ended.stderr);
}

#[test]
fn ports_of_nodes_beside_a_host_are_refused() {
    let programs = "{ collective: gossip }";
    for (ports, field) in [
        ("order: arrival", "local.order"),
        ("words: 2", "local.words"),
        ("results: memory", "local.results"),
        ("elements: true", "local.elements"),
    ] {
        let place = Place::new();
        let config = config("torus: [2, 3]", "link: { width: 16 },", ports, programs);
        place.write("list.yaml", config.replace("bus: streams", "bus: uart"));
        let ended = place.run("check list.yaml");
        let problem = format!("{field}: not supported with `programs`");
        assert!(ended.code == 2 && ended.stderr.contains(&problem), "{ports}: {}", ended.stderr);
    }
}
