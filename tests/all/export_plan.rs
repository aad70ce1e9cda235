//! Execution plans for MSCCL++ keep the rules of their reader and compute what they promise; damaged plans are refused.

use std::collections::HashMap;

use serde_json::Value;
use torusweave::algorithm::{self, FileFault};
use torusweave::design::Design;
use torusweave::export;

use crate::export_check::NETWORKS;
use crate::farm::{COLLECTIVES, config};
use crate::fixtures::chance::Chance;
use crate::fixtures::command::Place;

fn plan(network: &str, settings: &[&[&str]]) -> String {
    export::mscclpp(&Design::in_blocks(config(network, settings)).unwrap().program).unwrap()
}

#[test]
fn every_collective_on_every_network_keeps_the_rules_of_mscclpp_and_its_promise() {
    let (mut files, mut compared) = (0, 0);
    for network in NETWORKS {
        for collective in COLLECTIVES {
            let verdict = algorithm::check_plan(&plan(network, &[collective]));
            let verdict = verdict.unwrap_or_else(|fault| panic!("{network} {collective:?}: {fault}"));
            assert!(verdict.compared >= verdict.ranks - 1 && verdict.steps > 0);
            (files, compared) = (files + 1, compared + verdict.compared);
        }
    }
    println!("{files} plans executed, {compared} output chunks compared");
    assert_eq!(files, 12 * 7);
}

/// Memory of all ranks by rank, buffer and index, where buffers that are one have one name.
type Memory = HashMap<(usize, char, usize), u64>;

/// Executes a plan one operation of any thread block at a time, by the meaning of the operations alone; returns the memory.
fn executed(text: &str, seed: u32) -> Result<Memory, String> {
    let value: Value = serde_json::from_str(text).unwrap();
    let is_in_place = value["inplace"].as_bool().unwrap();
    let gpus = value["gpus"].as_array().unwrap();
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    let buffer = |value: &Value| match value.as_str().unwrap() {
        "o" if is_in_place => 'i',
        other => other.chars().next().unwrap(),
    };
    let mut memory = Memory::new();
    for (rank, gpu) in gpus.iter().enumerate() {
        memory.extend((0..number(&gpu["input_chunks"])).map(|at| ((rank, 'i', at), own(rank, at))));
    }
    // the n-th channel of one rank to another is the n-th of that one to this one
    let peers = |rank: usize| gpus[rank]["channels"][0]["connected_to"].as_array().unwrap();
    let far = |rank: usize, channel: usize| {
        let peer = number(&peers(rank)[channel]);
        let before = peers(rank)[..channel].iter().filter(|other| number(other) == peer).count();
        let theirs = peers(peer).iter().enumerate().filter(|(_, other)| number(other) == rank);
        (peer, theirs.map(|(at, _)| at).nth(before).unwrap())
    };
    let (mut signals, mut semaphores) = (HashMap::<(usize, usize), u32>::new(), HashMap::<(usize, usize), u32>::new());
    let blocks = |rank: usize| gpus[rank]["threadblocks"].as_array().unwrap();
    let mut waiting: Vec<(usize, usize, usize)> =
        (0..gpus.len()).flat_map(|rank| (0..blocks(rank).len()).map(move |block| (rank, block, 0))).collect();
    let (mut chance, mut idle) = (Chance(seed), 0);
    while !waiting.is_empty() {
        let at = chance.below(waiting.len() as u32) as usize;
        let (rank, block, done) = waiting[at];
        let block = &blocks(rank)[block];
        let Some(op) = block["ops"].get(done) else {
            waiting.swap_remove(at);
            continue;
        };
        let channel = || number(&block["channels"][0]["channel_ids"][0]);
        let ids = || op["semaphore_ids"].as_array().unwrap().iter().map(|id| (rank, number(id)));
        let place = |chunk: &Value| {
            if let Some(own) = chunk.get("type") {
                return (rank, buffer(own));
            }
            let id = number(&block["remote_buffer_refs"][0]["remote_buffer_ids"][number(&chunk["buffer_id"])]);
            let remote = &gpus[rank]["remote_buffers"][id];
            (number(&remote["rank"]), buffer(&remote["type"]))
        };
        idle += 1;
        if idle > 200 * waiting.len() + 10_000 {
            return Err(format!("nothing goes on: rank {rank} waits for {op}"));
        }
        match op["name"].as_str().unwrap() {
            "nop" => {}
            "signal" => *signals.entry(far(rank, channel())).or_default() += 1,
            "sem_release" => ids().for_each(|id| *semaphores.entry(id).or_default() += 1),
            "wait" => match signals.get_mut(&(rank, channel())).filter(|count| **count > 0) {
                Some(count) => *count -= 1,
                None => continue,
            },
            "sem_acquire" => {
                if ids().any(|id| semaphores.get(&id).is_none_or(|&count| count == 0)) {
                    continue;
                }
                ids().for_each(|id| *semaphores.get_mut(&id).unwrap() -= 1);
            }
            "put" | "copy" | "re" => {
                for index in 0..number(&op["src_buff"][0]["size"]) {
                    let cell = |chunk: &Value| {
                        let (rank, buffer) = place(chunk);
                        (rank, buffer, number(&chunk["index"]) + index)
                    };
                    let sources = op["src_buff"].as_array().unwrap().iter().map(cell);
                    let values = sources.map(|cell| memory.get(&cell).copied().ok_or(format!("{cell:?} is empty")));
                    let sum = values.collect::<Result<Vec<_>, _>>()?.into_iter().fold(0, u64::wrapping_add);
                    memory.insert(cell(&op["dst_buff"][0]), sum);
                }
            }
            other => return Err(format!("operation {other}")),
        }
        (waiting[at].2, idle) = (done + 1, 0);
    }
    Ok(memory)
}

/// Value of a rank's input chunk.
fn own(rank: usize, at: usize) -> u64 {
    ((rank as u64 + 1) << 32 | (at as u64 + 1)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[test]
fn plans_are_executed_in_a_random_order_by_another_reader() {
    for (network, ranks) in [("torus: [2, 3]", 6), ("torus: [3, 4], dead: { nodes: [\"1,2\"] }", 11)] {
        for (seed, settings) in (1..).zip([COLLECTIVES[0], COLLECTIVES[4], COLLECTIVES[6]]) {
            let text = plan(network, &[settings]);
            let value: Value = serde_json::from_str(&text).unwrap();
            let memory = executed(&text, seed).unwrap_or_else(|error| panic!("{network} {settings:?}: {error}"));
            let chunks = value["gpus"][0]["output_chunks"].as_u64().unwrap() as usize;
            let each = chunks / ranks;
            for (rank, at) in (0..ranks).flat_map(|rank| (0..chunks).map(move |at| (rank, at))) {
                let (buffer, expected) = match value["collective"].as_str().unwrap() {
                    "allgather" => ('o', own(at / each, at % each)),
                    "alltoall" => ('o', own(at / each, rank * each + at % each)),
                    _ => ('i', (0..ranks).fold(0u64, |sum, rank| sum.wrapping_add(own(rank, at)))),
                };
                assert_eq!(memory.get(&(rank, buffer, at)), Some(&expected), "{network} {settings:?} {rank} {at}");
            }
        }
    }
}

#[test]
fn every_operation_that_is_left_out_is_found() {
    for collective in COLLECTIVES {
        let plan: Value = serde_json::from_str(&plan("mesh: [2, 2]", &[collective])).unwrap();
        let [mut tried, mut nops, mut found] = [0; 3];
        for (rank, gpu) in plan["gpus"].as_array().unwrap().iter().enumerate() {
            for (block, tb) in gpu["threadblocks"].as_array().unwrap().iter().enumerate() {
                for at in 0..tb["ops"].as_array().unwrap().len() {
                    let mut hasty = plan.clone();
                    let path = format!("/gpus/{rank}/threadblocks/{block}/ops");
                    hasty.pointer_mut(&path).unwrap().as_array_mut().unwrap().remove(at);
                    let result = algorithm::check_plan(&hasty.to_string());
                    // a write that a later signal covers needs no `nop` of its own if nobody reads it before
                    if tb["ops"][at]["name"] == "nop" {
                        (nops, found) = (nops + 1, found + u32::from(result.is_err()));
                    } else {
                        assert!(result.is_err(), "{collective:?}: {path}/{at} is not needed in {tb}");
                    }
                    tried += 1;
                }
            }
        }
        assert!(tried > 10 && 3 * found > 2 * nops, "{collective:?}: {tried}, {found} of {nops}");
    }
}

/// Edits the plan at the path of a field; JSON null takes the field out.
fn edited(text: &str, path: &str, value: Value) -> String {
    let mut plan: Value = serde_json::from_str(text).unwrap();
    let (parent, name) = path.rsplit_once('/').unwrap();
    let parent = plan.pointer_mut(parent).unwrap_or_else(|| panic!("{path}"));
    match (parent, value) {
        (Value::Object(fields), Value::Null) => drop(fields.remove(name).unwrap()),
        (Value::Object(fields), value) => drop(fields.insert(name.to_owned(), value)),
        (Value::Array(list), value) => list[name.parse::<usize>().unwrap()] = value,
        _ => panic!("{path}"),
    }
    plan.to_string()
}

fn paths(value: &Value, path: &str, all: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                all.push(format!("{path}/{name}"));
                paths(value, &format!("{path}/{name}"), all);
            }
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(at, value)| paths(value, &format!("{path}/{at}"), all));
        }
        _ => {}
    }
}

/// Fields that the reader does without, or that have a default.
const OPTIONAL: [&str; 7] = [
    "num_threads_per_block",
    "reuse_resources",
    "use_double_scratch_buffer",
    "buffer_alignment",
    "min_message_size",
    "max_message_size",
    "reduce_op",
];

#[test]
fn every_missing_field_is_refused_and_named() {
    let text = plan("path: 2", &[COLLECTIVES[6]]);
    let mut all = Vec::new();
    paths(&serde_json::from_str(&text).unwrap(), "", &mut all);
    let mut tried = 0;
    for path in &all {
        let name = path.rsplit('/').next().unwrap();
        let result = algorithm::check_plan(&edited(&text, path, Value::Null));
        // a put over memory needs no channel
        let is_put = name == "channel_ids" && path.contains("/ops/");
        // lists that are left out are empty
        let is_list = ["remote_buffer_refs", "semaphores"].contains(&name);
        if (OPTIONAL.contains(&name) || is_put || is_list) && result.is_ok() {
            continue;
        }
        let fault = result.expect_err(path).to_string();
        assert!(is_list || fault.contains(&format!("requires the field `{name}`")), "{path}: {fault}");
        tried += 1;
    }
    assert!(tried > 150, "{tried} of {}", all.len());
}

#[test]
fn every_kind_of_damage_to_a_plan_is_refused_with_its_place() {
    let text = plan("torus: [3, 3]", &[COLLECTIVES[6]]);
    let tb = "/gpus/2/threadblocks/0";
    let at = |path: &str| format!("{tb}/{path}");
    let plan: Value = serde_json::from_str(&text).unwrap();
    let ops = plan.pointer(&at("ops")).unwrap().as_array().unwrap();
    let op = |name: &str| {
        let blocks = plan["gpus"][2]["threadblocks"].as_array().unwrap();
        let all = blocks.iter().enumerate();
        let mut all = all.flat_map(|(block, tb)| {
            tb["ops"].as_array().unwrap().iter().enumerate().map(move |(number, op)| (block, number, op))
        });
        let (block, number, _) = all.find(|(.., op)| op["name"] == name).unwrap();
        format!("/gpus/2/threadblocks/{block}/ops/{number}")
    };
    let many = vec![ops[1].clone(); 65];
    let blocks = vec![plan.pointer(tb).unwrap().clone(); 109];
    let cases = [
        ("/collective".to_owned(), Value::from("custom"), "`collective`"),
        ("/collective".to_owned(), Value::from("alltoall"), "`inplace`: must be false"),
        ("/collective".to_owned(), Value::from("allgather"), "do not fit allgather"),
        ("/protocol".to_owned(), Value::from("LL"), "must be Simple"),
        ("/inplace".to_owned(), Value::from(1), "must be true or false"),
        ("/reuse_resources".to_owned(), Value::from(true), "must be false"),
        ("/num_threads_per_block".to_owned(), Value::from(1056), "from 32 to 1024"),
        ("/num_threads_per_block".to_owned(), Value::from(40), "multiple of 32"),
        ("/buffer_alignment".to_owned(), Value::from(24), "multiple of 16"),
        ("/max_message_size".to_owned(), Value::from(-1), "`max_message_size`"),
        ("/gpus/1/id".to_owned(), Value::from(2), "must be 1"),
        ("/gpus/1/output_chunks".to_owned(), Value::from(0), "from 1 to"),
        ("/gpus/1/input_chunks".to_owned(), Value::from(7), "must lie within the 7 chunks of buffer i"),
        ("/gpus/1/channels/0/channel_type".to_owned(), Value::from("port"), "must be memory"),
        ("/gpus/1/channels/0/connected_to/0".to_owned(), Value::from(1), "another rank"),
        ("/gpus/1/channels/0/connected_to/0".to_owned(), Value::from(9), "from 0 to 8"),
        ("/gpus/1/channels/0/connected_to/0".to_owned(), Value::from(5), ""),
        ("/gpus/1/remote_buffers/0/rank".to_owned(), Value::from(1), "another rank"),
        ("/gpus/1/remote_buffers/0/rank".to_owned(), Value::from(8), "may not have begun"),
        ("/gpus/1/remote_buffers/0/type".to_owned(), Value::from("x"), "must be i, o or s"),
        ("/gpus/1/semaphores/0/init_value".to_owned(), Value::from(1), ""),
        ("/gpus/1/scratch_chunks".to_owned(), Value::from(0), "must not be empty"),
        ("/gpus/2/threadblocks".to_owned(), Value::from(blocks), "at most 108 thread blocks"),
        (at("id"), Value::from(1), "must be 0"),
        (at("ops"), Value::from(many), "at most 64 operations"),
        (at("channels/0/channel_ids/0"), Value::from(99), "one of the channels of the rank"),
        (at("channels/0/channel_ids"), Value::from(vec![0; 17]), "at most 16 channels"),
        (at("remote_buffer_refs/0/remote_buffer_ids/0"), Value::from(99), "one of the remote buffers"),
        (at("ops/0/name"), Value::from("pipeline"), "is not an operation that is judged"),
        (op("wait") + "/channel_ids", Value::from(vec![1]), "one of the thread block's channels"),
        (op("wait") + "/channel_ids", Value::from(vec![0; 9]), "1 to 8 channels"),
        (op("put") + "/src_buff", Value::from(Vec::<Value>::new()), "1 to 10 chunks"),
        (op("put") + "/src_buff/0/index", Value::from(17), ""),
        (op("put") + "/src_buff/0/index", Value::from(18), "must lie within the 18 chunks of buffer i of rank 2"),
        (op("put") + "/src_buff/0/size", Value::from(2), "of the same sizes"),
        (op("put") + "/dst_buff/0/buffer_id", Value::from(5), "from 0 to"),
        (op("put") + "/channel_type", Value::from("port"), "must be memory"),
        (op("re") + "/reduce_op", Value::from("max"), "must be sum"),
        (op("re") + "/src_buff/1/size", Value::from(2), "of one size"),
        (op("re") + "/dst_buff/0/index", Value::from(0), ""),
        (op("re") + "/tbg_info", Value::from(true), "not judged"),
        (op("sem_acquire") + "/semaphore_ids", Value::from(vec![99]), "one of the semaphores"),
        (op("sem_release") + "/semaphore_ids", Value::from(vec![0; 17]), "1 to 16 semaphores"),
    ];
    for (at, (path, value, wanted)) in cases.into_iter().enumerate() {
        let fault = algorithm::check_plan(&edited(&text, &path, value.clone()));
        let fault = fault.expect_err(&format!("case {at}: {path} {value}")).to_string();
        assert!(fault.contains(wanted), "case {at}: `{fault}` has no `{wanted}`");
    }
    assert!(matches!(algorithm::check_plan("{"), Err(FileFault::Syntax { line: 1, .. })));
}

#[test]
fn crossed_waits_are_a_deadlock() {
    let text = plan("path: 2", &[COLLECTIVES[0]]);
    let swapped = |block: usize, ops: [usize; 2]| {
        let mut plan: Value = serde_json::from_str(&text).unwrap();
        for rank in 0..2 {
            let list = plan.pointer_mut(&format!("/gpus/{rank}/threadblocks/{block}/ops")).unwrap();
            list.as_array_mut().unwrap().swap(ops[0], ops[1]);
        }
        plan.to_string()
    };
    // the receiver waits for data before it says that it has begun
    assert!(matches!(algorithm::check_plan(&swapped(1, [0, 1])), Err(FileFault::Deadlock { .. })), "{text}");
}

#[test]
fn long_schedules_go_on_in_the_next_thread_block_and_others_are_refused() {
    let text = plan("cycle: 30", &[COLLECTIVES[0]]);
    let verdict = algorithm::check_plan(&text).unwrap();
    // 15 packets over a link, five operations each, are two thread blocks per output
    assert_eq!(verdict.blocks, 30 * 7, "{verdict:?}");
    let refused = |network: &str, settings: &[&str]| {
        let design = Design::in_blocks(config(network, &[settings])).unwrap();
        export::mscclpp(&design.program).map(|text| text.len()).unwrap_err().to_string()
    };
    let fault = refused("path: 44", &["collective=exchange"]);
    assert!(fault.contains("108 thread blocks"), "{fault}");
    let fault = refused("torus: [3, 3]", &["collective=all-reduce", "operation=max"]);
    assert!(fault.contains("adds"), "{fault}");
}

#[test]
fn the_command_writes_and_checks_plans() {
    let place = Place::new();
    assert_eq!(place.run("export --torus 3x4 --collective exchange --to mscclpp -o a.json").code, 0);
    let ended = place.run("export --check a.json --to mscclpp");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stdout.contains("MSCCL++: alltoall on 12 ranks") && ended.stdout.contains("144 output chunks"));
    let text = std::fs::read_to_string(place.path().join("a.json")).unwrap();
    std::fs::write(place.path().join("b.json"), text.replacen("\"name\":\"nop\"", "\"name\":\"nap\"", 1)).unwrap();
    let ended = place.run("export --check b.json --to mscclpp");
    assert_eq!(ended.code, 1);
    assert!(ended.stderr.contains("`nap`") && ended.stderr.contains("help:"), "{}", ended.stderr);
}
