//! Exports for MSCCL and RCCL keep the rules of their readers and compute what they promise; damaged files are refused.

use torusweave::algorithm::{self, Dialect, FileFault};
use torusweave::design::Design;
use torusweave::export;

use crate::farm::{COLLECTIVES, config};
use crate::fixtures::command::Place;

/// Whole, open, twisted and damaged networks of one to three dimensions.
pub const NETWORKS: [&str; 12] = [
    "torus: [4, 4]",
    "torus: [3, 5]",
    "torus: [2, 3, 3]",
    "torus: [3, 3, 3]",
    "mesh: [3, 4]",
    "mesh: [2, 2, 3]",
    "cycle: 6",
    "path: 4",
    "torus: [4, 5], open: [x2]",
    "lattice: [[4, 2], [0, 5]]",
    "torus: [4, 4], dead: { links: [\"0,0 x2+\"] }",
    "torus: [3, 4], dead: { nodes: [\"1,2\"] }",
];

fn text(network: &str, settings: &[&[&str]], dialect: Dialect) -> String {
    let design = Design::in_blocks(config(network, settings)).unwrap();
    export::msccl(&design.program, dialect).unwrap()
}

fn rccl(text: &str) -> Result<algorithm::PlanVerdict, FileFault> {
    algorithm::check(text, Dialect::Rccl)
}

#[test]
fn every_collective_on_every_network_keeps_the_rules_and_its_promise() {
    let (mut files, mut compared) = (0, 0);
    for network in NETWORKS {
        for collective in COLLECTIVES {
            for dialect in [Dialect::Msccl, Dialect::Rccl] {
                let design = Design::in_blocks(config(network, &[collective])).unwrap();
                let is_known = dialect.spelling(design.program.collective()).is_some();
                let exported = export::msccl(&design.program, dialect);
                assert_eq!(exported.is_ok(), is_known, "{network} {collective:?} {dialect:?}: {exported:?}");
                let Ok(text) = exported else { continue };
                let verdict = algorithm::check(&text, dialect);
                let verdict = verdict.unwrap_or_else(|fault| panic!("{network} {collective:?} {dialect:?}: {fault}"));
                assert!(verdict.compared >= verdict.ranks - 1 && verdict.steps > 0);
                (files, compared) = (files + 1, compared + verdict.compared);
            }
        }
    }
    println!("{files} files executed, {compared} output chunks compared");
    // MSCCL has five of the seven collectives
    assert_eq!(files, 12 * (5 + 7));
}

#[test]
fn roots_and_long_messages_are_exported() {
    for settings in [
        &["collective=broadcast", "root=2,1", "link.flits=5"][..],
        &["collective=scatter", "root=2,1", "link.flits=3"],
        &["collective=gather", "root=2,1", "link.flits=3"],
    ] {
        let verdict = rccl(&text("torus: [3, 4]", &[settings], Dialect::Rccl)).unwrap();
        assert_eq!(verdict.root, Some(9), "{settings:?}");
    }
    let design = Design::new(config("path: 3", &[&["collective=scatter", "lengths=0,2,1"]])).unwrap();
    let refused = export::msccl(&design.program, Dialect::Rccl).unwrap_err().to_string();
    assert!(refused.contains("different lengths"), "{refused}");
}

#[test]
fn vectors_that_one_rank_combines_are_exported() {
    let settings = ["collective=all-reduce", "operation=sum", "count=3", "scheme=fork"];
    let exported = text("torus: [3, 4]", &[&settings], Dialect::Rccl);
    assert_eq!(rccl(&exported).unwrap().compared, 3 * 12);
    let design = Design::in_blocks(config("torus: [3, 4]", &[&settings])).unwrap();
    assert_eq!(algorithm::check_plan(&export::mscclpp(&design.program).unwrap()).unwrap().compared, 3 * 12);
}

/// Replaces the value of an attribute in a line.
fn edited(line: &str, name: &str, change: impl Fn(i64) -> i64) -> String {
    let start = line.find(&format!(" {name}=\"")).unwrap() + name.len() + 3;
    let end = start + line[start..].find('"').unwrap();
    let value: i64 = line[start..end].parse().unwrap();
    format!("{}{}{}", &line[..start], change(value), &line[end..])
}

#[test]
fn every_missing_attribute_is_refused() {
    let text = text("torus: [3, 3]", &[COLLECTIVES[6]], Dialect::Rccl);
    let mut tried = 0;
    for element in ["<algo", "<gpu", "<tb", "<step"] {
        let line = text.lines().find(|line| line.trim_start().starts_with(element)).unwrap();
        let parts: Vec<&str> = line.split('"').collect();
        for name in parts.iter().step_by(2).filter_map(|part| part.strip_suffix('=')?.split(' ').next_back()) {
            let start = line.find(&format!(" {name}=\"")).unwrap();
            let end = start + name.len() + 3;
            let end = end + line[end..].find('"').unwrap() + 1;
            let without = text.replacen(line, &format!("{}{}", &line[..start], &line[end..]), 1);
            let fault = rccl(&without).unwrap_err().to_string();
            assert!(fault.contains(&format!("requires the attribute `{name}`")), "{element} {name}: {fault}");
            tried += 1;
        }
    }
    assert_eq!(tried, 10 + 4 + 4 + 10);
}

#[test]
fn every_wait_that_is_left_out_is_found() {
    for collective in COLLECTIVES {
        let text = text("torus: [3, 4]", &[collective], Dialect::Rccl);
        let waits = |line: &&str| line.contains("<step") && !line.contains("depid=\"-1\"");
        let lines: Vec<&str> = text.lines().filter(waits).collect();
        assert!(lines.len() > 3, "{collective:?}");
        let (mut found, mut tried) = (0, 0);
        for (at, line) in text.lines().enumerate().filter(|(_, line)| waits(line)) {
            let hasty = edited(&edited(line, "depid", |_| -1), "deps", |_| -1);
            let edited: Vec<&str> =
                text.lines().enumerate().map(|(other, old)| if other == at { hasty.as_str() } else { old }).collect();
            tried += 1;
            found += usize::from(rccl(&edited.join("\n")).is_err());
        }
        assert_eq!(found, tried, "{collective:?}");
    }
}

#[test]
fn every_kind_of_damage_is_refused_with_its_place() {
    let text = text("torus: [3, 4]", &[COLLECTIVES[6]], Dialect::Rccl);
    let line_of = |wanted: &str| text.lines().find(|line| line.contains(wanted)).unwrap();
    let change = |wanted: &str, name: &str, change: fn(i64) -> i64| {
        let line = line_of(wanted);
        text.replacen(line, &edited(line, name, change), 1)
    };
    let sends = "type=\"s\"";
    let step = line_of("<step");
    let cases = [
        (text.replacen("<algo", "<algos", 1).replacen("</algo>", "</algos>", 1), "must be `algo`"),
        (text.replacen("proto=\"Simple\"", "proto=\"simple\"", 1), "LL128"),
        (text.replacen("coll=\"allreduce\"", "coll=\"reduce_scatter\"", 1), "`coll` must be one of"),
        (text.replacen("coll=\"allreduce\"", "coll=\"alltoall\"", 1), "`inplace` must be 0"),
        (change("<algo", "nchannels", |_| 33), "`nchannels` must be from 1 to 32"),
        (change("<algo", "nchunksperloop", |n| n + 1), "`i_chunks` must be 25"),
        (change("<algo", "ngpus", |n| n + 1), "`ngpus` is 13"),
        (change("<algo", "inplace", |_| 0), "never scheduled"),
        (change("<algo", "minBytes", |_| -1), "`minBytes`"),
        (change("<gpu", "id", |_| 3), "`id` must be"),
        (change("<gpu", "s_chunks", |_| -1), "`s_chunks`"),
        (change("<tb", "id", |_| 7), "`id` must be"),
        (change("<tb", "send", |_| 0), "must be another rank"),
        (change("<tb", "send", |_| 40), "`send` must be from -1 to 11"),
        (change("<tb", "send", |_| -1), "requires a peer"),
        (change("<tb", "chan", |_| 33), "`chan` must be"),
        (change("<step", "s", |_| 300), "`s` must be"),
        (change("<step", "cnt", |_| 72), "`cnt` must be from 1 to 71"),
        (change("<step", "cnt", |_| 0), "`cnt` must be from 1 to 71"),
        (change(sends, "srcoff", |_| 24), "`srcoff` must lie within the 24 chunks"),
        (change(sends, "srcoff", |n| (n + 1) % 24), ""),
        (change(sends, "hasdep", |_| 2), "`hasdep`"),
        (change("hasdep=\"1\"", "hasdep", |_| 0), "must have `hasdep` 1"),
        (change(sends, "depid", |_| 99), ""),
        (text.replacen(sends, "type=\"x\"", 1), "`type` must be"),
        (text.replacen("srcbuf=\"i\"", "srcbuf=\"x\"", 1), "`srcbuf` must be i, o or s"),
        (text.replacen("srcbuf=\"i\"", "srcbuf=\"s\"", 1), "within the 0 chunks of buffer s"),
        (text.replacen(step, "", 1), "`s` must be"),
        (text.replacen("</gpu>", "</tb>", 1), "closes another element"),
        (text.replacen("</algo>", "", 1), "is not closed"),
        (text.replacen("  <gpu", "\t<gpu", 1), "expected `<`"),
        (text.replacen(" chan=", "  chan=", 1), "a name must have"),
        (text.replacen("<tb", "<tb id=\"0\"", 1), "occurs twice"),
        (text.replacen("<tb", &format!("<tb {}", attributes(17)), 1), "at most 16 attributes"),
        (text.replacen("name=\"", &format!("name=\"{}", "x".repeat(256)), 1), "at most 255 characters"),
        (text.replacen("name=\"", "name='", 1), "double quotes"),
        (String::new(), "there is no element"),
    ];
    for (at, (damaged, wanted)) in cases.iter().enumerate() {
        assert_ne!(*damaged, text, "case {at}");
        let fault = rccl(damaged).expect_err(&format!("case {at}: {wanted}")).to_string();
        assert!(fault.contains(wanted), "case {at}: `{fault}` has no `{wanted}`");
    }
}

fn attributes(count: usize) -> String {
    (0..count).map(|n| format!("a{n}=\"1\"")).collect::<Vec<_>>().join(" ")
}

/// Two ranks that exchange what they have, each by one thread block; its steps have a kind, a first chunk and a count.
fn crossed(chunks: usize, steps: &[(&str, usize, usize)]) -> String {
    crossed_by("Simple", 0, chunks, steps)
}

/// Ranks that do so by a protocol, with messages up to so many bytes.
fn crossed_by(protocol: &str, bytes: usize, chunks: usize, steps: &[(&str, usize, usize)]) -> String {
    let gpu = |id: usize| {
        let (own, other) = (id * chunks, (1 - id) * chunks);
        let steps: Vec<String> = (steps.iter().enumerate())
            .map(|(s, &(kind, at, count))| {
                let to = if kind == "r" { other } else { own } + at;
                format!(
                    "<step s=\"{s}\" type=\"{kind}\" srcbuf=\"i\" srcoff=\"{at}\" dstbuf=\"o\" dstoff=\"{to}\" \
                     cnt=\"{count}\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>"
                )
            })
            .collect();
        let peer = 1 - id;
        format!(
            "<gpu id=\"{id}\" i_chunks=\"{chunks}\" o_chunks=\"{}\" s_chunks=\"0\">\
             <tb id=\"0\" send=\"{peer}\" recv=\"{peer}\" chan=\"0\">{}</tb></gpu>",
            2 * chunks,
            steps.concat()
        )
    };
    format!(
        "<algo name=\"two\" proto=\"{protocol}\" nchannels=\"1\" nchunksperloop=\"{}\" ngpus=\"2\" coll=\"allgather\" \
         inplace=\"0\" outofplace=\"1\" minBytes=\"0\" maxBytes=\"{bytes}\">{}{}</algo>",
        2 * chunks,
        gpu(0),
        gpu(1)
    )
}

#[test]
fn a_deadlock_is_found() {
    let is_deadlock = |text: &str| matches!(rccl(text), Err(FileFault::Deadlock { .. }));
    assert_eq!(rccl(&crossed(1, &[("s", 0, 1), ("r", 0, 1), ("cpy", 0, 1)])).unwrap().compared, 4);
    assert!(is_deadlock(&crossed(1, &[("r", 0, 1), ("s", 0, 1), ("cpy", 0, 1)])));
}

#[test]
fn connections_hold_as_many_chunks_as_the_protocol_and_the_bytes_allow() {
    // most chunks in one step, and in a step each: MSCCL's reader knows no bytes, and others may be any number
    for (protocol, bytes, whole, one_by_one) in [
        ("Simple", 0, 2, 2),
        ("LL", 0, 8, 8),
        ("LL128", 0, 8, 8),
        ("Simple", 1 << 20, 12, 2),
        ("Simple", 1 << 30, 2, 2),
        ("LL", 1 << 10, 12, 8),
    ] {
        for chunks in 1..13 {
            let together = vec![("s", 0, chunks), ("r", 0, chunks), ("cpy", 0, chunks)];
            let sends = (0..chunks).map(|at| ("s", at, 1));
            let receives = (0..chunks).map(|at| ("r", at, 1));
            let each: Vec<_> = sends.chain(receives).chain([("cpy", 0, chunks)]).collect();
            for (steps, most) in [(together, whole), (each, one_by_one)] {
                let what = format!("{protocol}, {bytes} bytes, {chunks} chunks, {steps:?}");
                let judged = rccl(&crossed_by(protocol, bytes, chunks, &steps));
                if chunks <= most {
                    assert_eq!(judged.expect(&what).compared, 4 * chunks, "{what}");
                } else {
                    assert!(matches!(judged, Err(FileFault::Deadlock { .. })), "{what}");
                }
            }
        }
    }
    // receiving in between makes room
    let in_between: Vec<_> = (0..5).flat_map(|at| [("s", at, 1), ("r", at, 1)]).chain([("cpy", 0, 5)]).collect();
    assert_eq!(rccl(&crossed(5, &in_between)).unwrap().compared, 20);
    // messages have the length that is wanted
    let fault = rccl(&crossed(3, &[("s", 0, 2), ("r", 0, 1), ("s", 2, 1), ("r", 1, 2), ("cpy", 0, 3)])).unwrap_err();
    assert!(fault.to_string().contains("receives 1 chunks of 2 that are sent"), "{fault}");
}

#[test]
fn a_step_does_not_read_what_it_writes() {
    let right = crossed(3, &[("s", 0, 1), ("r", 0, 1), ("s", 1, 2), ("r", 1, 2), ("cpy", 0, 3)]);
    assert_eq!(rccl(&right).unwrap().compared, 12);
    // within the input, to places that are read later on, or were read before
    let copy = |from: usize, to: usize| {
        let own = "<step s=\"5\" type=\"cpy\" srcbuf=\"i\" srcoff=\"FROM\" dstbuf=\"i\" dstoff=\"TO\" cnt=\"2\" depid=\"-1\" \
                   deps=\"-1\" hasdep=\"0\"/></tb>";
        let own = own.replace("FROM", &from.to_string()).replace("TO", &to.to_string());
        rccl(&right.replace("</tb>", &own)).unwrap_err().to_string()
    };
    assert!(copy(0, 1).contains("does not wait for the write of chunk 1"), "{}", copy(0, 1));
    assert!(copy(1, 0).contains("overwrites chunk 1 while it is in use"), "{}", copy(1, 0));
}

/// Two ranks that add up what both have in scratch; the steps of the thread block that adds are given. It has two chunks of each.
fn added(steps: &str) -> String {
    let step = |s: usize, kind: &str, from: &str, to: &str, more: &str| {
        let count = usize::from(kind != "nop") * 2;
        format!("<step s=\"{s}\" type=\"{kind}\" {from} {to} cnt=\"{count}\" {more}/>")
    };
    let (input, scratch) = ("srcbuf=\"i\" srcoff=\"0\"", "dstbuf=\"s\" dstoff=\"0\"");
    let alone = "depid=\"-1\" deps=\"-1\" hasdep=\"0\"";
    let gpu = |id: usize| {
        let sends = step(0, "s", input, scratch, &alone.replace("hasdep=\"0\"", "hasdep=\"1\""));
        let receives = step(0, "r", input, scratch, &alone.replace("hasdep=\"0\"", "hasdep=\"1\""));
        let peer = 1 - id;
        format!(
            "<gpu id=\"{id}\" i_chunks=\"2\" o_chunks=\"0\" s_chunks=\"4\">\
             <tb id=\"0\" send=\"{peer}\" recv=\"-1\" chan=\"0\">{sends}</tb>\
             <tb id=\"1\" send=\"-1\" recv=\"{peer}\" chan=\"0\">{receives}</tb>\
             <tb id=\"2\" send=\"-1\" recv=\"-1\" chan=\"0\">{steps}</tb></gpu>"
        )
    };
    format!(
        "<algo name=\"add\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"2\" ngpus=\"2\" coll=\"allreduce\" inplace=\"1\" \
         outofplace=\"0\" minBytes=\"0\" maxBytes=\"0\">{}{}</algo>",
        gpu(0),
        gpu(1)
    )
}

#[test]
fn steps_that_readers_fuse_are_judged_as_what_they_make_of_them() {
    const NOP: &str = "<step s=\"0\" type=\"nop\" srcbuf=\"i\" srcoff=\"-1\" dstbuf=\"o\" dstoff=\"-1\" cnt=\"0\" depid=\"0\" \
                       deps=\"0\" hasdep=\"0\"/>";
    const ADD: &str = "<step s=\"1\" type=\"re\" srcbuf=\"s\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"2\" depid=\"1\" \
                       deps=\"0\" hasdep=\"0\"/>";
    let right = format!("{NOP}{ADD}");
    assert_eq!(rccl(&added(&right)).unwrap().compared, 4);
    assert_eq!(algorithm::check(&added(&right), Dialect::Msccl).unwrap().compared, 4);
    let one_by_one = right.replace("cnt=\"2\"", "cnt=\"1\"");
    let second = ADD.replace("s=\"1\"", "s=\"2\"").replace("depid=\"1\" deps=\"0\"", "depid=\"-1\" deps=\"-1\"");
    let cases = [
        (right.replace("depid=\"0\" deps=\"0\"", "depid=\"-1\" deps=\"-1\""), "a `nop` must wait"),
        (right.replacen("hasdep=\"0\"", "hasdep=\"1\"", 1), "a `nop` must wait"),
        (right.replace("depid=\"1\" deps=\"0\"", "depid=\"-1\" deps=\"-1\""), "behind a `nop` must wait"),
        (format!("{one_by_one}{second}"), "`cnt` must be that of the `re` before it (is 2)"),
        // the wait for what is sent is left out: it may not have been read yet
        (ADD.replace("s=\"1\"", "s=\"0\""), "overwrites chunk 0 while it is in use"),
        (
            format!(
                "{one_by_one}{}",
                second
                    .replace("srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\"", "srcoff=\"1\" dstbuf=\"i\" dstoff=\"0\"")
                    .replace("cnt=\"2\"", "cnt=\"1\"")
            ),
            "rank 0",
        ),
    ];
    for (steps, wanted) in cases {
        let fault = rccl(&added(&steps)).unwrap_err().to_string();
        assert!(fault.contains(wanted), "`{fault}` has no `{wanted}`");
    }
}

#[test]
fn a_channel_has_32_senders() {
    let sender = |id: usize| format!("<tb id=\"{id}\" send=\"{}\" recv=\"-1\" chan=\"0\"></tb>", id + 1);
    let rank = |id: usize, blocks: usize| {
        let blocks: String = (0..blocks).map(sender).collect();
        format!("<gpu id=\"{id}\" i_chunks=\"1\" o_chunks=\"34\" s_chunks=\"0\">{blocks}</gpu>")
    };
    let of = |blocks: usize| {
        let ranks: String = (0..34).map(|id| rank(id, if id == 0 { blocks } else { 0 })).collect();
        format!(
            "<algo name=\"many\" proto=\"LL\" nchannels=\"1\" nchunksperloop=\"34\" ngpus=\"34\" coll=\"allgather\" \
             inplace=\"0\" outofplace=\"1\" minBytes=\"0\" maxBytes=\"0\">{ranks}</algo>"
        )
    };
    let wanted = "at most 32 thread blocks send on a channel";
    assert!(rccl(&of(33)).unwrap_err().to_string().contains(wanted));
    assert!(!rccl(&of(32)).unwrap_err().to_string().contains(wanted));
}

#[test]
fn the_command_checks_files_and_fails_on_damaged_ones() {
    let place = Place::new();
    assert_eq!(place.run("export --torus 3x4 --collective exchange --to rccl -o a.xml").code, 0);
    let ended = place.run("export --check a.xml --to rccl");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stdout.contains("RCCL: alltoall on 12 ranks") && ended.stdout.contains("144 output chunks"));
    // the reader of 2023 takes these attributes, too
    assert_eq!(place.run("export --check a.xml --to msccl").code, 0);
    let text = std::fs::read_to_string(place.path().join("a.xml")).unwrap();
    std::fs::write(place.path().join("b.xml"), text.replacen("minBytes=\"0\" ", "", 1)).unwrap();
    let ended = place.run("export --check b.xml --to rccl");
    assert_eq!(ended.code, 1);
    assert!(
        ended.stderr.contains("requires the attribute `minBytes`") && ended.stderr.contains("help:"),
        "{}",
        ended.stderr
    );
    let ended = place.run("export --check a.xml --to chakra");
    assert_eq!(ended.code, 2);
}

#[test]
fn deep_files_and_plans_for_no_message_are_refused() {
    let depth = 200_000;
    let deep = "<a>".repeat(depth) + &"</a>".repeat(depth);
    let fault = rccl(&deep).unwrap_err().to_string();
    assert!(fault.contains("elements must be inside of at most"), "{fault}");
    let design = Design::new(config("torus: [2, 3]", &[&["collective=gossip"]])).unwrap();
    let plan = export::mscclpp(&design.program).unwrap();
    let most = plan.split("\"max_message_size\": ").nth(1).and_then(|rest| rest.split(',').next()).unwrap();
    assert!(algorithm::check_plan(&plan).is_ok());
    let none = plan.replace(&format!("\"max_message_size\": {most}"), "\"max_message_size\": 0");
    let fault = algorithm::check_plan(&none).unwrap_err().to_string();
    assert!(fault.contains("max_message_size"), "{fault}");
}
