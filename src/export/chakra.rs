//! Execution traces as ASTRA-sim reads them: Chakra's protobuf, one trace a node, a send and a receive for each packet and link.

use std::collections::HashMap;

use prost::Message as _;

use super::messages::{self, LinkMessage};
use crate::design::support::Unsupported;
use crate::net::NodeId;
use crate::program::Program;

/// The version of the schema, `schema/protobuf/et_def.proto`.
const VERSION: &str = "0.0.4";

/// `COMM_SEND_NODE` and `COMM_RECV_NODE`.
const SEND: i32 = 5;
const RECEIVE: i32 = 6;

#[derive(prost::Message)]
struct GlobalMetadata {
    #[prost(string, tag = "1")]
    version: String,
}

#[derive(prost::Message)]
struct ChakraNode {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(int32, tag = "3")]
    kind: i32,
    #[prost(uint64, repeated, tag = "5")]
    data_deps: Vec<u64>,
    #[prost(message, repeated, tag = "10")]
    attr: Vec<Attribute>,
}

#[derive(prost::Message)]
struct Attribute {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(oneof = "ChakraValue", tags = "7, 9, 27")]
    value: Option<ChakraValue>,
}

#[derive(prost::Oneof)]
enum ChakraValue {
    #[prost(int32, tag = "7")]
    Int32(i32),
    #[prost(int64, tag = "9")]
    Int64(i64),
    #[prost(bool, tag = "27")]
    Bool(bool),
}

fn attribute(name: &str, value: ChakraValue) -> Attribute {
    Attribute { name: name.to_owned(), value: Some(value) }
}

/// Traces under construction, one list of operations per node.
#[derive(Default)]
struct Traces {
    nodes: Vec<Vec<ChakraNode>>,
    /// the receives that brought a node what it knows of a packet
    brought: HashMap<(NodeId, u32), Vec<u64>>,
    /// the last send by each output
    before: HashMap<(NodeId, usize), u64>,
    /// messages from one node to another
    between: HashMap<(NodeId, NodeId), i32>,
}

/// The trace of every node, for flits of so many bits.
pub fn chakra(program: &Program, width: u32) -> Result<Vec<Vec<u8>>, Unsupported> {
    let bytes = (u64::from(program.flits) * u64::from(width)).div_ceil(8) as i64;
    let mut traces = Traces { nodes: program.topology.node_ids().map(|_| Vec::new()).collect(), ..Traces::default() };
    for message in messages::of(program)? {
        traces.add(program, message, bytes);
    }
    let head = GlobalMetadata { version: VERSION.to_owned() }.encode_length_delimited_to_vec();
    let encoded = |nodes: &Vec<ChakraNode>| {
        let nodes = nodes.iter().map(ChakraNode::encode_length_delimited_to_vec);
        std::iter::once(head.clone()).chain(nodes).collect::<Vec<_>>().concat()
    };
    Ok(traces.nodes.iter().map(encoded).collect())
}

impl Traces {
    fn add(&mut self, program: &Program, message: LinkMessage, bytes: i64) {
        let LinkMessage { from, by, to, packet, adds } = message;
        let tag = self.between.entry((from, to)).or_default();
        *tag += 1;
        let attributes = || {
            vec![
                attribute("is_cpu_op", ChakraValue::Bool(false)),
                attribute("comm_src", ChakraValue::Int32(from.0 as i32)),
                attribute("comm_dst", ChakraValue::Int32(to.0 as i32)),
                attribute("comm_tag", ChakraValue::Int32(*tag)),
                attribute("comm_size", ChakraValue::Int64(bytes)),
                attribute("packet", ChakraValue::Int64(packet.into())),
            ]
        };
        let (send, receive) = (attributes(), attributes());
        // packets leave by an output in the order of the schedule
        let last = self.before.get(&(from, program.output_index(by))).copied();
        let brought = self.brought.get(&(from, packet)).into_iter().flatten().copied();
        let needs = brought.chain(last).collect();
        let id = self.push(from, format!("send packet {packet} by {by}"), SEND, needs, send);
        self.before.insert((from, program.output_index(by)), id);
        let verb = if adds { "add" } else { "receive" };
        let adds_it = attribute("adds", ChakraValue::Bool(adds));
        let receive = receive.into_iter().chain([adds_it]).collect();
        let id = self.push(to, format!("{verb} packet {packet} by {}", by.opposite()), RECEIVE, Vec::new(), receive);
        let brought = self.brought.entry((to, packet)).or_default();
        if !adds {
            brought.clear();
        }
        brought.push(id);
    }

    fn push(&mut self, node: NodeId, name: String, kind: i32, data_deps: Vec<u64>, attr: Vec<Attribute>) -> u64 {
        let nodes = &mut self.nodes[node.index()];
        let id = nodes.len() as u64;
        nodes.push(ChakraNode { id, name, kind, data_deps, attr });
        id
    }
}
