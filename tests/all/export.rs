//! Exports gather and reduce everything: readers that know the formats alone execute them in a random order.

use std::collections::{BTreeMap, HashMap, VecDeque};

use torusweave::algorithm::Dialect;
use torusweave::export;
use torusweave::net::ShapeName;
use torusweave::program::Program;

use crate::fixtures::chance::Chance;
use crate::fixtures::command::Place;
use crate::reduce::design;

/// A node's own value of a packet, so that no two sums are alike.
fn value(node: usize, packet: usize) -> u64 {
    ((node as u64 + 1) << 32 | (packet as u64 + 1)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Final contents of a node: packets, and sums of values.
#[derive(Clone, Copy, PartialEq)]
enum Collective {
    Gather,
    ReduceScatter,
    AllReduce,
}

impl Collective {
    fn of(program: &Program) -> Self {
        match program.collective() {
            "reduce-scatter" => Self::ReduceScatter,
            "all-reduce" => Self::AllReduce,
            _ => Self::Gather,
        }
    }

    fn expected(self, nodes: usize, packets: usize, packet: usize) -> u64 {
        match self {
            Self::Gather => value(packet / packets, packet),
            _ => (0..nodes).fold(0, |sum, node| sum.wrapping_add(value(node, packet))),
        }
    }

    fn is_wanted(self, packets: usize, node: usize, packet: usize) -> bool {
        self != Self::ReduceScatter || packet / packets == node
    }
}

/// An element by its name and its attributes, as a line of the XML has it.
fn element(line: &str) -> (&str, HashMap<&str, &str>) {
    let line = line.trim().trim_start_matches('<').trim_end_matches('>').trim_end_matches('/');
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    let parts: Vec<&str> = rest.split('"').collect();
    (name, parts.chunks_exact(2).map(|pair| (pair[0].trim().trim_end_matches('='), pair[1])).collect())
}

#[derive(Clone)]
struct Step {
    kind: String,
    from: (char, usize),
    to: (char, usize),
    count: usize,
    after: Option<(usize, usize)>,
}

struct Block {
    send: i64,
    recv: i64,
    channel: usize,
    steps: Vec<Step>,
    done: usize,
}

/// Plays an MSCCL algorithm as the thread blocks of all ranks would, one step of any block at a time; a connection holds as
/// many chunks as it may.
fn msccl(xml: &str, collective: Collective, room: usize, seed: u32) -> Result<(), String> {
    let mut ranks: Vec<Vec<Block>> = Vec::new();
    let (mut chunks, mut own) = (0, 0);
    for line in xml.lines() {
        let (name, attributes) = element(line);
        let number = |name: &str| attributes[name].parse::<i64>().unwrap();
        let count = |name: &str| usize::try_from(number(name)).unwrap();
        match name {
            "algo" => chunks = count("nchunksperloop"),
            "gpu" => {
                assert_eq!(number("id"), ranks.len() as i64);
                own = count("i_chunks");
                ranks.push(Vec::new());
            }
            "tb" => {
                let blocks = ranks.last_mut().unwrap();
                assert_eq!(number("id"), blocks.len() as i64);
                let (send, recv, channel) = (number("send"), number("recv"), count("chan"));
                blocks.push(Block { send, recv, channel, steps: Vec::new(), done: 0 });
            }
            "step" => {
                let steps = &mut ranks.last_mut().unwrap().last_mut().unwrap().steps;
                assert_eq!(number("s"), steps.len() as i64);
                let copied = count("cnt");
                assert!(copied == 1 || attributes["type"] == "cpy");
                let chunk = |buffer: &str, at: &str| (attributes[buffer].chars().next().unwrap(), count(at));
                let after = (number("depid") >= 0).then(|| (count("depid"), count("deps")));
                let (from, to) = (chunk("srcbuf", "srcoff"), chunk("dstbuf", "dstoff"));
                steps.push(Step { kind: attributes["type"].to_owned(), from, to, count: copied, after });
            }
            _ => {}
        }
    }
    let nodes = ranks.len();
    let packets = chunks / nodes;
    let buffer = |node: usize| -> HashMap<(char, usize), u64> {
        let of = |at: usize| if own == chunks { at } else { node * packets + at };
        (0..own).map(|at| (('i', at), value(node, of(at)))).collect()
    };
    let mut memory: Vec<HashMap<(char, usize), u64>> = (0..nodes).map(buffer).collect();
    let mut links: BTreeMap<(i64, i64, usize), VecDeque<u64>> = BTreeMap::new();
    let mut chance = Chance(seed);
    let mut waiting: Vec<(usize, usize)> =
        ranks.iter().enumerate().flat_map(|(rank, blocks)| (0..blocks.len()).map(move |block| (rank, block))).collect();
    let mut refused = 0;
    while !waiting.is_empty() {
        let at = chance.below(waiting.len() as u32) as usize;
        let (rank, block) = waiting[at];
        let Block { send, recv, channel, steps, done } = &ranks[rank][block];
        let Some(Step { kind, from, to, count, after }) = steps.get(*done).cloned() else {
            waiting.swap_remove(at);
            continue;
        };
        let is_ready = after.is_none_or(|(block, step)| ranks[rank][block].done > step);
        let (out, into) = ((rank as i64, *send, *channel), (*recv, rank as i64, *channel));
        let has_room = kind != "s" || links.get(&out).is_none_or(|link| link.len() < room);
        let has_come = !kind.starts_with('r') || links.get(&into).is_some_and(|link| !link.is_empty());
        if !(is_ready && has_room && has_come) {
            refused += 1;
            if refused > 200 * waiting.len() + 10_000 {
                return Err(format!("nothing goes on: rank {rank}, block {block} waits"));
            }
            continue;
        }
        refused = 0;
        let memory = &mut memory[rank];
        let read =
            |memory: &HashMap<(char, usize), u64>| memory.get(&from).copied().ok_or(format!("{from:?} is empty"));
        match kind.as_str() {
            "s" => links.entry(out).or_default().push_back(read(memory)?),
            "cpy" => {
                for at in 0..count {
                    let value = memory.get(&(from.0, from.1 + at)).copied().ok_or(format!("{from:?} is empty"))?;
                    memory.insert((to.0, to.1 + at), value);
                }
            }
            "r" => drop(memory.insert(to, links.get_mut(&into).unwrap().pop_front().unwrap())),
            "rrc" => {
                let sum = read(memory)?.wrapping_add(links.get_mut(&into).unwrap().pop_front().unwrap());
                memory.insert(to, sum);
            }
            _ => return Err(format!("a step of type {kind}")),
        }
        ranks[rank][block].done += 1;
    }
    if links.values().any(|link| !link.is_empty()) {
        return Err("what was sent is not received".into());
    }
    let result = if own == chunks { 'i' } else { 'o' };
    for (node, memory) in memory.iter().enumerate() {
        for packet in (0..chunks).filter(|&packet| collective.is_wanted(packets, node, packet)) {
            if memory.get(&(result, packet)) != Some(&collective.expected(nodes, packets, packet)) {
                return Err(format!("rank {node}: chunk {packet} is wrong"));
            }
        }
    }
    Ok(())
}

/// A field of a protobuf message: its number, and its integer or its bytes.
enum Field<'b> {
    Integer(u64, u64),
    Bytes(u64, &'b [u8]),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let length = bytes.iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
    let (number, rest) = bytes.split_at(length);
    *bytes = rest;
    number.iter().rev().fold(0, |sum, byte| sum << 7 | u64::from(byte & 0x7F))
}

fn delimited<'b>(bytes: &mut &'b [u8]) -> &'b [u8] {
    let length = varint(bytes) as usize;
    let (message, rest) = bytes.split_at(length);
    *bytes = rest;
    message
}

fn fields(mut bytes: &[u8]) -> Vec<Field<'_>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        fields.push(match key & 7 {
            0 => Field::Integer(key >> 3, varint(&mut bytes)),
            2 => Field::Bytes(key >> 3, delimited(&mut bytes)),
            other => panic!("wire type {other}"),
        });
    }
    fields
}

/// A node of a trace, by the numbers of `et_def.proto`.
#[derive(Clone, Default)]
struct Node {
    id: u64,
    kind: u64,
    needs: Vec<u64>,
    attributes: HashMap<String, u64>,
}

fn trace(mut bytes: &[u8]) -> Vec<Node> {
    let head = fields(delimited(&mut bytes));
    assert!(matches!(head[..], [Field::Bytes(1, b"0.0.4")]));
    let mut nodes = Vec::new();
    while !bytes.is_empty() {
        let mut node = Node::default();
        for field in fields(delimited(&mut bytes)) {
            match field {
                Field::Integer(1, id) => node.id = id,
                Field::Bytes(2, name) => assert!(name.is_ascii()),
                Field::Integer(3, kind) => node.kind = kind,
                Field::Bytes(5, mut packed) => {
                    while !packed.is_empty() {
                        node.needs.push(varint(&mut packed));
                    }
                }
                Field::Bytes(10, attribute) => {
                    let (mut name, mut value) = (String::new(), (0, 0));
                    for field in fields(attribute) {
                        match field {
                            Field::Bytes(1, text) => name = String::from_utf8(text.to_vec()).unwrap(),
                            Field::Integer(kind, integer) => value = (kind, integer),
                            Field::Bytes(..) => panic!("an attribute of another kind"),
                        }
                    }
                    // the kinds that the feeder of ASTRA-sim reads: int32, int64, bool
                    let kind = match name.as_str() {
                        "comm_src" | "comm_dst" | "comm_tag" => 7,
                        "comm_size" | "packet" => 9,
                        _ => 27,
                    };
                    assert_eq!(value.0, kind, "{name}");
                    node.attributes.insert(name, value.1);
                }
                _ => panic!("a field that was not asked for"),
            }
        }
        assert_eq!(node.attributes["is_cpu_op"], 0);
        nodes.push(node);
    }
    nodes
}

/// Plays traces: any node whose needs are done is next, a receive only if the message of its tag has come.
fn chakra(traces: &[Vec<Node>], packets: usize, collective: Collective, seed: u32) -> Result<(), String> {
    let nodes = traces.len();
    let all = nodes * packets;
    let known = |node: usize| -> HashMap<usize, u64> {
        let has = |&packet: &usize| collective != Collective::Gather || packet / packets == node;
        (0..all).filter(has).map(|packet| (packet, value(node, packet))).collect()
    };
    let mut memory: Vec<HashMap<usize, u64>> = (0..nodes).map(known).collect();
    let mut done: Vec<Vec<bool>> = traces.iter().map(|trace| vec![false; trace.len()]).collect();
    let mut post: HashMap<[u64; 3], u64> = HashMap::new();
    let mut waiting: Vec<(usize, usize)> =
        traces.iter().enumerate().flat_map(|(rank, trace)| (0..trace.len()).map(move |at| (rank, at))).collect();
    let mut chance = Chance(seed);
    let mut refused = 0;
    while !waiting.is_empty() {
        let next = chance.below(waiting.len() as u32) as usize;
        let (rank, at) = waiting[next];
        let Node { id, kind, needs, attributes } = &traces[rank][at];
        assert_eq!(*id, at as u64);
        let message = ["comm_src", "comm_dst", "comm_tag"].map(|name| attributes[name]);
        let packet = attributes["packet"] as usize;
        let is_ready = needs.iter().all(|&need| done[rank][need as usize]);
        if !is_ready || (*kind == 6 && !post.contains_key(&message)) {
            refused += 1;
            if refused > 200 * waiting.len() + 10_000 {
                return Err(format!("nothing goes on: node {at} of {rank} waits"));
            }
            continue;
        }
        refused = 0;
        waiting.swap_remove(next);
        done[rank][at] = true;
        let mine = &mut memory[rank];
        if *kind == 5 {
            assert_eq!(message[0], rank as u64);
            let value = mine.get(&packet).copied().ok_or(format!("{rank} has no packet {packet} to send"))?;
            assert!(post.insert(message, value).is_none(), "a tag is used once");
        } else {
            assert_eq!((*kind, message[1]), (6, rank as u64));
            let value = post.remove(&message).unwrap();
            let before = if attributes["adds"] == 1 { mine.get(&packet).copied() } else { None };
            mine.insert(packet, before.unwrap_or(0).wrapping_add(value));
        }
    }
    for (node, memory) in memory.iter().enumerate() {
        for packet in (0..all).filter(|&packet| collective.is_wanted(packets, node, packet)) {
            if memory.get(&packet) != Some(&collective.expected(nodes, packets, packet)) {
                return Err(format!("node {node}: packet {packet} is wrong"));
            }
        }
    }
    Ok(())
}

const CASES: [(ShapeName, &[u32], &str); 14] = [
    (ShapeName::Torus, &[4, 6], "staircase none gossip"),
    (ShapeName::Torus, &[4, 5], "staircase memory gossip"),
    (ShapeName::Torus, &[6, 8], "zigzag none gossip"),
    (ShapeName::Torus, &[3, 3, 3], "hamiltonian none gossip"),
    (ShapeName::Torus, &[2, 5], "optimal none gossip"),
    (ShapeName::Mesh, &[4, 5], "hamiltonian none gossip"),
    (ShapeName::Torus, &[4, 6], "staircase none reduce-scatter sum 2"),
    (ShapeName::Torus, &[6, 8], "zigzag none reduce-scatter xor"),
    (ShapeName::Torus, &[5, 6], "optimal none reduce-scatter max"),
    (ShapeName::Torus, &[4, 5], "staircase memory all-reduce sum"),
    (ShapeName::Torus, &[4, 6], "zigzag periodic all-reduce sum 3"),
    (ShapeName::Torus, &[3, 3, 3], "hamiltonian none all-reduce sum"),
    (ShapeName::Torus, &[2, 3, 2], "optimal none all-reduce min 2"),
    (ShapeName::Cycle, &[7], "hamiltonian none all-reduce sum"),
];

#[test]
fn algorithms_for_msccl_gather_and_reduce_everything_in_any_order() {
    for (shape, sides, config) in CASES {
        let program = design(shape, sides, config).program;
        let xml = export::msccl(&program, Dialect::Msccl).unwrap();
        for (room, seed) in [(1, 1), (1, 2), (8, 3)] {
            assert_eq!(msccl(&xml, Collective::of(&program), room, seed), Ok(()), "{sides:?} {config}");
        }
    }
}

#[test]
fn traces_for_astra_sim_gather_and_reduce_everything_in_any_order() {
    for (shape, sides, config) in CASES {
        let program = design(shape, sides, config).program;
        let traces: Vec<Vec<Node>> = export::chakra(&program, 40).unwrap().iter().map(|bytes| trace(bytes)).collect();
        let bytes = traces[0][0].attributes["comm_size"];
        assert_eq!(bytes, u64::from(program.flits) * 5, "{sides:?} {config}");
        for seed in [1, 2] {
            let packets = usize::from(program.packets());
            assert_eq!(chakra(&traces, packets, Collective::of(&program), seed), Ok(()), "{sides:?} {config}");
        }
    }
}

/// The players find what is wrong: a step that sends another chunk, or nearly every one that does not wait: a few come in time all the same.
#[test]
fn wrong_exports_are_found() {
    let program = design(ShapeName::Torus, &[4, 4], "optimal none all-reduce sum").program;
    let xml = export::msccl(&program, Dialect::Msccl).unwrap();
    let lines: Vec<&str> = xml.lines().collect();
    let waits = |line: &&str| line.contains("type=\"s\"") && !line.contains("depid=\"-1\"");
    let waiting: Vec<&str> = lines.iter().copied().filter(waits).step_by(9).collect();
    assert!(waiting.len() > 10);
    let (mut missed, mut tried) = (0, 0);
    for line in waiting {
        let (_, attributes) = element(line);
        let dependency = format!("depid=\"{}\" deps=\"{}\"", attributes["depid"], attributes["deps"]);
        let hasty = xml.replacen(line, &line.replace(&dependency, "depid=\"-1\" deps=\"-1\""), 1);
        assert_ne!(hasty, xml);
        let found = (0..20).filter(|&seed| msccl(&hasty, Collective::AllReduce, 8, seed).is_err()).count();
        (missed, tried) = (missed + u32::from(found > 0), tried + 1);
        let other = format!("srcoff=\"{}\"", (attributes["srcoff"].parse::<u32>().unwrap() + 1) % 16);
        let wrong = line.replacen(&format!("srcoff=\"{}\"", attributes["srcoff"]), &other, 1);
        assert!(msccl(&xml.replacen(line, &wrong, 1), Collective::AllReduce, 8, 1).is_err(), "{line}");
    }
    let traces: Vec<Vec<Node>> = export::chakra(&program, 8).unwrap().iter().map(|bytes| trace(bytes)).collect();
    let sends = |trace: &[Node]| (0..trace.len()).filter(|&at| trace[at].kind == 5).collect::<Vec<_>>();
    for at in sends(&traces[5]) {
        let receives = traces[5][at].needs.iter().filter(|&&need| traces[5][need as usize].kind == 6);
        for need in receives {
            let mut hasty = traces.clone();
            hasty[5][at].needs.retain(|other| other != need);
            let found = (0..40).any(|seed| chakra(&hasty, 1, Collective::AllReduce, seed).is_err());
            (missed, tried) = (missed + u32::from(found), tried + 1);
        }
    }
    println!("{missed} of {tried} waits that were left out are missed");
    assert!(tried > 20 && 4 * missed > 3 * tried, "{missed} of {tried}");
}

#[test]
fn unsupported_exports_are_refused_with_a_cure() {
    let place = Place::new();
    for (command, help) in [
        ("export --torus 4x4 --collective exchange --to chakra", "gossip, reduce-scatter or all-reduce"),
        ("export --torus 6x8 --scheme zigzag --collective all-reduce --operation max --to msccl", "--operation sum"),
        ("export --torus 24x24 --scheme hamiltonian --to msccl", "--to chakra"),
        ("export --torus 4x4 --collective reduce --operation sum --to rccl", "take `collective: all-reduce`"),
        ("export --torus 4x4 --collective reduce --operation sum --to mscclpp", "take `collective: all-reduce`"),
        ("export --torus 4x4 --collective scatter --to msccl", "say --to rccl for a scatter"),
    ] {
        let ended = place.run(command);
        assert_eq!(ended.code, 2, "{command}: {}", ended.stderr);
        assert!(ended.stderr.contains(help), "{command}: {}", ended.stderr);
    }
    // and the cures work
    for cure in [
        "all-reduce --operation sum --to rccl",
        "reduce-scatter --operation sum --to mscclpp",
        "scatter --to rccl",
        "gather --to rccl",
    ] {
        let ended = place.run(&format!("export --torus 4x4 --collective {cure}"));
        assert_eq!(ended.code, 0, "{cure}: {}", ended.stderr);
    }
    let ended = place.run("export --torus 4x4 --to chakra");
    assert_eq!((ended.code, ended.stdout.as_str()), (0, ""), "{}", ended.stderr);
    assert!(place.path().join("torus_4x4_chakra/torus_4x4.15.et").exists());
    assert!(place.run("export --torus 4x4 --to msccl").stdout.starts_with("<algo name=\"torus_4x4\""));
}
