//! Designs: several programs in one fabric, chosen while it runs.

use torusweave::net::{NodeId, ShapeName};
use torusweave::netlist::listed::{ListNetlist, NotLowered, Resident};
use torusweave::program::{Operation, Program};
use torusweave::task::Collective;

use crate::fixtures::chance::Chance;
use crate::fixtures::designs;
use crate::fixtures::lists::{Call, Read, execute};

/// A program with its call, whether it is played for any root, and its root.
type Called = (Program, Call, bool, Option<NodeId>);

fn resident(shape: ShapeName, sides: &[u32], settings: &str) -> Called {
    let settings: Vec<&str> = settings.split(' ').collect();
    let is_moved = settings.contains(&"any");
    let settings: Vec<&str> = settings.into_iter().filter(|&setting| setting != "any").collect();
    let design = designs::design_on(shape, sides, &settings);
    let nodes = design.program.topology.live_nodes() as usize;
    let config = &design.config;
    let flits = |node: u32| design.program.demand.own_flits(NodeId(node)) as usize;
    let words = match config.collective() {
        Collective::Exchange => flits(0) / (nodes - 1),
        Collective::Broadcast | Collective::Scatter | Collective::Gather | Collective::Reduce => {
            config.link.flits.get() as usize
        }
        Collective::Gossip | Collective::ReduceScatter | Collective::AllReduce => flits(0),
    };
    let call = Call { collective: config.collective(), words, operation: config.operation, number: config.number };
    let root = design.root();
    (design.program, call, is_moved, root)
}

fn netlist(programs: &[Called]) -> ListNetlist {
    let residents = programs.iter().map(|(program, _, is_moved, root)| Resident {
        program,
        is_moved: *is_moved,
        roots: root.iter().copied().collect(),
    });
    ListNetlist::of(&residents.collect::<Vec<_>>()).unwrap()
}

/// All collectives, those with a root for any.
const ALL: [&str; 8] = [
    "scheme=optimal",
    "scheme=optimal collective=all-reduce operation=sum",
    "scheme=optimal collective=reduce-scatter operation=sum",
    "collective=exchange",
    "collective=broadcast link.flits=16 any",
    "collective=scatter link.flits=4 any",
    "collective=gather link.flits=4 any",
    "collective=reduce operation=sum link.flits=6 any",
];

fn sets() -> Vec<Vec<Called>> {
    use ShapeName::*;
    let set = |shape, sides: &[u32], programs: &[&str]| -> Vec<_> {
        programs.iter().map(|settings| resident(shape, sides, settings)).collect()
    };
    vec![
        set(Torus, &[4, 4], &ALL),
        set(Torus, &[3, 5], &ALL),
        set(Torus, &[2, 3], &ALL),
        // tracks of their own, several packets, several flits
        set(
            Torus,
            &[4, 6],
            &[
                "scheme=staircase link.flits=3",
                "scheme=staircase collective=all-reduce operation=max link.flits=2",
                "scheme=optimal collective=all-reduce operation=max link.flits=3",
                "scheme=optimal collective=reduce-scatter operation=max link.flits=2",
                "scheme=optimal collective=all-reduce operation=sum",
                "scheme=optimal collective=reduce-scatter operation=and",
                "collective=exchange link.flits=2",
                "collective=broadcast root=1,2 link.flits=7",
            ],
        ),
        set(Torus, &[3, 3, 3], &["scheme=hamiltonian", "collective=exchange", "collective=scatter any link.flits=2"]),
        // nodes that differ
        set(
            Mesh,
            &[3, 4],
            &[
                "scheme=hamiltonian",
                "scheme=hamiltonian collective=all-reduce operation=min",
                "collective=broadcast root=1,1 link.flits=3",
                "collective=scatter root=2,1 link.flits=2",
                "collective=gather root=0,3",
            ],
        ),
        set(Cycle, &[5], &["scheme=hamiltonian", "collective=exchange", "collective=gather any link.flits=3"]),
        set(Path, &[4], &["scheme=hamiltonian", "collective=gather root=2"]),
        // links that are long, and lanes
        set(
            Torus,
            &[3, 3],
            &["scheme=optimal link.latency=3", "scheme=optimal collective=all-reduce operation=xor link.latency=3"],
        ),
        // sums that take time, in one row of adders and in two, over short links and long ones, and of several flits
        set(
            Torus,
            &[4, 4],
            &[
                "scheme=optimal collective=all-reduce operation=sum number=f32 adder=5",
                "scheme=general collective=reduce-scatter operation=sum number=f32 adder=5 link.flits=2",
                "scheme=staircase collective=all-reduce operation=sum number=f32 adder=5 link.flits=6",
                "collective=exchange",
            ],
        ),
        set(
            Mesh,
            &[2, 3],
            &["collective=all-reduce operation=sum number=f32 adder=2 link.latency=2", "link.latency=2"],
        ),
    ]
}

#[test]
fn tables_of_a_design_achieve_every_collective_for_every_root() {
    let mut played = 0;
    for programs in sets() {
        let netlist = netlist(&programs);
        let mut chance = Chance(5);
        for (number, (program, call, is_moved, _)) in programs.iter().enumerate() {
            let nodes = program.topology.live_nodes() as usize;
            let fixed = (0..nodes).find(|&node| {
                let all: Vec<usize> = (0..nodes).map(|other| call.taken(nodes, other, node)).collect();
                let words = netlist.programs[number].words.iter().map(|&(taken, _)| taken as usize);
                let outs = call.result(&call.data(nodes, node, &mut Chance(1)), node);
                let given = netlist.programs[number].words.iter().map(|&(_, given)| given as usize);
                words.eq(all) && given.eq(outs.iter().map(Vec::len))
            });
            // the root of a broadcast, scatter or gather is told from the words of its streams, as the design's tables have them
            let roots = if *is_moved { 0..nodes } else { fixed.unwrap()..fixed.unwrap() + 1 };
            for root in roots {
                let data = call.data(nodes, root, &mut chance);
                let result = execute(&netlist, number, root, &data, &mut Read::default());
                assert_eq!(result, call.result(&data, root), "{} {call:?} root {root}", program.title.name);
                played += 1;
            }
        }
    }
    println!("{played} runs of tables achieve their collective");
    assert!(played > 100, "{played}");
}

/// Every entry that a run reads has another address, or another bank, and every kept arrival is dropped.
#[test]
fn every_damaged_table_of_a_design_is_seen() {
    let floats = ALL.map(|settings| settings.replace("operation=sum", "operation=sum number=f32 adder=3"));
    for (number, settings) in [ALL.map(str::to_owned), floats].into_iter().enumerate() {
        let programs: Vec<_> = settings.iter().map(|settings| resident(ShapeName::Torus, &[3, 4], settings)).collect();
        // sums alone are new in designs of floats
        let some = if number == 0 { 0..7 } else { 1..3 };
        every_damage_is_seen(&programs, some);
    }
}

fn every_damage_is_seen(programs: &[Called], some: std::ops::Range<usize>) {
    let right = netlist(programs);
    let (mut seen, root) = (0, 7);
    for (number, (_, call, _, _)) in programs.iter().enumerate().filter(|(number, _)| some.contains(number)) {
        let data = call.data(12, root, &mut Chance(9));
        let mut read = Read::default();
        let result = execute(&right, number, root, &data, &mut read);
        assert_eq!(result, call.result(&data, root));
        let mut is_seen = |netlist: &ListNetlist, what: &str| {
            let other = std::panic::catch_unwind(|| execute(netlist, number, root, &data, &mut Read::default()));
            assert_ne!(other.ok(), Some(result.clone()), "{call:?}: {what}");
            seen += 1;
        };
        let distinct = |mut entries: Vec<usize>| {
            entries.sort_unstable();
            entries.dedup();
            entries
        };
        for entry in distinct(read.given) {
            let mut wrong = right.clone();
            wrong.given[entry].address += 1;
            is_seen(&wrong, &format!("address of given word {entry}"));
            let mut wrong = right.clone();
            wrong.given[entry].bank = (wrong.given[entry].bank + 1) % (right.inputs() as u32 + 1);
            is_seen(&wrong, &format!("bank of given word {entry}"));
        }
        for entry in distinct(read.taken) {
            for bank in 0..=right.inputs() {
                let Some(address) = right.taken[entry].addresses[bank] else { continue };
                let mut wrong = right.clone();
                wrong.taken[entry].addresses[bank] = Some(address ^ 1);
                is_seen(&wrong, &format!("address of taken word {entry} in bank {bank}"));
                let mut wrong = right.clone();
                wrong.taken[entry].addresses[bank] = None;
                is_seen(&wrong, &format!("taken word {entry} in bank {bank}"));
            }
        }
        if let Some(first) = right.programs[number].shared {
            for tick in 0..right.programs[number].ticks {
                for group in 0..right.union.parts.keeps.len() {
                    let mut wrong = right.clone();
                    let keeps = &mut wrong.words[(first + tick) as usize].keeps[group];
                    if std::mem::replace(keeps, false) {
                        is_seen(&wrong, &format!("arrivals of group {group} in tick {tick}"));
                    }
                }
            }
        }
    }
    println!("{seen} damages seen");
    assert!(seen > 30 * some.len(), "{seen}");
}

/// In a gossip every output sends the node's own word, and all inputs have something new in every tick; of an exchange nothing can
/// be shared but what inputs keep.
#[test]
fn banks_are_shared_where_the_same_is_done_in_the_same_ticks() {
    let shared = |scheme: &str| {
        let (program, _, _, root) = resident(ShapeName::Torus, &[4, 4], scheme);
        let netlist =
            ListNetlist::of(&[Resident { program: &program, is_moved: false, roots: root.into_iter().collect() }])
                .unwrap();
        (netlist.union.parts.sends, netlist.union.parts.keeps)
    };
    let all = vec![vec![0, 1, 2, 3]];
    assert_eq!(shared("scheme=optimal"), (all.clone(), all));
    let (sends, keeps) = shared("collective=exchange");
    assert_eq!(sends, [[0], [1], [2], [3]]);
    assert!(keeps.len() < 4, "{keeps:?}");
    let (_, keeps) = shared("scheme=optimal collective=all-reduce operation=sum");
    assert!(keeps.contains(&vec![0, 1, 2, 3]), "{keeps:?}");
}

#[test]
fn two_operations_of_floats_make_no_list() {
    let of = |operation| {
        let reduction = format!("scheme=optimal collective=all-reduce number=f32 operation={operation}");
        resident(ShapeName::Torus, &[3, 3], &reduction)
    };
    let (sum, max) = (of("sum"), of("max"));
    let residents = [&sum, &max].map(|(program, _, _, root)| Resident {
        program,
        is_moved: false,
        roots: root.iter().copied().collect(),
    });
    let refused = NotLowered::Operations { program: 1, first: Operation::Sum, second: Operation::Max };
    assert_eq!(ListNetlist::of(&residents), Err(refused));
}
