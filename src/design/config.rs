//! The config: from YAML, or from flags in its place, to a validated value.

mod edit;
mod error;
mod name;
mod number;

use std::num::NonZeroU16;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::files;
use crate::net::{Sides, Torus};
use crate::netlist::Rom;
use crate::paths::supply::Switching;
use crate::schemes::optimal::Store;
use crate::schemes::{Choice, Pick};

pub use edit::Setting;
pub use error::ConfigError;
pub use number::parse_sides;

/// A design, as a few lines of YAML describe it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Prefix of every module, a Verilog identifier; `torus_6x8` for a 6x8 torus if left out.
    #[serde(default)]
    pub name: Option<String>,
    /// The network.
    pub topology: Topology,
    /// What the traffic achieves.
    #[serde(default)]
    pub collective: Collective,
    /// How it achieves it.
    #[serde(default)]
    pub scheme: Pick,
    /// How off-cycle nodes receive both directions of a cycle, in schemes that have such nodes.
    #[serde(default)]
    pub switching: Switching,
    /// How much of a packet store the routers may need, in schemes that have one.
    #[serde(default)]
    pub store: Store,
    /// Where the routers' tables are, in schemes that have some.
    #[serde(default)]
    pub rom: Rom,
    /// How many packets a node has to contribute: `auto` takes the scheme that is fastest for so many.
    #[serde(default)]
    #[schemars(range(min = 1, max = 65535))]
    pub packets: Option<NonZeroU16>,
    /// What a link carries.
    #[serde(default)]
    pub link: Link,
}

/// The network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a topology like { torus: [6, 8] }")]
pub struct Topology {
    /// The sides n1, n2, ... of a torus: `[6, 8]` has 6 rows (axis x1) and 8 columns (axis x2).
    #[serde(deserialize_with = "number::sides")]
    #[schemars(with = "Vec<u32>", length(min = 1), inner(range(min = 2)))]
    pub torus: Vec<u32>,
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
#[serde(deny_unknown_fields, expecting = "a link like { width: 32, flits: 1 }")]
pub struct Link {
    /// Bits a flit, 1 to 4096.
    #[serde(default = "default_width", deserialize_with = "number::count")]
    #[schemars(range(min = 1, max = 4096))]
    pub width: u32,
    /// Flits a packet, 1 to 65536.
    #[serde(default = "default_flits", deserialize_with = "number::count")]
    #[schemars(range(min = 1, max = 65536))]
    pub flits: u32,
}

const fn default_width() -> u32 {
    32
}

const fn default_flits() -> u32 {
    1
}

/// A program takes some twenty bytes a link: more than this few machines have room for.
const MOST_LINKS: u64 = 1 << 28;
const MOST_BITS: u32 = 4096;
/// A config is a few lines.
const MOST_BYTES: u64 = 1 << 20;
const MOST_FLITS: u32 = 65_536;

impl Default for Link {
    fn default() -> Self {
        Self { width: default_width(), flits: default_flits() }
    }
}

impl Config {
    /// The config of a torus, everything else left at its default.
    pub fn of_torus(sides: Vec<u32>) -> Self {
        Self {
            name: None,
            topology: Topology { torus: sides },
            collective: Collective::default(),
            scheme: Pick::default(),
            switching: Switching::default(),
            store: Store::default(),
            rom: Rom::default(),
            packets: None,
            link: Link::default(),
        }
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
        self.name.clone().unwrap_or_else(|| format!("torus_{}", Sides(&self.topology.torus)))
    }

    /// What the config chooses within its scheme.
    pub fn choice(&self) -> Choice {
        Choice { switching: self.switching, store: self.store, packets: self.packets.map(NonZeroU16::get) }
    }

    /// Checks what the types cannot say: the sides, the name, the ranges.
    pub fn validate(&self) -> Result<Torus, ConfigError> {
        name::check(&self.name())?;
        in_range("link.width", self.link.width, MOST_BITS)?;
        in_range("link.flits", self.link.flits, MOST_FLITS)?;
        let torus = Torus::new(&self.topology.torus)?;
        if torus.links() > MOST_LINKS {
            return Err(ConfigError::TooManyLinks { links: torus.links(), most: MOST_LINKS });
        }
        Ok(torus)
    }
}

fn in_range(field: &'static str, value: u32, most: u32) -> Result<(), ConfigError> {
    if (1..=most).contains(&value) { Ok(()) } else { Err(ConfigError::Range { field, value, most }) }
}
