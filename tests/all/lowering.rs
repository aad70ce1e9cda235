//! The lowering of demands to nodes: its tables, played on numbers without RTL, achieve every collective as MPI defines it.

use std::collections::BTreeMap;

use torusweave::design::Design;
use torusweave::design::config::{Config, Setting};
use torusweave::net::{NodeId, ShapeName};
use torusweave::netlist::{AskedWord, BankPlace, BlockOrder, Netlist, Node, NodeLowering, OwnInputs, Rom};
use torusweave::program::{Operands, Program};
use torusweave::schemes::SCHEMES;
use torusweave::task::Collective;

use crate::fixtures::chance::Chance;
use crate::fixtures::players::{combine, play};

fn designs(networks: &[(ShapeName, &[u32])], settings: &[&str]) -> Vec<Design> {
    let mut designs = Vec::new();
    for &(shape, sides) in networks {
        for (collective, scheme) in Collective::ALL.iter().flat_map(|of| SCHEMES.iter().map(move |scheme| (of, scheme)))
        {
            let mut all = vec![format!("collective={collective}"), format!("scheme={scheme}")];
            all.extend(collective.is_reduction().then(|| "operation=sum".to_owned()));
            all.extend(settings.iter().map(|&setting| setting.to_owned()));
            let apply = |config: Config, setting: &String| setting.parse::<Setting>().unwrap().apply(&config).ok();
            let config = all.iter().try_fold(Config::of(shape, sides.to_vec()), apply);
            designs.extend(config.and_then(|config| Design::new(config).ok()));
        }
    }
    designs
}

/// Nodes of a program, lowered, and the program that they are for: one of single flits, where packets move as wholes.
fn lowered(program: &Program, order: BlockOrder) -> (Program, Vec<Node>) {
    let nodes = NodeLowering::of(program, OwnInputs::Packets);
    let played = if nodes.flits_per_word() > 1 { program.unstretched().unwrap() } else { program.clone() };
    (played, program.topology.node_ids().map(|node| nodes.node(node, order)).collect())
}

/// Random words for every node's stream in, as long as the collective says.
fn words(design: &Design, played: &Program) -> Vec<Vec<u64>> {
    let (nodes, root) = (played.topology.nodes(), design.root());
    let demand = &played.demand;
    let lengths: Vec<u64> = played.topology.node_ids().map(|node| demand.own_flits(node)).collect();
    let all: u64 = demand.flits();
    // blocks of a scatter or gather that differ have none for the root
    let first = usize::from(root == Some(NodeId(0)));
    let alike = |block: u64| all == block * u64::from(nodes - 1);
    let length = |node: NodeId| match design.config.collective {
        Collective::Exchange => lengths[0] / u64::from(nodes - 1) * u64::from(nodes),
        Collective::Scatter if Some(node) != root => 0,
        Collective::Scatter if design.config.lengths.is_none() => all / u64::from(nodes - 1) * u64::from(nodes),
        Collective::Reduce | Collective::ReduceScatter | Collective::AllReduce | Collective::Scatter => all,
        Collective::Gather if Some(node) == root && alike(lengths[first]) => lengths[first],
        Collective::Gossip | Collective::Broadcast | Collective::Gather => lengths[node.index()],
    };
    let mut chance = Chance(11);
    let mut word = |_| (0..4).fold(0, |word, _| word << 16 | u64::from(chance.below(1 << 16)));
    let mut stream = |node| -> Vec<u64> { (0..length(node)).map(&mut word).collect() };
    played.topology.node_ids().map(&mut stream).collect()
}

/// Words that every node has to give, by the definition of its collective; `blocks` are the words that the root has for each
/// node in a scatter of several lengths.
fn wanted(design: &Design, program: &Program, taken: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let nodes = taken.len();
    let block = |of: &[u64], node: usize| of[of.len() / nodes * node..][..of.len() / nodes].to_vec();
    let all = || taken.concat();
    let sum = || {
        let operation = program.reduction.as_ref().unwrap().operation;
        let add =
            |sum: Vec<u64>, more: &Vec<u64>| sum.iter().zip(more).map(|(&a, &b)| combine(operation, a, b)).collect();
        taken[1..].iter().fold(taken[0].clone(), add)
    };
    let at = |node: usize| -> Vec<u64> {
        let root = design.root().map_or(0, NodeId::index);
        match design.config.collective {
            Collective::Gossip => all(),
            Collective::Broadcast => taken[root].clone(),
            Collective::Scatter if design.config.lengths.is_none() => block(&taken[root], node),
            Collective::Scatter => {
                let lengths: Vec<usize> = design.task().lengths().iter().map(|&flits| flits as usize).collect();
                taken[root][lengths[..node].iter().sum()..][..lengths[node]].to_vec()
            }
            Collective::Gather => {
                if node == root {
                    all()
                } else {
                    Vec::new()
                }
            }
            Collective::Exchange => taken.iter().flat_map(|of| block(of, node)).collect(),
            Collective::Reduce if node != root => Vec::new(),
            Collective::ReduceScatter => block(&sum(), node),
            Collective::Reduce | Collective::AllReduce => sum(),
        }
    };
    (0..nodes).map(at).collect()
}

/// Words that leave, blocks sorted by their names.
fn sorted(node: &Node, words: Vec<Option<u64>>) -> Vec<Option<u64>> {
    let mut words = words.into_iter();
    let blocks = node
        .gives
        .iter()
        .map(|block| (block.node, block.number, words.by_ref().take(block.words as usize).collect::<Vec<_>>()));
    let mut blocks: Vec<_> = blocks.collect();
    blocks.sort();
    blocks.into_iter().flat_map(|(_, _, words)| words).collect()
}

fn assert_right(design: &Design) {
    let what = format!("{} {} by {}", design.program.topology, design.config.collective, design.program.title.scheme);
    for order in [BlockOrder::Origin, BlockOrder::Arrival] {
        let (played, nodes) = lowered(&design.program, order);
        let taken = words(design, &played);
        for (node, taken) in nodes.iter().zip(&taken) {
            assert_eq!(node.takes.iter().map(|block| block.words as usize).sum::<usize>(), taken.len(), "{what}");
        }
        let routers = Netlist::of(&design.program, Rom::Shared, 8).routers;
        for (node, class) in nodes.iter().zip(&design.program.class_of) {
            let inputs: Vec<_> = node.banks.iter().map(|bank| bank.input).collect();
            assert_eq!(inputs, routers[class.index()].packets, "{what}");
        }
        let given = play(&played, &nodes, &taken);
        let wanted = wanted(design, &played, &taken);
        for ((node, given), wanted) in nodes.iter().zip(given).zip(wanted) {
            if order == BlockOrder::Origin {
                assert!(node.gives.is_sorted_by_key(|block| (block.node, block.number)), "{what}");
            }
            assert_eq!(sorted(node, given), wanted.into_iter().map(Some).collect::<Vec<_>>(), "{what}, {order:?}");
        }
    }
}

const NETWORKS: [(ShapeName, &[u32]); 8] = [
    (ShapeName::Torus, &[4, 4]),
    (ShapeName::Torus, &[3, 5]),
    (ShapeName::Torus, &[2, 3, 3]),
    (ShapeName::Mesh, &[3, 4]),
    (ShapeName::Mesh, &[2, 2]),
    (ShapeName::Cycle, &[5]),
    (ShapeName::Path, &[4]),
    (ShapeName::Torus, &[6, 7]),
];

/// Returns false for scatters by flow: their messages are single flits, without the root's block for itself.
fn gives_roots_their_own(design: &Design) -> bool {
    design.program.title.scheme != "flow"
}

#[test]
fn tables_achieve_every_collective_on_every_kind_of_network() {
    let mut tried: BTreeMap<&str, usize> = BTreeMap::new();
    for settings in
        [&[][..], &["link.flits=3"], &["link.lanes=2", "link.duplex=half"], &["link.flits=2", "link.latency=2"]]
    {
        for design in designs(&NETWORKS, settings).into_iter().filter(gives_roots_their_own) {
            assert_right(&design);
            *tried.entry(design.config.collective.name()).or_default() += 1;
        }
    }
    println!("programs whose tables were played: {tried:?}");
    assert!(Collective::ALL.iter().all(|collective| tried.get(collective.name()) >= Some(&5)), "{tried:?}");
}

#[test]
fn tables_achieve_scatters_and_gathers_of_several_lengths_from_any_root() {
    let mut tried = 0;
    for settings in
        [&["lengths=3,0,1,2,2,5", "root=0"][..], &["lengths=1,4,0,0,2,1", "root=4"], &["root=3", "link.flits=2"]]
    {
        for design in designs(&[(ShapeName::Cycle, &[6]), (ShapeName::Path, &[6])], settings)
            .into_iter()
            .filter(gives_roots_their_own)
        {
            assert_right(&design);
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried} programs");
}

/// One table of a node with one entry changed; those that say the same as before are left out.
fn damaged(node: &Node) -> Vec<(&'static str, Node)> {
    let mut all = Vec::new();
    let mut add = |what, change: &dyn Fn(&mut Node)| {
        let mut changed = node.clone();
        change(&mut changed);
        if changed != *node {
            all.push((what, changed));
        }
    };
    for (index, bank) in node.banks.iter().enumerate() {
        for word in 0..bank.words.len() {
            add("a bank has another word", &|node| node.banks[index].words[word] = other(bank.words[word]));
            add("words of a bank are swapped", &|node| node.banks[index].words.swap(word, 0));
        }
        add("a bank begins with its second word", &|node| node.banks[index].words.rotate_left(1));
    }
    for index in 0..node.results.len() {
        add("a result has another value", &|node| node.results[index].own ^= 1);
        add("a result forms too early", &|node| node.results[index].tick -= 1);
        let operands = node.results[index].operands;
        for operand in operands.iter() {
            let rest = operands.iter().filter(|other| *other != operand);
            add("a result lacks an operand", &|node| node.results[index].operands = Operands::of(rest.clone()));
        }
    }
    for (index, &place) in node.kept.iter().enumerate() {
        add("words that leave are swapped", &|node| node.kept.swap(index, 0));
        if let BankPlace::Received { step, input } = place {
            add("a word of an earlier step is kept", &|node| {
                node.kept[index] = BankPlace::Received { step: step.saturating_sub(1), input };
            });
            add("a word of another input is kept", &|node| {
                node.kept[index] = BankPlace::Received { step, input: input ^ 1 }
            });
            add("a word of the node's own is kept", &|node| node.kept[index] = BankPlace::Taken(0));
        }
    }
    all
}

fn other(asked: AskedWord) -> AskedWord {
    match asked {
        AskedWord::Taken(place) => AskedWord::Taken(place ^ 1),
        AskedWord::Result(place) => AskedWord::Result(place ^ 1),
        AskedWord::Nothing => AskedWord::Taken(0),
    }
}

/// An entry that is wrong is seen at some node, unless the same word lies there as well: schemes of duplicates have such places.
#[test]
fn every_damaged_table_is_seen() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for design in designs(&[(ShapeName::Torus, &[3, 4]), (ShapeName::Mesh, &[2, 3]), (ShapeName::Cycle, &[5])], &[]) {
        let (played, nodes) = lowered(&design.program, BlockOrder::Origin);
        let taken = words(&design, &played);
        let right = play(&played, &nodes, &taken);
        for at in [0, nodes.len() / 2, nodes.len() - 1] {
            for (what, changed) in damaged(&nodes[at]) {
                let mut nodes = nodes.clone();
                nodes[at] = changed;
                let given = play(&played, &nodes, &taken);
                let is_same_word = what.starts_with("a word of") && given == right;
                if !is_same_word {
                    assert_ne!(given, right, "{what}: {}", design.program.title.scheme);
                    *seen.entry(what).or_default() += 1;
                }
            }
        }
    }
    println!("damaged tables that were seen: {seen:?}");
    assert_eq!(seen.len(), 10, "{seen:?}");
}
