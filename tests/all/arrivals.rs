//! The tables of arrivals say of every node, port and tick what the model says.

use std::collections::BTreeMap;

use serde_json::Value;
use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::explain::ReducePart;
use torusweave::explain::arrivals::ArrivalTables;
use torusweave::net::ShapeName;
use torusweave::play::Machine;
use torusweave::program::Partial;

use crate::fixtures::command::{Place, examples_that_move};

/// A node, an input of it, and a tick.
type When = (Vec<u64>, usize, u64);
/// The node that sent it, its packet, and the flit of that.
type Origin = (Vec<u64>, u64, u64);

/// Reads JSON and hex words as a user would: origin node, packet and flit, by node, input and tick.
fn read(json: &Value, hex: &str) -> BTreeMap<When, Origin> {
    let number = |value: &Value| value.as_u64().unwrap();
    let list = |value: &Value| value.as_array().unwrap().iter().map(number).collect::<Vec<_>>();
    let (_, sides) = json["topology"].as_object().unwrap().iter().next().unwrap();
    let sides = if sides.is_u64() { vec![number(sides)] } else { list(sides) };
    let inputs = json["inputs"].as_array().unwrap();
    let (packets, flits, ticks) = (number(&json["packets"]), number(&json["flits"]), number(&json["ticks"]));
    let mut words =
        hex.lines().filter(|line| !line.starts_with("//")).map(|line| u64::from_str_radix(line, 16).unwrap());
    let mut found = BTreeMap::new();
    for table in json["tables"].as_array().unwrap() {
        let mut arrivals = 0;
        for tick in 1..=ticks {
            for input in 0..inputs.len() {
                let Some(word) = words.next().unwrap().checked_sub(1) else { continue };
                arrivals += 1;
                let (flit, rest) = (word % flits, word / flits);
                let (packet, mut place) = (rest % packets, rest / packets);
                let mut offset: Vec<u64> = sides.iter().rev().map(|side| (place % side, place /= side).0).collect();
                offset.reverse();
                for node in table["nodes"].as_array().unwrap().iter().map(list) {
                    let origin = node.iter().zip(&offset).zip(&sides).map(|((x, offset), side)| (x + offset) % side);
                    found.insert((node.clone(), input, tick), (origin.collect(), packet, flit));
                }
            }
        }
        let of_table = table["inputs"].as_array().unwrap();
        assert!(
            of_table
                .iter()
                .zip(inputs)
                .all(|(one, other)| one["port"] == other["port"] && one["lane"] == other["lane"])
        );
        let listed: usize = of_table.iter().map(|input| input["arrivals"].as_array().unwrap().len()).sum();
        assert_eq!(listed, arrivals);
    }
    assert_eq!(words.next(), None);
    found
}

#[test]
fn the_tables_say_what_the_model_says() {
    let place = Place::new();
    let mut compared = 0;
    for example in examples_that_move() {
        let config = example.to_str().unwrap();
        // the lengths themselves where every message has its own
        let has_lengths = Config::read(&example).unwrap().lengths.is_some();
        let flits = if has_lengths { "" } else { "--flits 2" };
        let mut printed = ["json", "hex", "csv", "text"].map(|format| {
            let ended = place.run(&format!("arrivals {config} --format {format} {flits}"));
            assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
            ended.stdout
        });
        let json: Value = serde_json::from_str(&std::mem::take(&mut printed[0])).unwrap();
        let found = read(&json, &printed[1]);
        let set = if has_lengths { "link.flits=1" } else { "link.flits=2" };
        let set = set.parse::<torusweave::design::config::Setting>().unwrap();
        let program = Design::new(set.apply(&Config::read(&example).unwrap()).unwrap()).unwrap().program;
        let mut machine = Machine::new(&program);
        let mut arrivals = 0;
        while !machine.is_done() {
            machine.step();
            for (node, input, flit) in machine.arrivals() {
                let coords = |node| program.topology.coords(node).into_iter().map(u64::from).collect::<Vec<_>>();
                let origin = program.demand.origin(flit);
                let expected = (coords(origin.node), origin.packet.into(), origin.flit.into());
                let input = input.port.index() * usize::from(program.lanes) + usize::from(input.lane);
                assert_eq!(found[&(coords(node), input, machine.tick().into())], expected, "{config}");
                arrivals += 1;
            }
        }
        assert_eq!(found.len(), arrivals, "{config}");
        compared += arrivals;
    }
    println!("{compared} arrivals compared");
}

#[test]
fn optimal_has_one_table_for_all_nodes() {
    let place = Place::new();
    let ended = place.run("arrivals --torus 4x6 --scheme optimal");
    assert!(ended.stdout.starts_with("torus_4x6: what arrives in 6 ticks, 1 table\n"), "{}", ended.stdout);
    insta::assert_snapshot!(ended.stdout);
}

/// Played and followed back along the program: the same partials for the same nodes.
#[test]
fn partials_are_for_the_nodes_that_the_program_says() {
    let mut compared = 0;
    for (sides, config) in [
        (&[4, 5][..], "staircase memory all-reduce sum"),
        (&[4, 6], "zigzag none all-reduce max"),
        (&[3, 3, 2], "optimal none reduce-scatter xor"),
    ] {
        let program = crate::reduce::design(ShapeName::Torus, sides, config).program;
        let reduce = program.reduce_part().unwrap();
        let (partials, topology) = (ReducePart::of(&reduce).unwrap(), &program.topology);
        let arrivals = ArrivalTables::of(&program).unwrap();
        assert_eq!(arrivals.reduce_ticks, Some(reduce.ticks));
        for table in &arrivals.tables {
            for (node, port) in table.nodes.iter().flat_map(|node| topology.port_ids().map(move |port| (node, port))) {
                let of_port = table.arrivals.1.iter().filter(|it| it.input == port.index() && it.partial);
                let said = of_port.map(|it| {
                    let to = node.iter().zip(&it.from).zip(topology.dims());
                    let to: Vec<u32> =
                        to.map(|((&x, &by), &side)| (i64::from(x) + by).rem_euclid(side.into()) as u32).collect();
                    (it.tick, Partial { node: topology.node(&to), packet: it.packet })
                });
                let said: Vec<_> = said.collect();
                compared += said.len();
                assert_eq!(said, partials.listed(topology.node(node), port), "{sides:?} {config}");
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}

#[test]
fn an_all_reduce_has_partials_and_then_packets() {
    let place = Place::new();
    let design = "arrivals --torus 3x3 --scheme optimal --collective all-reduce --operation sum --latency 2";
    insta::assert_snapshot!(place.run(design).stdout);
    let csv = place.run(&format!("{design} --format csv")).stdout;
    assert!(csv.starts_with("class,table,port,tick,x1,x2,packet,flit,kind\n"), "{csv}");
    let kinds = |kind: &str| csv.lines().filter(|line| line.ends_with(kind)).count();
    assert_eq!((kinds(",partial"), kinds(",packet")), (8, 8));
}
