//! Mutants of all that is beside router and control: the generated bench of each part catches them, they are equivalent, or they
//! are named here.
//!
//! `just rtl-mutants` tries many and prints the score of each part; a test by itself tries a few.

use std::fs;

use torusweave::design::Design;
use torusweave::net::ShapeName;

use crate::bist::LISTENER;
use crate::fixtures::designs::{self, Folder};
use crate::fixtures::tools::{call, has};
use crate::rtl_mutants::{Mutant, is_full, mutants};

/// Mutants tried per part: with `TORUSWEAVE_FULL=all`, and else.
const TRIED: [usize; 2] = [40, 1];

/// Testbench that plays a part.
#[derive(Clone, Copy)]
enum Bench {
    Fabric,
    System,
    Elastic,
    Pads,
    /// The self-test has no bench: what it says on its serial line, of a right fabric and of an injected error.
    SelfTest {
        begins_anew: bool,
    },
}

struct Part {
    name: &'static str,
    design: Design,
    /// Ends of the names of its files.
    files: &'static [&'static str],
    bench: Bench,
}

fn parts() -> Vec<Part> {
    use Bench::{Elastic, Fabric, Pads, SelfTest, System};
    let part = |name, shape, sides: &[u32], settings: &str, files, bench| {
        let settings: Vec<&str> = settings.split(' ').chain(["link.width=8", "name=d"]).collect();
        Part { name, design: designs::design_on(shape, sides, &settings), files, bench }
    };
    let (torus, path) = (ShapeName::Torus, ShapeName::Path);
    let ports = "scheme=staircase link.flits=2 local.order=arrival";
    let chain = "scheme=staircase link.flits=2 local.order=origin host=chain";
    let broadcast = "collective=broadcast scheme=fork root=0";
    vec![
        part("leaf, fabric", path, &[5], broadcast, &["d_leaf.v", "d.v"], Fabric),
        part("links", torus, &[2, 3], "scheme=optimal link.latency=2", &["d_link.v", "d.v"], Fabric),
        part(
            "configuration",
            torus,
            &[2, 2],
            "scheme=staircase crossbar=configurable",
            &["d_configuration.v", "d_router_a.v"],
            Fabric,
        ),
        part(
            "protocol",
            path,
            &[6],
            "scheme=shoulder-tap collective=gather tree=path lengths=[0,2,3,1,2,0]",
            &["_tap.v", "_tap_last.v", "d.v"],
            Fabric,
        ),
        part("node", torus, &[2, 2], ports, &["_node.v", "_order.v", "_order_a.v", "_system.v"], System),
        part("ring", torus, &[2, 2], chain, &["_chain.v"], System),
        part(
            "boards",
            torus,
            &[2, 2],
            "scheme=optimal link.elastic=true",
            &["_board.v", "_class.v", "_fifo.v"],
            Elastic,
        ),
        part("pads", path, &[5], "scheme=lau-zhang link.duplex=pads", &["_pads_a.v", "_pads_b.v", "_pads_c.v"], Pads),
        part(
            "self-test",
            torus,
            &[2, 2],
            "scheme=staircase bist=true",
            &["_bist.v", "_bist_port.v", "_bist_word.v", "_bist_report.v"],
            SelfTest { begins_anew: true },
        ),
        part(
            "self-test of packets in order",
            path,
            &[3],
            "collective=scatter link.flits=3 bist=true",
            &["_bist_source.v"],
            SelfTest { begins_anew: false },
        ),
        part(
            "self-test of a sum",
            path,
            &[3],
            "collective=all-reduce operation=sum bist=true",
            &["_bist_value.v"],
            SelfTest { begins_anew: false },
        ),
        part(
            "self-test of a maximum",
            path,
            &[3],
            "collective=all-reduce operation=max bist=true",
            &["_bist_value.v"],
            SelfTest { begins_anew: false },
        ),
    ]
}

/// Fabrics for the self-test, with parameters: a correct one, an injected error, an early `done`, one that never ends.
const FABRICS: [(&str, &str, &str, &str); 4] = [
    ("", "d.v", "", ""),
    (", .INJECT_RUN(3), .INJECT_TICK(2), .INJECT_NODE(1), .INJECT_PORT(2)", "d.v", "", ""),
    ("", "d.v", "{ending, over};", "{ending, last};"),
    ("", "d_leaf.v", "q <= d;", "q <= {BITS{1'b0}};"),
];

/// Counts how the self-test drives the fabric: a run that begins another way would test less.
const WATCHES: &str = r"
    integer clocks = 0;
    integer high = 0;
    integer rises = 0;
    integer clears = 0;
    reg before = 1'b0;
    reg again = 1'b0;
    always @(posedge clk) begin
        clocks = clocks + 1;
        if (dut.run === 1'b1) high = high + 1;
        if (dut.run === 1'b1 && before !== 1'b1) rises = rises + 1;
        if (dut.rst_fabric === 1'b1) clears = clears + 1;
        before = dut.run;
    end
endmodule
";

/// Begins anew, as many clocks later each time as the counter of clocks takes to come round.
const PRESSES: &str = r"
        for (place = 0; place < 33; place = place + 1) begin
            repeat (place) @(negedge clk);
            again = 1'b1;
            @(negedge clk) again = 1'b0;
            @(posedge dut.said);
        end
        ";

/// Prints those counts.
const TELLS: &str =
    r#"$display("%0d clocks, run high in %0d, %0d rises, rst high in %0d", clocks, high, rises, clears);"#;

/// Output of a part's bench; `None` if the text does not compile.
fn prints(folder: &Folder, bench: Bench) -> Option<String> {
    let plays = |arguments: &str, plus: &[&str]| {
        // a loop over generated parts may have no end
        let arguments = format!("30 iverilog -g2005 -o sim {arguments}");
        let (compiles, _) = call(folder, "timeout", &arguments.split(' ').collect::<Vec<_>>());
        let played = || call(folder, "timeout", &[&["30", "vvp", "-n", "sim"], plus].concat()).1;
        compiles.then(played)
    };
    match bench {
        Bench::Fabric => plays("-f d.f tb/d_tb.v", &[]),
        Bench::System => plays("-f d_system.f tb/d_system_tb.v", &["+runs=5"]),
        Bench::Elastic => plays("-f d_board.f tb/d_board_tb.v", &["+runs=3"]),
        Bench::Pads => plays("-f d.f tb/d_boards_link.v tb/d_boards.v tb/d_boards_tb.v", &[]),
        Bench::SelfTest { begins_anew } => {
            let mut said = String::new();
            for (index, (set, file, from, to)) in FABRICS.into_iter().enumerate() {
                let dut = format!("d_bist #(.RUNS(6), .CLOCK(4), .BAUD(1){set}) dut");
                let listener = LISTENER.replace("bist dut", &dut).replace(".again(1'b0)", ".again(again)");
                // the right one is tested again and again, the others once
                let (presses, most) = if index == 0 && begins_anew { (PRESSES, "#400000") } else { ("", "#40000") };
                let listener =
                    listener.replace("#400000", most).replacen("$finish;", &[presses, TELLS, "$finish;"].concat(), 1);
                fs::write(folder.path().join("listener.v"), listener.replace("endmodule", WATCHES)).unwrap();
                let path = folder.path().join(file);
                let right = fs::read_to_string(&path).unwrap();
                fs::write(&path, if from.is_empty() { right.clone() } else { right.replace(from, to) }).unwrap();
                let printed = plays("-s listener -f d.f listener.v", &[]);
                fs::write(&path, right).unwrap();
                said += &printed?;
            }
            Some(said)
        }
    }
}

/// Returns true if the module does the same with the mutant as without, by induction over its registers.
fn is_equivalent(folder: &Folder, list: &str, mutant: &Mutant) -> bool {
    let list = fs::read_to_string(folder.path().join(list)).unwrap();
    fs::write(folder.path().join("mutant.v"), &mutant.text).unwrap();
    let module = mutant.file.trim_end_matches(".v");
    let read = |file: &str| if file == mutant.file { "mutant.v".to_owned() } else { file.to_owned() };
    let right: Vec<String> = list.lines().map(str::to_owned).collect();
    let wrong: Vec<String> = list.lines().map(read).collect();
    let prepared = |files: &[String], name: &str| {
        let files = files.join(" ");
        format!("read_verilog {files}; prep -flatten -top {module}; memory_map; opt_clean; design -stash {name}; ")
    };
    let script = format!(
        "{}{}design -copy-from gold -as gold {module}; design -copy-from gate -as gate {module}; \
         equiv_make gold gate both; prep -flatten -top both; equiv_simple; equiv_induct -seq 4; equiv_status -assert",
        prepared(&right, "gold"),
        prepared(&wrong, "gate"),
    );
    call(folder, "timeout", &["60", "yosys", "-q", "-p", &script]).0
}

/// Mutants that a bench does not catch and induction does not prove equivalent, each with its reason.
const NOT_CAUGHT: [(&str, &str); 7] = [
    ("_in_data  = {WIDTH{1'b1}};", "nothing is ever sent there, and data without valid means nothing"),
    ("_in_valid = r_first[WIDTH] & needs | r_linked;", "in every tick of this design a flit arrives there"),
    (
        "`playing <= hold ? 6'd1",
        "a stray tick before the first one, in which links hold nothing; the bench sees it with takes",
    ),
    ("`;`, not `write <= 1'b0;`", "until the first run it writes into the bank that this run fills"),
    (
        "`;`, not `count <= {TICK{1'b0}};`",
        "the first tick of a run begins the count anew, and before it any wrong count will do",
    ),
    ("`empty <= 2'b01;`", "one bank is right and slower: the clocks on docs/streams.md show it"),
    ("`first_ticks <= first_ticks - ", "runs are broken off after the same numbers of ticks, in another order"),
];

#[test]
fn mutants_of_every_part_are_caught_by_its_bench_or_equivalent_or_named() {
    if !has("iverilog") || !has("yosys") {
        return;
    }
    let [many, few] = TRIED;
    let most = if is_full() { many } else { few };
    let mut lives = Vec::new();
    let mut all_tried = 0;
    for Part { name, design, files, bench } in parts() {
        let folder = Folder::with_options(&design.program, &design.options());
        let list = match bench {
            Bench::System => "d_system.f",
            Bench::Elastic => "d_board.f",
            _ => "d.f",
        };
        let listed = fs::read_to_string(folder.path().join(list)).unwrap();
        let files: Vec<&str> = listed.lines().filter(|file| files.iter().any(|end| file.ends_with(end))).collect();
        let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
        let all: Vec<Mutant> = files.iter().flat_map(|file| mutants(file, &read(file))).collect();
        assert!(!all.is_empty(), "{name}: {listed}");
        let right = prints(&folder, bench).unwrap();
        assert!(right.contains("PASS"), "{name}: {right}");
        let (mut caught, mut equivalent, mut named) = (0, 0, 0);
        for mutant in all.iter().step_by((all.len() / most).max(1)).take(most) {
            let text = read(&mutant.file);
            fs::write(folder.path().join(&mutant.file), &mutant.text).unwrap();
            let printed = prints(&folder, bench);
            fs::write(folder.path().join(&mutant.file), text).unwrap();
            let is_caught = |printed: &String| match bench {
                Bench::SelfTest { .. } => *printed != right,
                _ => !printed.starts_with("PASS"),
            };
            match printed {
                None => {}
                Some(printed) if is_caught(&printed) => caught += 1,
                Some(_) if NOT_CAUGHT.iter().any(|(what, _)| mutant.what.contains(what)) => named += 1,
                Some(_) if is_equivalent(&folder, list, mutant) => equivalent += 1,
                Some(_) => {
                    println!("{name} lives: {}", mutant.what);
                    lives.push(format!("{name}: {}", mutant.what));
                }
            }
        }
        println!("{name}: {caught} caught, {equivalent} proved equivalent, {named} named with a reason");
        all_tried += caught + equivalent + named;
    }
    println!("{all_tried} mutants, {} live", lives.len());
    assert!(lives.is_empty(), "{lives:#?}");
    assert!(!is_full() || all_tried >= 220, "{all_tried}");
}
