//! Algorithms of GPU libraries as schedules: those that are exported read back as right and as fast, those of others are checked and
//! become Verilog, and wrong ones are refused by their place.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};
use torusweave::algorithm::{self, Dialect};
use torusweave::check;
use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::export;
use torusweave::schedule::ScheduleCsv;
use torusweave::schemes::{SCHEMES, SchemeName};

use crate::fixtures::chance::Chance;
use crate::fixtures::command::{Place, project};
use crate::fixtures::ranges::{quick_or_full, sampled};
use crate::fixtures::tools::equals_the_model_and_passes;
use crate::schedules::read;

/// Formats that are written and read, by their names.
const FORMATS: [&str; 3] = ["RCCL", "MSCCL", "MSCCL++"];

/// The schedule of a design in a format, if it is exported.
fn exported(design: &Design, format: &str) -> Option<String> {
    let written = match format {
        "RCCL" => export::msccl(&design.program, Dialect::Rccl),
        "MSCCL" => export::msccl(&design.program, Dialect::Msccl),
        _ => export::mscclpp(&design.program),
    };
    written.ok()
}

/// Ticks of schedules that were exported, and of those read back.
#[derive(Default)]
struct RoundTrips {
    taken: u32,
    faster: u32,
    /// schedule, ticks before, ticks after
    slower: Vec<(String, u32, u32)>,
    schemes: BTreeMap<String, u32>,
}

impl RoundTrips {
    /// Exports the schedules of all schemes for a config, and reads them back.
    fn take(&mut self, yaml: &str) {
        let config = Config::parse(yaml).unwrap();
        let picks = SCHEMES.iter().copied().map(SchemeName::One).chain([SchemeName::Auto]);
        for scheme in picks {
            let Ok(design) = Design::in_blocks(Config { scheme, ..config.clone() }) else { continue };
            for format in FORMATS {
                let Some(text) = exported(&design, format) else { continue };
                let what = format!("{} of {} by {format}", design.program.title.scheme, yaml.replace('\n', "; "));
                let again = read(&design, &text).unwrap_or_else(|error| panic!("{what}: {error}"));
                let report = check::by_execution(&again.program);
                assert!(report.passed(), "{what}: {:?}", report.violations);
                let (before, after) = (design.program.ticks, again.program.ticks);
                self.taken += 1;
                self.faster += u32::from(after < before);
                *self.schemes.entry(design.program.title.scheme.clone()).or_default() += 1;
                if after > before {
                    self.slower.push((what, before, after));
                }
            }
        }
    }
}

const NETWORKS: [&str; 9] = [
    "torus: [4, 4]",
    "torus: [6, 8]",
    "torus: [3, 3, 4]",
    "cycle: 7",
    "mesh: [3, 4]",
    "torus: [2, 3]",
    "lattice: [[4, 2], [0, 5]]",
    "torus: [4, 4], dead: { links: [\"0,0:x2+\"] }",
    "torus: [4, 5], dead: { nodes: [\"1,2\"] }",
];

/// Takes round trips of settings on networks, none of which may be slower. A sample of every setting; all under `TORUSWEAVE_FULL`.
fn as_fast(settings: &[&str]) -> RoundTrips {
    let mut trips = RoundTrips::default();
    let pairs = NETWORKS.into_iter().flat_map(|network| settings.iter().map(move |more| (network, more)));
    for (network, more) in sampled(pairs, 9) {
        trips.take(&format!("topology: {{ {network} }}\ncollective: {more}\n"));
    }
    println!("{} round trips, {} faster: {:?}", trips.taken, trips.faster, trips.schemes);
    assert_eq!(trips.slower, Vec::new());
    trips
}

#[test]
fn exported_packets_read_back_right_and_as_fast() {
    let trips = as_fast(&[
        "gossip",
        "gossip\nlink: { flits: 3, latency: 2 }",
        "broadcast\nroot: 3\nlink: { flits: 5 }",
        "scatter\nroot: 1\nlink: { flits: 2 }",
        "gather\nlink: { flits: 2 }",
        "exchange",
        "exchange\nlink: { flits: 2 }",
        "exchange\nlengths: 2",
    ]);
    let (least, schemes) = quick_or_full((60, 10), (600, 18));
    assert!(trips.taken > least && trips.schemes.len() > schemes, "{} {:?}", trips.taken, trips.schemes);
}

#[test]
fn exported_reductions_read_back_right_and_as_fast() {
    let trips = as_fast(&[
        "reduce-scatter\noperation: sum",
        "reduce-scatter\noperation: sum\nlink: { flits: 3 }",
        "all-reduce\noperation: sum",
        "all-reduce\noperation: sum\nlink: { flits: 2, latency: 2 }",
        "all-reduce\noperation: sum\nnumber: f32\nlink: { flits: 8 }",
        "all-reduce\noperation: sum\ncount: 3",
        "all-reduce\noperation: sum\ncount: 70",
    ]);
    let (least, schemes) = quick_or_full((50, 5), (500, 8));
    assert!(trips.taken > least && trips.schemes.len() > schemes, "{} {:?}", trips.taken, trips.schemes);
}

/// Files do not say which end of a link comes first, and a list scheduler does not find every best order. One setting of each network;
/// all under `TORUSWEAVE_FULL`.
#[test]
fn exported_schedules_of_half_duplex_links_read_back_with_at_most_a_tenth_more() {
    let mut trips = RoundTrips::default();
    for (number, network) in NETWORKS.into_iter().enumerate() {
        let settings = ["duplex: half", "lanes: 2", "duplex: half, lanes: 2, flits: 2"];
        for more in sampled(settings.into_iter().cycle().skip(number).take(3), 3) {
            trips.take(&format!("topology: {{ {network} }}\ncollective: gossip\nlink: {{ {more} }}\n"));
        }
    }
    let RoundTrips { taken, faster, slower, .. } = trips;
    println!("{taken} round trips, {faster} faster, {} slower", slower.len());
    for (what, before, after) in &slower {
        println!("{what}: {after} ticks, {before} before");
    }
    let (least, part) = quick_or_full((50, 6), (150, 8));
    assert!(taken > least && part * slower.len() < taken as usize, "{taken}: {slower:?}");
    assert!(slower.iter().all(|(_, before, after)| 10 * after <= 11 * before), "{slower:?}");
}

fn design(yaml: &str) -> Design {
    Design::in_blocks(Config::parse(yaml).unwrap()).unwrap()
}

/// Node, port and message of every send, in any order.
fn ports(design: &Design) -> Vec<String> {
    let text = ScheduleCsv::of(&design.program, design.config.collective(), None).to_string();
    let mut ports: Vec<String> = text.lines().map(|line| line.split_once(',').unwrap().1.to_owned()).collect();
    ports.sort();
    ports
}

#[test]
fn exported_schedules_read_back_with_the_same_ports() {
    for network in ["torus: [2, 3]", "torus: [2, 2]", "torus: [2, 2, 3]", "torus: [4, 4]"] {
        for more in ["gossip\nscheme: optimal", "all-reduce\noperation: sum\nscheme: optimal", "exchange"] {
            let design = design(&format!("topology: {{ {network} }}\ncollective: {more}\n"));
            // plans do not number outputs
            for format in ["RCCL", "MSCCL"] {
                let again = read(&design, &exported(&design, format).unwrap()).unwrap();
                assert_eq!(ports(&again), ports(&design), "{network} {more} {format}");
            }
        }
    }
}

/// A step of a thread block: type, source, target, and the step that it waits for.
type Step = (&'static str, (char, usize), (char, usize), Option<(usize, usize)>);

/// Thread block: peers, and steps.
type Block = (Option<usize>, Option<usize>, Vec<Step>);

/// An algorithm in XML, with as few attributes as MSCCL's tools write. A step is for `count` chunks.
fn xml(
    collective: &str,
    in_place: bool,
    sizes: [usize; 3],
    (ranks, count): (usize, usize),
    blocks: impl Fn(usize) -> Vec<Block>,
) -> String {
    let mut text = format!(
        "<algo name=\"ring\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"{ranks}\" ngpus=\"{ranks}\" \
         coll=\"{collective}\" inplace=\"{}\">\n",
        u8::from(in_place)
    );
    let peer = |peer: Option<usize>| peer.map_or(-1, |peer| peer as i64);
    for rank in 0..ranks {
        let [inputs, outputs, scratch] = sizes;
        writeln!(text, "<gpu id=\"{rank}\" i_chunks=\"{inputs}\" o_chunks=\"{outputs}\" s_chunks=\"{scratch}\">")
            .unwrap();
        let blocks = blocks(rank);
        let awaited: Vec<(usize, usize)> = blocks.iter().flat_map(|block| &block.2).filter_map(|step| step.3).collect();
        for (id, (send, recv, steps)) in blocks.iter().enumerate() {
            let (send, recv) = (peer(*send), peer(*recv));
            writeln!(text, "<tb id=\"{id}\" send=\"{send}\" recv=\"{recv}\" chan=\"0\">").unwrap();
            for (number, (kind, (from, at), (to, there), after)) in steps.iter().enumerate() {
                let count = match (*kind, from) {
                    ("nop", _) => 0,
                    ("cpy", 'i') => inputs,
                    _ => count,
                };
                let (block, step) = after.map_or((-1, -1), |(block, step)| (block as i64, step as i64));
                let awaited = u8::from(awaited.contains(&(id, number)));
                writeln!(
                    text,
                    "<step s=\"{number}\" type=\"{kind}\" srcbuf=\"{from}\" srcoff=\"{at}\" dstbuf=\"{to}\" \
                     dstoff=\"{there}\" cnt=\"{count}\" depid=\"{block}\" deps=\"{step}\" hasdep=\"{awaited}\"/>"
                )
                .unwrap();
            }
            text += "</tb>\n";
        }
        text += "</gpu>\n";
    }
    text + "</algo>\n"
}

/// Ring all-gather in place: each rank passes on what it receives.
fn ring_all_gather(ranks: usize) -> String {
    xml("allgather", true, [1, ranks, 0], (ranks, 1), |rank| {
        let passed = (1..ranks).map(|step| {
            let place = ('o', (rank + ranks - step) % ranks);
            (if step + 1 < ranks { "rcs" } else { "r" }, place, place, None)
        });
        let steps = std::iter::once(("s", ('i', 0), ('o', rank), None)).chain(passed).collect();
        vec![(Some((rank + 1) % ranks), Some((rank + ranks - 1) % ranks), steps)]
    })
}

/// Ring all-reduce in place, as NCCL's own: partial sums go round once, and sums a second time.
fn ring_all_reduce(ranks: usize) -> String {
    xml("allreduce", true, [ranks, ranks, 0], (ranks, 1), |rank| {
        let steps = (0..2 * ranks - 1).map(|step| {
            let place = ('i', (rank + 2 * ranks - step) % ranks);
            let kind = match step {
                0 => "s",
                _ if step < ranks - 1 => "rrs",
                _ if step == ranks - 1 => "rrcs",
                _ if step < 2 * ranks - 2 => "rcs",
                _ => "r",
            };
            (kind, place, place, None)
        });
        vec![(Some((rank + 1) % ranks), Some((rank + ranks - 1) % ranks), steps.collect())]
    })
}

/// Ring all-reduce out of place, with partial sums in scratch, and one thread block that sends and one that receives.
fn ring_all_reduce_in_scratch(ranks: usize) -> String {
    xml("allreduce", false, [ranks, ranks, ranks], (ranks, 1), |rank| {
        let chunk = |step: usize| (rank + 2 * ranks - step) % ranks;
        let copy = ("cpy", ('i', 0), ('s', 0), None);
        let received = (1..2 * ranks - 1).map(|step| {
            let (kind, buffer) = if step < ranks { ("rrc", 's') } else { ("r", 'o') };
            (kind, (buffer, chunk(step)), (buffer, chunk(step)), (step == 1).then_some((0, 0)))
        });
        let sent = (0..2 * ranks - 2).map(|step| {
            let buffer = if step < ranks { 's' } else { 'o' };
            let after = if step == 0 { (0, 0) } else { (1, step - 1) };
            ("s", (buffer, chunk(step)), (buffer, chunk(step)), Some(after))
        });
        // the chunk that is completed here; a step that only waits, as MSCCL's tools write it
        let own = chunk(ranks - 1);
        let kept = vec![("nop", ('i', 0), ('o', 0), Some((1, ranks - 2))), ("cpy", ('s', own), ('o', own), None)];
        vec![
            (None, None, vec![copy]),
            (None, Some((rank + ranks - 1) % ranks), received.collect()),
            (Some((rank + 1) % ranks), None, sent.collect()),
            (None, None, kept),
        ]
    })
}

/// Reduce-scatter of ranks that are all neighbours: values are received in scratch and added there.
fn all_pairs_reduce_scatter(ranks: usize) -> String {
    xml("reduce_scatter", true, [ranks, 1, ranks], (ranks, 1), |rank| {
        let others = || (0..ranks).filter(|&other| other != rank);
        let block = |other: usize| {
            let steps = vec![("s", ('i', other), ('s', rank), None), ("r", ('s', other), ('s', other), None)];
            (Some(other), Some(other), steps)
        };
        let added = others().enumerate().map(|(at, other)| ("re", ('s', other), ('i', rank), Some((at, 1))));
        others().map(block).chain([(None, None, added.collect())]).collect()
    })
}

/// The design that an algorithm is read for.
fn read_for(yaml: &str, text: &str) -> Design {
    read(&design(yaml), text).unwrap_or_else(|error| panic!("{yaml}: {error}\n{text}"))
}

#[test]
fn rings_as_msccl_tools_write_them_are_right_and_pass_their_benches() {
    const SUM: &str = "collective: all-reduce\noperation: sum";
    // 8 nodes that are all neighbours
    let all = "topology: { lattice: [[8, 0, 0, 0], [-2, 1, 0, 0], [-3, 0, 1, 0], [-4, 0, 0, 1]] }";
    let scatter = "collective: reduce-scatter\noperation: sum\nlink: { flits: 2 }";
    let pairs = all_pairs_reduce_scatter(3);
    for (yaml, text, ticks) in [
        ("topology: { cycle: 4 }".to_owned(), ring_all_gather(4), 3),
        ("topology: { cycle: 7 }\nlink: { flits: 3, latency: 2 }".to_owned(), ring_all_gather(7), 6 * 3 + 1),
        (format!("topology: {{ cycle: 4 }}\n{SUM}"), ring_all_reduce(4), 2 * 3 + 1),
        (format!("topology: {{ cycle: 8 }}\n{SUM}"), ring_all_reduce(8), 2 * 7 + 1),
        (format!("topology: {{ cycle: 8 }}\n{SUM}"), ring_all_reduce_in_scratch(8), 2 * 7 + 1),
        (format!("topology: {{ cycle: 5 }}\n{SUM}\nlink: {{ flits: 2 }}"), ring_all_reduce(5), 2 * 4 * 2 + 1),
        (format!("topology: {{ cycle: 3 }}\n{scatter}"), pairs, 2),
        (format!("{all}\n{scatter}"), all_pairs_reduce_scatter(8), 2),
    ] {
        let design = read_for(&yaml, &text);
        assert!(check::by_execution(&design.program).passed(), "{yaml}");
        assert_eq!(design.program.ticks, ticks, "{yaml}");
        equals_the_model_and_passes(&yaml, &design.program, &design.options());
    }
}

#[test]
fn a_vector_that_one_rank_adds_up_is_a_schedule_of_counted_words() {
    let yaml = "topology: { path: 3 }\ncollective: all-reduce\noperation: sum\ncount: 6\nscheme: fork";
    let design = read_for(yaml, &at_one_rank());
    assert!(check::by_execution(&design.program).passed());
    assert_eq!(design.program.ticks, 2 * (6 + 1) + 1);
    equals_the_model_and_passes(yaml, &design.program, &design.options());
}

#[test]
fn algorithms_may_have_any_space_between_attributes() {
    let text = ring_all_gather(4).replace("/>", " />").replace(" chan", "\n\t\tchan").replace("<step", "\t<step");
    let text = format!("<?xml version=\"1.0\"?>\n<!-- ring -->\n{text}");
    assert_eq!(read_for("topology: { cycle: 4 }", &text).program.ticks, 3);
    assert!(algorithm::check(&text, Dialect::Msccl).is_err());
}

#[test]
fn chunks_that_return_to_their_rank_are_sent() {
    let text = xml("allgather", true, [1, 2, 2], (2, 1), |rank| {
        let (own, other) = (('o', rank), ('o', 1 - rank));
        let mut steps = vec![("s", own, own, None), ("r", other, other, None)];
        if rank == 0 {
            steps.extend([("r", ('s', 0), ('s', 0), None), ("s", other, other, None)]);
        } else {
            steps.extend([("s", other, other, None), ("r", ('s', 0), ('s', 0), None)]);
        }
        vec![(Some(1 - rank), Some(1 - rank), steps)]
    });
    for (more, ticks) in [("", 2), ("\nlink: { duplex: half }", 4), ("\nlink: { duplex: half, flits: 2 }", 8)] {
        let design = read_for(&format!("topology: {{ path: 2 }}{more}"), &text);
        assert!(check::by_execution(&design.program).passed());
        assert_eq!(design.program.ticks, ticks, "{more}");
    }
}

#[test]
fn relaxed_signals_of_plans_are_signals() {
    let design = design("topology: { torus: [2, 3] }\ncollective: all-reduce\noperation: sum");
    let plan = exported(&design, "MSCCL++").unwrap();
    let relaxed = plan.replace("\"signal\"", "\"rlxsignal\"").replace("\"wait\"", "\"rlxwait\"");
    assert!(relaxed != plan && algorithm::check_plan(&relaxed).is_err());
    let ticks = |text: &str| read(&design, text).unwrap().program.ticks;
    assert_eq!(ticks(&relaxed), ticks(&plan));
}

#[test]
fn algorithms_larger_than_their_readers_take_are_schedules() {
    let text = ring_all_gather(300);
    assert!(algorithm::check(&text, Dialect::Msccl).unwrap_err().to_string().contains("at most 256 steps"));
    assert_eq!(read_for("topology: { cycle: 300 }", &text).program.ticks, 299);
}

/// The error of an algorithm on a network, with the cure.
fn refusal(yaml: &str, file: &str, text: &str) -> String {
    let place = Place::new();
    place.write(file, text);
    place.write("mine.yaml", format!("{yaml}\nscheme: {{ file: {file} }}\n"));
    let ended = place.run("check mine.yaml");
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{text}\n{}", ended.stderr);
    ended.stderr
}

/// Text with a change in one line, from 1.
fn with_line(text: &str, line: usize, from: &str, to: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    assert!(lines[line - 1].contains(from), "{}", lines[line - 1]);
    lines[line - 1] = lines[line - 1].replacen(from, to, 1);
    lines.join("\n")
}

#[test]
fn wrong_algorithms_are_refused_by_their_place() {
    const GOSSIP: &str = "topology: { cycle: 4 }";
    const ROW: &str = "topology: { path: 3 }\ncollective: all-reduce\noperation: sum";
    const SUM: &str = "topology: { cycle: 4 }\ncollective: all-reduce\noperation: sum";
    let (gather, sums) = (ring_all_gather(4), ring_all_reduce(4));
    let lines = |text: &str, kept: &dyn Fn(usize) -> bool| {
        let lines = (1..).zip(text.lines()).filter(|&(line, _)| kept(line));
        lines.map(|(_, line)| line).collect::<Vec<_>>().join("\n")
    };
    let shorter = lines(&gather, &|line| line != 7);
    let plan = export::mscclpp(&design(GOSSIP).program).unwrap();
    let mut shown = String::new();
    for (what, yaml, file, text) in [
        ("no link", "topology: { path: 4 }", "mine.xml", gather.clone()),
        ("no link", "topology: { path: 4 }", "mine.json", plan.clone()),
        ("dropped last step", GOSSIP, "mine.xml", shorter),
        (
            "wrong offset",
            GOSSIP,
            "mine.xml",
            with_line(&gather, 5, "srcoff=\"3\" dstbuf=\"o\" dstoff=\"3\"", "srcoff=\"2\" dstbuf=\"o\" dstoff=\"2\""),
        ),
        ("another collective", SUM, "mine.xml", gather.clone()),
        ("another number of ranks", "topology: { cycle: 5 }", "mine.xml", gather.clone()),
        ("another collective", "topology: { cycle: 4 }\ncollective: broadcast", "mine.json", plan.clone()),
        ("a sum without what has come", ROW, "mine.xml", apart(true)),
        ("a sum without the own value", ROW, "mine.xml", apart(false)),
        (
            "a value sent twice",
            "topology: { cycle: 3 }\ncollective: all-reduce\noperation: sum",
            "mine.xml",
            sent_twice(),
        ),
        ("uneven blocks", ROW, "mine.xml", at_one_rank()),
        (
            "another root",
            "topology: { path: 3 }\ncollective: broadcast\nroot: 1",
            "mine.xml",
            export::msccl(&design("topology: { path: 3 }\ncollective: broadcast").program, Dialect::Rccl).unwrap(),
        ),
        (
            "flits that are not as many chunks",
            "topology: { path: 3 }\ncollective: broadcast\nlink: { flits: 3 }",
            "mine.xml",
            export::msccl(
                &design("topology: { path: 3 }\ncollective: broadcast\nlink: { flits: 2 }").program,
                Dialect::Rccl,
            )
            .unwrap(),
        ),
        ("no XML", GOSSIP, "mine.xml", "<algo".to_owned()),
        ("unknown step", GOSSIP, "mine.xml", with_line(&sums, 4, "type=\"s\"", "type=\"send\"")),
        ("no plan", GOSSIP, "mine.json", "{ \"gpus\": 3 }".to_owned()),
        ("dropped operation", GOSSIP, "mine.json", dropped(&plan)),
    ] {
        write!(shown, "{what}\n{}\n", refusal(yaml, file, &text)).unwrap();
    }
    insta::assert_snapshot!(shown);
}

/// Block that receives the whole vector, or sends it.
fn whole(kind: &'static str, peer: usize, buffer: char, after: Option<(usize, usize)>) -> Block {
    let step = (kind, (buffer, 0), (buffer, 0), after);
    if kind == "s" { (Some(peer), None, vec![step]) } else { (None, Some(peer), vec![step]) }
}

/// All-reduce of 3 ranks in a row: the first one adds everything, and sends the sum back.
fn by_first(second: Vec<Block>, third: Vec<Block>, first: Vec<Block>) -> String {
    let ranks = [first, second, third];
    xml("allreduce", true, [3, 3, 3], (3, 3), |rank| ranks[rank].clone())
}

/// The sum is completed by one rank.
fn at_one_rank() -> String {
    let second = vec![
        whole("rrc", 2, 'i', None),
        whole("s", 0, 'i', Some((0, 0))),
        whole("r", 0, 'i', Some((1, 0))),
        whole("s", 2, 'i', Some((2, 0))),
    ];
    let third = vec![whole("s", 1, 'i', None), whole("r", 1, 'i', Some((0, 0)))];
    by_first(second, third, vec![whole("rrc", 1, 'i', None), whole("s", 1, 'i', Some((0, 0)))])
}

/// The second rank sends its own value and that of the third one after the other, in one of two orders.
fn apart(is_own_first: bool) -> String {
    let own: Step = ("s", ('i', 0), ('i', 0), None);
    let other: Step = ("s", ('s', 0), ('i', 0), Some((0, 0)));
    let sent = if is_own_first { vec![own, other] } else { vec![other, own] };
    let second = vec![
        whole("r", 2, 's', None),
        (Some(0), None, sent),
        whole("r", 0, 'i', Some((1, 1))),
        whole("s", 2, 'i', Some((2, 0))),
    ];
    let third = vec![whole("s", 1, 'i', None), whole("r", 1, 'i', Some((0, 0)))];
    let added = ("rrc", ('i', 0), ('i', 0), None);
    by_first(second, third, vec![(None, Some(1), vec![added, added]), whole("s", 1, 'i', Some((0, 1)))])
}

/// The third rank sends its value to both others, and the first one does not use it.
fn sent_twice() -> String {
    let second = vec![
        whole("rrc", 2, 'i', None),
        whole("s", 0, 'i', Some((0, 0))),
        whole("r", 0, 'i', Some((1, 0))),
        whole("s", 2, 'i', Some((2, 0))),
    ];
    let third = vec![
        whole("s", 1, 'i', None),
        whole("s", 0, 'i', None),
        (None, Some(1), vec![("nop", ('i', 0), ('i', 0), Some((1, 0))), ("r", ('i', 0), ('i', 0), Some((0, 0)))]),
    ];
    by_first(
        second,
        third,
        vec![whole("rrc", 1, 'i', None), whole("s", 1, 'i', Some((0, 0))), whole("r", 2, 's', None)],
    )
}

/// A plan without its first signal after a put.
fn dropped(plan: &str) -> String {
    let mut plan: Value = serde_json::from_str(plan).unwrap();
    let ops = plan.pointer_mut("/gpus/1/threadblocks/0/ops").unwrap().as_array_mut().unwrap();
    let put = ops.iter().position(|op| op["name"] == "put").unwrap();
    let signal = ops[put..].iter().position(|op| op["name"] == "signal").unwrap();
    ops[put + signal] = json!({ "name": "nop" });
    plan.to_string()
}

/// Changes one thing of a text: a number, a line, or a word.
fn damaged(text: &str, chance: &mut Chance) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let [at, other] = [(); 2].map(|()| chance.below(lines.len() as u32) as usize);
    let mut lines: Vec<String> = lines.into_iter().map(str::to_owned).collect();
    match chance.below(6) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(other, lines[at].clone()),
        2 => lines.swap(at, other),
        3 => {
            let line = &lines[at];
            let cut = line.char_indices().nth(chance.below(line.len().max(1) as u32) as usize);
            lines[at].truncate(cut.map_or(0, |(cut, _)| cut));
        }
        _ => {
            let digits: Vec<usize> = lines[at].match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
            if !digits.is_empty() {
                let digit = chance.of(&digits);
                let new = ["0", "1", "2", "3", "7", "-1", "99999999999999999999", "x"][chance.below(8) as usize];
                lines[at].replace_range(digit..=digit, new);
            }
        }
    }
    lines.join("\n")
}

#[test]
fn damaged_algorithms_are_refused_or_right() {
    let [mut refused, mut right] = [0, 0];
    let mut chance = Chance(11);
    for more in
        ["gossip", "broadcast", "scatter", "exchange", "reduce-scatter\noperation: sum", "all-reduce\noperation: sum"]
    {
        let design = design(&format!("topology: {{ torus: [2, 3] }}\ncollective: {more}"));
        for text in FORMATS.iter().filter_map(|format| exported(&design, format)) {
            for _ in 0..40 {
                let text = damaged(&text, &mut chance);
                match read(&design, &text) {
                    Err(_) => refused += 1,
                    Ok(again) => {
                        right += 1;
                        let report = check::by_execution(&again.program);
                        assert!(report.passed(), "{more}: {:?}\n{text}", report.violations);
                    }
                }
            }
        }
    }
    println!("{refused} refused, {right} right");
    assert!(refused > 400 && right > 20, "{refused} {right}");
}

#[test]
fn the_page_shows_what_the_example_prints() {
    let page = std::fs::read_to_string(project().join("docs/own-schedules.md")).unwrap();
    let example = project().join("examples/schedules/msccl_ring.yaml");
    let ended = Place::new().run(&format!("check {}", example.display()));
    let shown: String = ended.stdout.split_inclusive('\n').take(6).collect();
    assert!(ended.code == 0 && page.contains(&shown), "{}{}", ended.stdout, ended.stderr);
    let xml = std::fs::read_to_string(example.with_extension("xml")).unwrap();
    let first: String = xml.split_inclusive('\n').take(5).collect();
    assert!(page.contains(&first), "{first}");
}

#[test]
fn every_command_takes_an_algorithm() {
    let place = Place::new();
    place.write("mine.xml", ring_all_reduce(4));
    let sum = "--cycle 4 --collective all-reduce --operation sum --scheme mine.xml";
    for command in
        ["check", "generate", "program", "explain --node 1", "export --to mscclpp -o mine.json", "draw -o mine.svg"]
    {
        let ended = place.run(&format!("{command} {sum}"));
        assert_eq!(ended.code, 0, "{command}: {}{}", ended.stdout, ended.stderr);
    }
    let copy = place.path().join("generated/cycle_4/cycle_4_schedule.xml");
    assert_eq!(std::fs::read_to_string(copy).unwrap(), ring_all_reduce(4));
    // a file that is exported again is as fast
    let again = place.run(&format!("check {}", sum.replace("mine.xml", "mine.json")));
    assert!(again.code == 0 && again.stdout.contains("steps       7\n"), "{}{}", again.stdout, again.stderr);
    place.write("list.yaml", "topology: { cycle: 4 }\nhost: { bus: uart }\nprograms: [{ collective: all-reduce, operation: sum, scheme: { file: mine.xml } }, { collective: gossip }]\n");
    let listed = place.run("check list.yaml");
    assert_eq!(listed.code, 0, "{}{}", listed.stdout, listed.stderr);
}
