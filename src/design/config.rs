//! The config: from YAML, or from flags in its place, to a validated value.

mod boards;
mod boolean;
mod collective_name;
mod error;
mod fields;
mod groups;
mod groups_error;
mod halo;
mod halo_error;
mod host;
mod lengths;
mod lengths_error;
mod name;
mod network;
mod number;
mod numbers;
mod offsets;
mod programs;
mod resolved;
mod setting;
mod shape;
mod together;
mod together_error;
mod traffic;

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::files::{self, FilesError};
use crate::net::{ShapeName, Topology};
use crate::netlist::{
    self, BlockOrder, BoardPort, BoardStart, Checksum, Crossbar, HostStreams, MOST_TICKS, OwnInputs, PortClock,
    Results, Rom,
};
use crate::paths::supply::Switching;
use crate::program::{Duplex, Number, Operation};
use crate::schemes::SchemeName;
use crate::schemes::optimal::StoreMode;
use crate::task::MOST_LANES;

pub use boards::BoardCounts;
pub use collective_name::CollectiveName;
pub use error::{ConfigError, rendered};
pub use fields::{FIELDS, NamedValue, PlainField, schema};
pub use groups::{GroupChoice, GroupNetwork};
pub use groups_error::GroupsError;
pub use halo_error::HaloError;
pub use host::{HostBus, HostChoice};
pub use lengths::MessageLengths;
pub use lengths_error::LengthsError;
pub use network::{DeadParts, NetworkFields, network_flags};
pub use number::Count;
pub use offsets::Offsets;
pub use programs::{ProgramChoice, RootChoice};
pub use setting::Setting;
pub use together_error::TogetherError;
pub use traffic::{Root, TreeName, WordMessages};

/// A design, as a few lines of YAML describe it.
// The only place that lists the fields. Parser, schema, flags, help, `--set`, `Design::command` and `diff` read
// them off these types: the doc comment is the help, `x-flag` gives a field a flag of its own and names the flag's value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Prefix of every module, a Verilog identifier; `torus_6x8` for a 6x8 torus if left out.
    #[serde(default)]
    #[schemars(extend("x-flag" = "NAME", "pattern" = name::IDENTIFIER, "maxLength" = name::MOST_LETTERS))]
    #[schemars(extend("not" = name::refused()))]
    pub name: Option<String>,
    /// Network of nodes and links.
    pub topology: NetworkFields,
    /// Collective that the fabric performs.
    #[serde(default)]
    #[schemars(extend("x-flag" = "COLLECTIVE"))]
    pub collective: CollectiveName,
    /// Operation that combines values, in a reduce-scatter or all-reduce.
    #[serde(default)]
    #[schemars(extend("x-flag" = "OPERATION"))]
    pub operation: Option<Operation>,
    /// Number format of the values that are combined.
    #[serde(default)]
    #[schemars(extend("x-flag" = "NUMBER"))]
    pub number: Number,
    /// Treats subnormal floats, those with the smallest exponent, as zeros in sums.
    #[serde(default, deserialize_with = "boolean::boolean")]
    #[schemars(extend("x-flag" = "BOOL"))]
    pub flush: bool,
    /// Ticks that combining two floats takes, or two values by a module of your own, in registers before each output; left out:
    /// as many as the fastest clock for sums of floats needs, one for all else.
    #[serde(default)]
    #[schemars(extend("x-flag" = "TICKS"))]
    pub adder: Option<Count<MOST_TICKS>>,
    /// The node that broadcasts, scatters, gathers or reduces, by its coordinates, `[2, 3]`, or by its number, row by row
    /// from 0; the first node if left out.
    #[serde(default)]
    #[schemars(extend("x-flag" = "X1,X2,..."))]
    pub root: Option<Root>,
    /// The flits of every message in a scatter, gather or exchange, 0 allowed; or of each node's; or in an exchange a row for each
    /// sender, as in `[[0, 2], [1, 0]]`, `0,2/1,0`. Or the name of a file with such rows. `link.flits` each if left out.
    #[serde(default)]
    #[schemars(extend("x-flag" = "N,...|FILE"))]
    pub lengths: Option<MessageLengths>,
    /// Words of each node's vector in an all-reduce, in place of `link.flits`: few are combined at one root, many in a block per node.
    /// In a halo words for each neighbour, 1 if left out.
    #[serde(default)]
    #[schemars(extend("x-flag" = "N"))]
    pub count: Option<Count<MOST_COUNT>>,
    /// Hops along each axis to the farthest neighbours of a halo; 1 if left out.
    #[serde(default)]
    #[schemars(extend("x-flag" = "N"))]
    pub reach: Option<Count<MOST_REACH>>,
    /// Adds the diagonal neighbours to a halo, up to `reach` hops along every axis.
    #[serde(default, deserialize_with = "boolean::boolean")]
    #[schemars(extend("x-flag" = "BOOL"))]
    pub corners: bool,
    /// Groups of nodes that each have the collective for themselves: lines or planes along axes, `{ axes: [x2] }`, `x2`, or boxes,
    /// `{ boxes: [2, 4] }`, `2x4`; left out: all nodes are one.
    #[serde(default)]
    #[schemars(extend("x-flag" = "X2|N1xN2x..."))]
    pub groups: Option<GroupChoice>,
    /// The tree that a scatter or gather keeps to: `path`, `bfs`, or `{ parents: [...] }`, a node's number for each node;
    /// the scheme's own if left out.
    #[serde(default)]
    #[schemars(extend("x-flag" = "TREE"))]
    pub tree: Option<TreeName>,
    /// Scheme to use; `torusweave schemes` lists them. Or the file of a schedule of your own, `{ file: mine.csv }`, `mine.csv`.
    #[serde(default)]
    #[schemars(extend("x-flag" = "SCHEME|FILE"))]
    pub scheme: SchemeName,
    /// Supply of off-cycle nodes with both directions of a cycle, in schemes that have such nodes.
    #[serde(default)]
    #[schemars(extend("x-flag" = "SWITCHING"))]
    pub switching: Switching,
    /// Largest packet store that the routers may use, in schemes that have one.
    #[serde(default)]
    #[schemars(extend("x-flag" = "STORE"))]
    pub store: StoreMode,
    /// Most packets that a node reads from its memory in a tick, in the general scheme; left out: two, or as many as the fewest
    /// steps take.
    #[serde(default)]
    #[schemars(extend("x-flag" = "N"))]
    pub reads: Option<Count<64>>,
    /// Place of the routers' tables, in schemes that have some.
    #[serde(default)]
    #[schemars(extend("x-flag" = "ROM"))]
    pub rom: Rom,
    /// Registers between these and each row of nodes: more for rows far away, fewer to begin sooner. Each node has one besides.
    #[serde(default = "leaves")]
    #[schemars(extend("x-flag" = "N"))]
    pub leaves: Count<16>,
    /// Selection of the inputs that outputs forward: wired per class, or loaded into registers of each node before a
    /// run.
    #[serde(default)]
    #[schemars(extend("x-flag" = "CROSSBAR"))]
    pub crossbar: Crossbar,
    /// Inputs of the fabric for packets of the nodes' own, in an exchange: one for each packet, or a stream for each output; left
    /// out: one for each packet.
    #[serde(default)]
    #[schemars(extend("x-flag" = "INPUTS"))]
    pub own: Option<OwnInputs>,
    /// Number of packets per node to optimise for: `auto` takes the scheme that is fastest for them.
    #[serde(default)]
    #[schemars(extend("x-flag" = "N"))]
    pub packets: Option<Count<MOST_PACKETS>>,
    /// Adds a self-test for FPGA boards, `NAME_bist.v`.
    #[serde(default, deserialize_with = "boolean::boolean")]
    #[schemars(extend("x-flag" = "BOOL"))]
    pub bist: bool,
    /// Properties of the links.
    #[serde(default)]
    pub link: LinkFields,
    /// Memories and streams of the nodes.
    #[serde(default)]
    pub local: LocalFields,
    /// Access to the nodes' packets: one stream in and one out at every node, or one pair for the whole network.
    #[serde(default)]
    #[schemars(extend("x-flag" = "HOST"))]
    pub host: HostChoice,
    /// The collectives that are resident in one design, instead of `collective`: 1 to 16, chosen while it runs.
    #[serde(default)]
    #[schemars(extend("type" = LIST))]
    pub programs: Vec<ProgramChoice>,
    /// Programs of the list that are played at once as well, by their numbers, as in `[[0, 1]]`: each entry is one more program, which
    /// takes and gives the words of all of its programs.
    #[serde(default)]
    #[schemars(extend("type" = LIST, "items" = together::entry()))]
    pub together: Vec<Vec<u32>>,
}

/// Memories and streams of the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "memories and streams like { order: origin }")]
#[schemars(extend("type" = GROUP))]
#[schemars(rename = "Local")]
pub struct LocalFields {
    /// Memories and AXI4-Stream ports, and the order in which packets are handed out; left out: the fabric alone, or the
    /// order of arrival with a `host` on a ring.
    #[schemars(extend("x-flag" = "ORDER"))]
    pub order: Option<BlockOrder>,
    /// Words that a node's stream hands out per clock; with several, those of a step side by side, in the order of arrival.
    #[schemars(extend("x-flag" = "N"))]
    pub words: Count<16>,
    /// Way in which a node hands out what it has in the end: a `stream`, or a `memory` with a read port.
    #[schemars(extend("x-flag" = "RESULTS"))]
    pub results: Results,
    /// Adds `NAME_top.v`, the nodes with a processing element of yours at each, `NAME_element.v`, for you to edit.
    #[serde(deserialize_with = "boolean::boolean")]
    #[schemars(extend("x-flag" = "BOOL"))]
    pub elements: bool,
}

impl Default for LocalFields {
    fn default() -> Self {
        Self { order: None, words: Count::new(1), results: Results::Stream, elements: false }
    }
}

/// Properties of the links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a link like { width: 32, flits: 1 }")]
#[schemars(extend("type" = GROUP))]
#[schemars(rename = "Link")]
pub struct LinkFields {
    /// Bits per flit; left out: those of `number`, 32 if it has none of its own.
    #[schemars(extend("x-flag" = "BITS"))]
    pub width: Option<Count<4096>>,
    /// Flits per packet; in a broadcast or reduce those of the message, in a scatter or gather those of each node's.
    #[schemars(extend("x-flag" = "N"))]
    pub flits: Count<65_536>,
    /// Direction of the links: `full` lets both ends send in the same tick, `half` only one of them; left out: the
    /// scheme's requirement, `half` with several lanes.
    #[schemars(extend("x-flag" = "DUPLEX"))]
    pub duplex: Option<Duplex>,
    /// Flits that an end of a link sends in one tick, each in a register of its own.
    #[schemars(extend("x-flag" = "N"))]
    pub lanes: Count<{ MOST_LANES as u32 }>,
    /// Ticks that a flit takes over a link: what is sent in tick t has arrived in tick t + latency - 1, and can be sent on from
    /// the next tick on.
    #[schemars(extend("x-flag" = "TICKS"))]
    pub latency: Count<1024>,
    /// Adds a top for one board per node, or per block of nodes, `NAME_board.v`: links may take any number of clocks, and boards
    /// wait for their inputs; `latency` is the number of ticks that a board may be ahead.
    #[serde(deserialize_with = "boolean::boolean")]
    #[schemars(extend("x-flag" = "BOOL"))]
    pub elastic: bool,
    /// The boards along each axis, `[2, 2]`, `2x2`, each with an equal block of nodes; left out: a board per node. With
    /// `elastic`.
    #[schemars(extend("x-flag" = "B1xB2x..."))]
    pub boards: Option<BoardCounts>,
    /// Adds a link layer to every port of a board: frames with a number and a checksum, training that names wrong cables, and
    /// error codes; left out: links are trusted. With `elastic`.
    #[schemars(extend("x-flag" = "CHECKSUM"))]
    pub checksum: Option<Checksum>,
    /// Clock in which the ports of a board receive: the `board`'s, or that of each incoming `cable`, with a FIFO that crosses into
    /// the clock of the board. With `elastic`.
    #[schemars(extend("x-flag" = "CLOCK"))]
    pub clocks: PortClock,
    /// Start of the boards, and calls of their programs: each board's `own`, or a `common` one from the host's board, over the links
    /// and once all boards are ready. With `elastic` and `checksum`.
    #[schemars(extend("x-flag" = "START"))]
    pub start: BoardStart,
    /// Form of a board's ports: a `stream` of whole frames; `serial` pins, one wire each way, in `NAME_serial.v`; or streams of
    /// `bytes` for transceivers, in `NAME_bytes.v`. Boards with nodes have them themselves. With `elastic` and `checksum`.
    #[schemars(extend("x-flag" = "PORTS"))]
    pub ports: BoardPort,
    /// Bytes of a beat, as the transceiver takes them: a longer frame goes in several beats; left out: 8, one lane of 64B/66B.
    /// With `ports: bytes`.
    #[schemars(extend("x-flag" = "BYTES"))]
    pub bytes: Option<Count<128>>,
}

const fn leaves() -> Count<16> {
    Count::new(netlist::LEAVES)
}

/// JSON types of a group of fields that all have defaults: a group whose fields are all commented out is null in YAML.
const GROUP: [&str; 2] = ["object", "null"];
/// A list may be left empty in the same way.
const LIST: [&str; 2] = ["array", "null"];
/// Bits per flit of words that are no numbers of a format.
const WIDTH: u32 = 32;
/// Lines of comments in a row, as `init` writes them for a group that is all defaults; a config is small by its bytes.
const MOST_COMMENTS: usize = 10_000;
/// Words of a vector: more take longer than any simulation.
const MOST_COUNT: u32 = 1 << 24;
/// Hops to a neighbour: no torus has a larger side, if its nodes exchange messages of their own.
const MOST_REACH: u32 = 1 << 10;
/// Packets are numbered in 16 bits.
const MOST_PACKETS: u32 = u16::MAX as u32;
/// A program takes some twenty bytes per link: more than this few machines have room for.
const MOST_LINKS: u64 = 1 << 28;
/// A config is a few lines.
const MOST_BYTES: u64 = 1 << 20;

impl Config {
    /// The config of a network, everything else left at its default.
    pub fn of(shape: ShapeName, sides: Vec<u32>) -> Self {
        Self::on(NetworkFields::of(shape, sides))
    }

    /// The config of any network, everything else left at its default.
    pub fn on(topology: NetworkFields) -> Self {
        let config: Self =
            serde_json::from_value(json!({ "topology": { "path": 2 } })).expect("all else has a default");
        Self { topology, ..config }
    }

    /// Bits per flit.
    pub fn width(&self) -> u32 {
        self.link.width.map_or_else(|| self.default_width(), Count::get)
    }

    /// Bits per flit where the config says none.
    fn default_width(&self) -> u32 {
        self.number.width().unwrap_or(WIDTH)
    }

    /// Returns true if combining two values takes ticks.
    pub fn takes_time(&self) -> bool {
        self.number.float().is_some() || self.operation == Some(Operation::Custom)
    }

    /// Ticks that combining two values takes.
    pub fn adder_ticks(&self) -> u32 {
        let default = if self.operation == Some(Operation::Sum) { netlist::fastest(self.number) } else { 1 };
        if self.takes_time() { self.adder.map_or(default, Count::get) } else { 0 }
    }

    /// Memories and streams of the nodes beside their routers, if the config asks for them.
    pub fn local(&self) -> Option<netlist::NodeOptions> {
        let host = self.host.streams();
        let words = self.local.words.get();
        let results = self.local.results;
        let by_default = match () {
            () if host == HostStreams::Chain || words > 1 => Some(BlockOrder::Arrival),
            () if results == Results::Memory || self.local.elements => Some(BlockOrder::Origin),
            () => None,
        };
        self.local.order.or(by_default).map(|order| netlist::NodeOptions {
            order,
            host,
            words,
            results,
            elements: self.local.elements,
        })
    }

    /// Reads a YAML file; `-` is standard input.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        Self::of_file(path, &files::read_input(path, MOST_BYTES)?)
    }

    /// Reads the YAML of a file that may have been something else.
    pub fn of_file(path: &Path, text: &str) -> Result<Self, ConfigError> {
        if text.len() as u64 > MOST_BYTES {
            return Err(FilesError::TooLarge { path: path.to_owned(), most: MOST_BYTES }.into());
        }
        if text.lines().all(|line| matches!(line.trim_start().chars().next(), None | Some('#'))) {
            return Err(ConfigError::Empty { path: path.to_owned() });
        }
        let config = Self::parse(text);
        let config = config.map_err(|source| ConfigError::Yaml { path: path.to_owned(), source: Box::new(source) })?;
        config.resolved(path.parent().unwrap_or(Path::new("")))
    }

    /// Reads YAML text.
    pub fn parse(text: &str) -> Result<Self, serde_yaml::Error> {
        let budget = serde_yaml::budget! { max_buffered_comment_events: MOST_COMMENTS };
        serde_yaml::from_str_with_options(text, serde_yaml::options! { budget: budget })
    }

    /// The design's name.
    pub fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.topology.name())
    }

    /// Checks what the types cannot say, the name and the sides, and lays out the network.
    pub fn validate(&self) -> Result<Topology, ConfigError> {
        let topology = self.topology.lay_out()?;
        name::check(&self.name())?;
        if topology.links() > MOST_LINKS {
            let base = self.topology.base_name();
            return Err(ConfigError::TooManyLinks { base, links: topology.links(), most: MOST_LINKS });
        }
        if self.link.boards.is_some() {
            self.blocks(&topology)?;
        }
        self.together()?;
        Ok(topology)
    }
}
