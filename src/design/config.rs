//! The config: from YAML, or from flags in its place, to a validated value.

mod error;
mod fields;
mod name;
mod network;
mod number;
mod setting;
mod shape;

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::files;
use crate::net::{Shape, Sides, Topology};
use crate::netlist::Rom;
use crate::paths::supply::Switching;
use crate::program::{self, Duplex};
use crate::schemes::optimal::Store;
use crate::schemes::{Choice, MOST_LANES, Pick};

pub use error::ConfigError;
pub use fields::{FIELDS, Field, schema};
pub use network::Network;
pub use number::Count;
pub use setting::Setting;

/// A design, as a few lines of YAML describe it.
// This is the only place that lists the fields. Parser, schema, flags, help, `--set`, `Design::command` and `diff` read
// them off these types: the doc comment is the help, `x-flag` gives a field a flag of its own and names the flag's value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Prefix of every module, a Verilog identifier; `torus_6x8` for a 6x8 torus if left out.
    #[serde(default)]
    #[schemars(extend("x-flag" = "NAME"))]
    pub name: Option<String>,
    /// The network.
    pub topology: Network,
    /// What the traffic achieves.
    #[serde(default)]
    pub collective: Collective,
    /// Which scheme achieves it; `torusweave schemes` lists them.
    #[serde(default)]
    #[schemars(extend("x-flag" = "SCHEME"))]
    pub scheme: Pick,
    /// How off-cycle nodes receive both directions of a cycle, in schemes that have such nodes.
    #[serde(default)]
    #[schemars(extend("x-flag" = "SWITCHING"))]
    pub switching: Switching,
    /// How much of a packet store the routers may need, in schemes that have one.
    #[serde(default)]
    #[schemars(extend("x-flag" = "STORE"))]
    pub store: Store,
    /// Where the routers' tables are, in schemes that have some.
    #[serde(default)]
    #[schemars(extend("x-flag" = "ROM"))]
    pub rom: Rom,
    /// How many packets a node has to contribute: `auto` takes the scheme that is fastest for so many.
    #[serde(default)]
    #[schemars(extend("x-flag" = "N"))]
    pub packets: Option<Count<MOST_PACKETS>>,
    /// What a link carries.
    #[serde(default)]
    pub link: Link,
}

/// What the traffic achieves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Collective {
    /// Every node learns every other node's packets.
    #[default]
    Gossip,
}

/// What a link carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a link like { width: 32, flits: 1 }")]
pub struct Link {
    /// Bits a flit.
    #[schemars(extend("x-flag" = "BITS"))]
    pub width: Count<4096>,
    /// Flits a packet.
    #[schemars(extend("x-flag" = "N"))]
    pub flits: Count<65_536>,
    /// Whether both ends of a link may send in one tick.
    #[schemars(extend("x-flag" = "DUPLEX"))]
    pub duplex: Duplex,
    /// Flits that an end of a link sends in one tick, each in a register of its own.
    #[schemars(extend("x-flag" = "N"))]
    pub lanes: Count<{ MOST_LANES as u32 }>,
}

impl Link {
    /// What a scheme has to know of it.
    pub fn capacity(self) -> program::Link {
        program::Link { duplex: self.duplex, lanes: self.lanes.get() as u8 }
    }
}

impl Default for Link {
    fn default() -> Self {
        Self { width: Count::new(32), flits: Count::new(1), duplex: Duplex::Full, lanes: Count::new(1) }
    }
}

/// Packets are numbered in 16 bits.
const MOST_PACKETS: u32 = u16::MAX as u32;
/// A program takes some twenty bytes a link: more than this few machines have room for.
const MOST_LINKS: u64 = 1 << 28;
/// A config is a few lines.
const MOST_BYTES: u64 = 1 << 20;

impl Config {
    /// The config of a network, everything else left at its default.
    pub fn of(shape: Shape, sides: Vec<u32>) -> Self {
        let config: Self =
            serde_json::from_value(json!({ "topology": { "path": 2 } })).expect("all else has a default");
        Self { topology: Network { shape, sides }, ..config }
    }

    /// Reads a YAML file.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = files::read_text(path, MOST_BYTES)?;
        if text.lines().all(|line| matches!(line.trim_start().chars().next(), None | Some('#'))) {
            return Err(ConfigError::Empty { path: path.to_owned() });
        }
        Self::parse(&text).map_err(|source| ConfigError::Yaml { path: path.to_owned(), source: Box::new(source) })
    }

    /// Reads YAML text.
    pub fn parse(text: &str) -> Result<Self, serde_yaml::Error> {
        serde_yaml::from_str(text)
    }

    /// The design's name.
    pub fn name(&self) -> String {
        let Network { shape, sides } = &self.topology;
        self.name.clone().unwrap_or_else(|| format!("{shape}_{}", Sides(sides)))
    }

    /// What the config chooses within its scheme.
    pub fn choice(&self) -> Choice {
        let packets = self.packets.map(|packets| packets.get() as u16);
        Choice { switching: self.switching, store: self.store, packets }
    }

    /// Checks what the types cannot say, the name and the sides, and lays out the network.
    pub fn validate(&self) -> Result<Topology, ConfigError> {
        name::check(&self.name())?;
        let topology = self.topology.lay_out()?;
        if topology.links() > MOST_LINKS {
            let shape = topology.shape();
            return Err(ConfigError::TooManyLinks { shape, links: topology.links(), most: MOST_LINKS });
        }
        Ok(topology)
    }
}
