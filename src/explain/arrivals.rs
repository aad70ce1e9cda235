//! Origins of arrivals: for every port and tick the origin of the flit, relative to the node, so that one table serves all
//! nodes that see the same.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};

use crate::design::support::{Unsupported, building};
use crate::net::{Network, NodeId, Topology};
use crate::play::{Combiner, Machine, Payloads};
use crate::program::{ClassId, ClassMap, FlitId, Program, ShownChannel, class_symbol, count};
use crate::study::region::regions;

/// More arrivals than this take more memory than most machines have.
const MOST_ARRIVALS: u64 = 1 << 26;

/// One flit that arrives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ListedArrival {
    /// Input of the node, counted as in `ArrivalTables::inputs`.
    #[serde(skip)]
    pub input: usize,
    /// The tick after which it is there.
    pub tick: u32,
    /// Offset of the origin from the node: to be added axis by axis, modulo the side where an axis wraps.
    pub from: Vec<i64>,
    /// Index among the packets of its node.
    pub packet: u32,
    /// Index of the flit in the packet.
    pub flit: u32,
    /// True for a partial, for the result of the node that would otherwise be the origin.
    #[serde(skip_serializing_if = "is_packet")]
    pub partial: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands over references
fn is_packet(partial: &bool) -> bool {
    !partial
}

/// Table of arrivals for a set of nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArrivalTable {
    /// Class of the nodes.
    pub class: String,
    /// Index among the tables of the class, from 0.
    pub number: u32,
    /// Coordinates of the nodes.
    pub nodes: Vec<Vec<u32>>,
    /// Region of the nodes in words.
    pub region: String,
    /// Arrivals, input by input and tick by tick.
    #[serde(rename = "inputs", serialize_with = "by_input")]
    pub arrivals: (Vec<ShownChannel>, Vec<ListedArrival>),
}

/// Every table of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArrivalTables {
    /// Name of the design.
    pub name: String,
    /// Network of nodes and links.
    pub topology: Network,
    /// Ticks of a run.
    pub ticks: u32,
    /// Number of ticks, from the first, in which partials arrive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduce_ticks: Option<u32>,
    /// Packets of the node that has the most.
    pub packets: u32,
    /// Flits of the longest packet.
    pub flits: u32,
    /// The inputs of a node.
    pub inputs: Vec<ShownChannel>,
    /// Tables, one per set of nodes.
    pub tables: Vec<ArrivalTable>,
}

/// Arrivals at one input.
#[derive(Serialize)]
struct InputArrivals<'a> {
    #[serde(flatten)]
    at: ShownChannel,
    arrivals: Vec<&'a ListedArrival>,
}

fn by_input<S: Serializer>(
    (inputs, arrivals): &(Vec<ShownChannel>, Vec<ListedArrival>),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let of = |index: usize| arrivals.iter().filter(|arrival| arrival.input == index).collect();
    serializer.collect_seq(inputs.iter().enumerate().map(|(index, &at)| InputArrivals { at, arrivals: of(index) }))
}

impl ArrivalTables {
    /// Plays the program and writes down what arrives.
    pub fn of(program: &Program) -> Result<Self, Unsupported> {
        let topology = &program.topology;
        let arrivals = (program.registers() as u64).saturating_mul(program.ticks.into());
        if arrivals > MOST_ARRIVALS {
            let problem =
                format!("{arrivals} ports and ticks are more than the {MOST_ARRIVALS} that a table is made of");
            return Err(building::ARRIVALS.refusal(problem));
        }
        let reduce_ticks = program.reduction.as_ref().map(|reduction| reduction.ticks);
        let mut seen: Vec<Vec<ListedArrival>> = vec![Vec::new(); topology.nodes() as usize];
        play(program, |tick, node, input, flit| {
            let origin = program.demand.origin(flit);
            seen[node.index()].push(ListedArrival {
                input,
                tick,
                from: offset(topology, node, origin.node),
                packet: origin.packet,
                flit: origin.flit,
                partial: reduce_ticks.is_some_and(|last| tick <= last),
            });
        });
        let (axes, lanes) = (topology.axes(), program.lanes);
        let inputs: Vec<ShownChannel> =
            program.channels().map(|channel| ShownChannel { axes, lanes, channel }).collect();
        Ok(Self {
            name: program.title.name.clone(),
            topology: topology.clone(),
            ticks: program.ticks,
            reduce_ticks,
            packets: program.demand.most_packets(),
            flits: program.demand.messages().iter().map(|message| message.flits).max().unwrap_or(0),
            tables: tables(program, &inputs, seen),
            inputs,
        })
    }

    /// One line an arrival, for spreadsheets and scripts.
    pub fn csv(&self) -> String {
        let axes: Vec<String> = (1..=self.topology.axes()).map(|axis| format!("x{axis}")).collect();
        let kind = if self.reduce_ticks.is_some() { ",kind" } else { "" };
        let mut text = format!("class,table,port,tick,{},packet,flit{kind}\n", axes.join(","));
        for ArrivalTable { class, number, arrivals: (inputs, arrivals), .. } in &self.tables {
            for ListedArrival { input, tick, from, packet, flit, partial } in arrivals {
                let from: Vec<String> = from.iter().map(i64::to_string).collect();
                let kind = match self.reduce_ticks {
                    None => "",
                    Some(_) if *partial => ",partial",
                    Some(_) => ",packet",
                };
                text += &format!(
                    "{class},{number},{},{tick},{},{packet},{flit}{kind}\n",
                    inputs[*input].channel,
                    from.join(",")
                );
            }
        }
        text
    }

    /// For `$readmemh`: the word of a table, a tick and a port, in this order. A word is 0 where nothing arrives, else the
    /// origin's place in row-major order seen from the node, counted from 1 with its packets and flits.
    pub fn hex(&self) -> String {
        let words = self.tables.len() * self.ticks as usize * self.inputs.len();
        let nodes = self.topology.dims().iter().map(|&side| u64::from(side)).product::<u64>();
        let most = nodes * u64::from(self.packets) * u64::from(self.flits);
        let digits = format!("{most:x}").len();
        let mut text = format!("// {}: {words} words, table by table, tick by tick, port by port\n", self.name);
        text += "// a word is 0, or 1 + (place * packets + packet) * flits + flit; the place counts the offsets of the origin,\n";
        text += "// modulo the sides, in row-major order\n";
        if let Some(last) = self.reduce_ticks {
            text +=
                &format!("// up to tick {last} partials arrive: the origin is the node whose result they are for\n");
        }
        for (index, table) in self.tables.iter().enumerate() {
            text += &format!("// table {index}: class {}, {}\n", table.class, table.region);
            let mut words = vec![0; self.ticks as usize * self.inputs.len()];
            for arrival in &table.arrivals.1 {
                words[(arrival.tick as usize - 1) * self.inputs.len() + arrival.input] = self.word(arrival);
            }
            for word in words {
                text += &format!("{word:0digits$x}\n");
            }
        }
        text
    }

    fn word(&self, arrival: &ListedArrival) -> u64 {
        let place = arrival
            .from
            .iter()
            .zip(self.topology.dims())
            .fold(0, |place, (&offset, &side)| place * u64::from(side) + offset.rem_euclid(i64::from(side)) as u64);
        1 + (place * u64::from(self.packets) + u64::from(arrival.packet)) * u64::from(self.flits)
            + u64::from(arrival.flit)
    }
}

impl fmt::Display for ArrivalTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables = count(self.tables.len() as u64, "table");
        writeln!(f, "{}: what arrives in {}, {tables}", self.name, count(self.ticks.into(), "tick"))?;
        for table in &self.tables {
            writeln!(f, "\nclass {}, {}: {}", table.class, count(table.nodes.len() as u64, "node"), table.region)?;
            for (input, name) in self.inputs.iter().enumerate() {
                let arrivals = table.arrivals.1.iter().filter(|arrival| arrival.input == input);
                let words: Vec<String> = arrivals.map(|arrival| self.describe(arrival)).collect();
                writeln!(f, "  {name}: {}", if words.is_empty() { "nothing".to_owned() } else { words.join("; ") })?;
            }
        }
        Ok(())
    }
}

impl ArrivalTables {
    /// `3 (-1,+2)`: in tick 3, from the node (or `3 for (-1,+2)`, for it) one up and two to the right; with packet and flit where there are several.
    fn describe(&self, ListedArrival { tick, from, packet, flit, partial, .. }: &ListedArrival) -> String {
        let partial = if *partial { "for " } else { "" };
        let from: Vec<String> = from.iter().map(|offset| format!("{offset:+}")).collect();
        let packet = if self.packets > 1 { format!(" packet {packet}") } else { String::new() };
        let flit = if self.flits > 1 { format!(" flit {flit}") } else { String::new() };
        format!("{tick} {partial}({}){packet}{flit}", from.join(","))
    }
}

/// Plays a program and tells what arrives: the tick, the node, its input, and the flit or what it is a partial of.
fn play(program: &Program, mut arrives: impl FnMut(u32, NodeId, usize, FlitId)) {
    if let Some(mut combiner) = Combiner::new(program, Payloads { width: 1, seed: 0 }) {
        while !combiner.is_done() {
            combiner.step();
            for (node, input) in
                program.topology.node_ids().flat_map(|node| program.channels().map(move |at| (node, at)))
            {
                if let Some(flit) = program.arriving(node, input).and_then(|register| combiner.flit(register)) {
                    arrives(combiner.tick(), node, program.output_index(input), flit);
                }
            }
        }
        return;
    }
    let mut machine = Machine::new(program);
    while !machine.is_done() {
        machine.step();
        machine
            .arrivals()
            .for_each(|(node, input, flit)| arrives(machine.tick(), node, program.output_index(input), flit));
    }
}

/// Offset from one node to another, axis by axis: the shorter way where an axis wraps, reduced where the network is no
/// product.
fn offset(topology: &Topology, from: NodeId, to: NodeId) -> Vec<i64> {
    let Some(product) = topology.as_product() else {
        return topology.offset(from, to).into_iter().map(i64::from).collect();
    };
    let along = |axis: usize| {
        let side = i64::from(topology.side(axis));
        let straight = i64::from(topology.coord(to, axis)) - i64::from(topology.coord(from, axis));
        if !product.wraps(axis) {
            return straight;
        }
        let round = straight.rem_euclid(side);
        if 2 * round > side { round - side } else { round }
    };
    (0..topology.axes()).map(along).collect()
}

/// Nodes of a class that see the same share a table.
fn tables(program: &Program, inputs: &[ShownChannel], seen: Vec<Vec<ListedArrival>>) -> Vec<ArrivalTable> {
    let mut alike: BTreeMap<(ClassId, Vec<ListedArrival>), Vec<NodeId>> = BTreeMap::new();
    for (node, mut arrivals) in program.topology.node_ids().zip(seen) {
        arrivals.sort();
        alike.entry((program.class_of[node.index()], arrivals)).or_default().push(node);
    }
    // in the order of the first node of each
    let mut alike: Vec<_> = alike.into_iter().collect();
    alike.sort_by_key(|((class, _), nodes)| (*class, nodes[0]));
    let mut table_of = ClassMap::uniform(program.class_of.len());
    for (table, (_, nodes)) in alike.iter().enumerate() {
        for node in nodes {
            table_of.set(*node, ClassId(table as u32));
        }
    }
    let regions = regions(&program.topology, &table_of, alike.len());
    let mut numbers: BTreeMap<ClassId, u32> = BTreeMap::new();
    let mut tables = Vec::with_capacity(alike.len());
    for (((class, arrivals), nodes), region) in alike.into_iter().zip(regions) {
        let next = numbers.entry(class).or_default();
        tables.push(ArrivalTable {
            class: class_symbol(class),
            number: *next,
            nodes: nodes.iter().map(|&node| program.topology.coords(node)).collect(),
            region: region.to_string(),
            arrivals: (inputs.to_vec(), arrivals),
        });
        *next += 1;
    }
    tables
}
