//! Errors of a config, with advice.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::groups_error::GroupsError;
use super::halo_error::HaloError;
use super::lengths_error::LengthsError;
use super::shape::{example, flag_example};
use super::together_error::TogetherError;
use crate::files::{FilesError, Shown, shown};
use crate::net::{NodeId, ShapeName, Sides, TopologyError};
use crate::paths::rooted::RootedError;
use crate::program::joined;
use crate::schedule::ScheduleError;

/// Error in a config.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] FilesError),
    /// The file is not the YAML of a config; the source names line and column.
    #[error("config `{}`, {}", Shown(path), rendered(path, source))]
    Yaml {
        /// Path of the file.
        path: PathBuf,
        /// The parser's reason, with a snippet.
        source: Box<serde_yaml::Error>,
    },
    /// The file has nothing in it but blanks and comments.
    #[error("config `{}` is empty", Shown(path))]
    Empty {
        /// Path of the file.
        path: PathBuf,
    },
    /// A list of programs, where a design has one collective.
    #[error("programs: a design of one collective has no list ({programs} programs)")]
    List {
        /// Number of programs.
        programs: usize,
    },
    /// There is no such network.
    #[error("topology.{base}: {source}")]
    Topology {
        /// The field: the name of the shape, or `lattice`.
        base: &'static str,
        /// The shape, if it has a common one.
        shape: Option<ShapeName>,
        /// Reason for the refusal.
        source: TopologyError,
    },
    /// The network has more links than memory has room for.
    #[error("topology.{base}: {links} directed links are more than the {most} that can be laid out")]
    TooManyLinks {
        /// The field: the name of the shape, or `lattice`.
        base: &'static str,
        /// Number of directed links.
        links: u64,
        /// The most that can be laid out.
        most: u64,
    },
    /// The text of `--torus` is not a list of sides, or that of `--cycle` not a number of nodes.
    #[error("`{text}` is not {}{}", sides_of(*shape), blame(text, part))]
    Sides {
        /// The shape asked for.
        shape: ShapeName,
        /// Text that was typed.
        text: String,
        /// The part that is not a side.
        part: String,
    },
    /// The text of `--hexagonal` is not two sides.
    #[error("`{text}` is not a hexagonal torus: it has two sides, each at least 2")]
    HexagonalText {
        /// Text that was typed.
        text: String,
    },
    /// The text of `--lattice` is not rows of whole numbers.
    #[error("`{text}` is not a lattice: `{part}` is not a whole number")]
    LatticeText {
        /// Text that was typed.
        text: String,
        /// The part that is not a number.
        part: String,
    },
    /// The text of `--open` is not an axis.
    #[error("`{text}` is not an axis")]
    AxisText {
        /// Text that was typed.
        text: String,
    },
    /// The text of `--dead-node` is not a node.
    #[error("`{text}` is not a node")]
    PlaceText {
        /// Text that was typed.
        text: String,
    },
    /// The text of `--dead-link` is not a link.
    #[error("`{text}` is not a link")]
    LinkText {
        /// Text that was typed.
        text: String,
    },
    /// Coordinates that no node has.
    #[error("{field}: `{typed}` is no node of a {network}")]
    NoPlace {
        /// Path of the field.
        field: &'static str,
        /// Coordinates that were typed.
        typed: String,
        /// Description of the network.
        network: String,
        /// Coordinates of the last node.
        last: String,
    },
    /// A port without a link.
    #[error("topology.dead.links: `{typed}` is no link of a {network}")]
    NoLink {
        /// Link that was typed.
        typed: String,
        /// Description of the network.
        network: String,
        /// The ports of the node that have one.
        ports: Vec<String>,
    },
    /// A part that cannot be cut out.
    #[error("topology.part: {reason}; the network is a {network}")]
    NoPart {
        /// Reason for the refusal.
        reason: &'static str,
        /// Description of the network.
        network: String,
    },
    /// The node has no router.
    #[error("root: node `{typed}` is dead")]
    DeadRoot {
        /// Coordinates of the node.
        typed: String,
    },
    /// The name is not a Verilog identifier.
    #[error("name: `{}` is not a Verilog identifier", shown(name))]
    NotAnIdentifier {
        /// Name that was given.
        name: String,
        /// The nearest name that is one.
        nearest: String,
    },
    /// The name is an identifier, and tools or our own modules would still take it for something else.
    #[error("name: `{name}` {why}")]
    Unusable {
        /// Name that was given.
        name: String,
        /// Reason for the refusal.
        why: &'static str,
        /// The nearest name that will do.
        nearest: String,
    },
    /// The name is longer than a file's name can be.
    #[error("name: `{start}...` has {letters} letters, {most} is the most")]
    LongName {
        /// First letters of the name.
        start: String,
        /// Number of its letters.
        letters: usize,
        /// Largest number of letters allowed.
        most: usize,
    },
    /// The name is a Verilog keyword.
    #[error("name: `{name}` is a Verilog keyword")]
    Keyword {
        /// Name that was given.
        name: String,
    },
    /// The root is no node.
    #[error("root: `{typed}` is no node of a {network}")]
    Root {
        /// The root as it was written.
        typed: String,
        /// Description of the network.
        network: String,
        /// The nearest node.
        nearest: Vec<u32>,
    },
    /// Groups that are no networks of their own.
    #[error(transparent)]
    Groups(#[from] GroupsError),
    /// Programs that cannot be together.
    #[error(transparent)]
    Together(#[from] TogetherError),
    /// Boards that do not share the nodes equally.
    #[error("link.boards: `{typed}` {reason}; the network is a {network}")]
    Boards {
        /// The boards as they were written.
        typed: String,
        /// Reason for the refusal.
        reason: String,
        /// Description of the network.
        network: String,
        /// Numbers of boards that fit.
        nearest: Vec<u32>,
    },
    /// The lengths are wrong.
    #[error("lengths: {0}")]
    Lengths(#[from] LengthsError),
    /// The file of the schedule cannot be read.
    #[error("scheme: {source}")]
    ScheduleFile {
        /// Reason for the refusal.
        source: FilesError,
    },
    /// The schedule of a file is wrong.
    #[error("scheme: `{}`{} {source}", Shown(path), if source.line.is_some() { "," } else { ":" })]
    Schedule {
        /// Path of the file.
        path: PathBuf,
        /// Reason for the refusal, with its line.
        source: ScheduleError,
    },
    /// The network is no path from the root.
    #[error("tree: a {network} is no `path` that begins at node {}", root.0)]
    NoPath {
        /// Root of the collective.
        root: NodeId,
        /// Description of the network.
        network: String,
    },
    /// The parents are no tree.
    #[error("tree.parents: {0}")]
    Parents(RootedError),
    /// `--set` without `=`.
    #[error("`{typed}` is not of the form path=value")]
    SetForm {
        /// Flag that was typed.
        flag: &'static str,
        /// The flag with its text.
        typed: String,
    },
    /// The neighbours of a halo are wrong.
    #[error(transparent)]
    Halo(#[from] HaloError),
    /// A field set that does not exist, or to a value that it cannot have.
    #[error("`{typed}`: {source}")]
    Set {
        /// The flag with its text.
        typed: String,
        /// Reason for the refusal.
        source: serde_json::Error,
    },
    /// A field set twice.
    #[error("`{}` and `{}` both set {path}", typed[0], typed[1])]
    SetTwice {
        /// Path of the field.
        path: String,
        /// The flags with their texts.
        typed: [String; 2],
    },
    /// Neither a file nor `--torus`.
    #[error("no design named: neither a config file nor a network like --torus 6x8 is given")]
    Nothing,
    /// A file and `--torus`.
    #[error("two designs named: the config `{}`, and --{base} in its place", Shown(path))]
    Both {
        /// Path of the config.
        path: PathBuf,
        /// The flag of the network: its shape, or `lattice`.
        base: &'static str,
        /// The shape, if it has a common one.
        shape: Option<ShapeName>,
    },
}

impl ConfigError {
    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> String {
        match self {
            Self::Read(_) => "name an existing YAML file, or use --torus 6x8 in its place".into(),
            Self::Yaml { .. } | Self::Set { .. } => "`torusweave schema` prints every field and its values".into(),
            Self::Empty { .. } => "the least it needs is `topology: { torus: [6, 8] }`".into(),
            Self::List { .. } => "`design::listed::Programs` builds a list".into(),
            Self::TooManyLinks { .. } => "choose smaller sides: the rules are the same at every size".into(),
            Self::Topology { source: TopologyError::TooLarge { .. }, .. } => {
                "choose smaller sides; node numbers have 32 bits".into()
            }
            Self::Topology { source: TopologyError::Cut { .. }, .. } => {
                "leave some dead parts out, or make one of the parts a network of its own: `topology.part`".into()
            }
            Self::Topology { source: TopologyError::TooFewNodes { .. }, .. } => "leave at least two nodes alive".into(),
            Self::Topology { source: TopologyError::NoSuchAxis { axes, .. }, .. } => {
                format!("write it like `open: [x{axes}]`, --open x{axes}; axes are counted from 1")
            }
            Self::Topology { source: TopologyError::OpenTwisted { .. }, .. } => {
                "leave `open` out or name a torus".into()
            }
            Self::Topology { shape: None, .. } => {
                "write the rows like `topology: { lattice: [[4, 2], [0, 6]] }`, as many as entries in each".into()
            }
            Self::Topology { shape: Some(shape), .. } if shape.is_line() => {
                format!("write it like `topology: {{ {shape}: {} }}`, at least 2", example(*shape))
            }
            Self::Topology { shape: Some(shape), .. } => {
                format!("write the sides like `topology: {{ {shape}: {} }}`, each at least 2", example(*shape))
            }
            Self::HexagonalText { .. } => "write the sides like --hexagonal 6x8".into(),
            Self::LatticeText { .. } => "write the rows like --lattice 4,2/0,6".into(),
            Self::AxisText { .. } => "write it like --open x2; axes are x1, x2, ...".into(),
            Self::PlaceText { .. } => "write its coordinates like --dead-node 3,4".into(),
            Self::LinkText { .. } => "write it like --dead-link 0,0:x2+, a node and one of its ports".into(),
            Self::NoPlace { last, .. } => format!("coordinates are counted from 0; the last node is {last}"),
            Self::NoLink { ports, .. } if ports.is_empty() => "this node has no links".into(),
            Self::NoLink { ports, .. } => format!("this node has links at {}", joined(ports, "and")),
            Self::NoPart { .. } => "write it like `part: { from: [0, 0], to: [3, 3] }`, two corners of a box".into(),
            Self::DeadRoot { .. } => "choose a node that is alive".into(),
            Self::Sides { shape, .. } if shape.is_line() => {
                format!("write it like --{shape} {}, a whole number of at least 2", flag_example(*shape))
            }
            Self::Sides { shape, .. } => {
                let example = flag_example(*shape);
                format!("write the sides like --{shape} {example}, each a whole number of at least 2")
            }
            Self::NotAnIdentifier { nearest, .. } | Self::Unusable { nearest, .. } => format!("`{nearest}` would do"),
            Self::LongName { most, .. } => {
                format!("files and modules are named after it: choose one of at most {most} letters")
            }
            Self::Keyword { name } => format!("`{name}_net` would do"),
            Self::Root { nearest, .. } => {
                let nearest: Vec<String> = nearest.iter().map(u32::to_string).collect();
                let (list, flag) = (nearest.join(", "), nearest.join(","));
                format!("the nearest node is `root: [{list}]`, --root {flag}; coordinates are counted from 0")
            }
            Self::Boards { nearest, .. } => {
                let list: Vec<String> = nearest.iter().map(u32::to_string).collect();
                let (list, flag) = (list.join(", "), Sides(nearest));
                format!("`boards: [{list}]`, --boards {flag}, would do: each number divides its side")
            }
            Self::Groups(error) => error.help().into(),
            Self::Together(_) => TogetherError::HELP.into(),
            Self::Lengths(error) => error.help(),
            Self::Halo(error) => error.help(),
            Self::ScheduleFile { source } => source.help().into(),
            Self::Schedule { source, .. } => source.help.clone(),
            Self::NoPath { .. } => {
                "`tree: bfs` is for every network; `path` is for cycles, and for paths with the root at an end".into()
            }
            Self::Parents(error) => match error {
                RootedError::Count { nodes, .. } => format!("give {nodes}, one per node, `null` for the root"),
                RootedError::Orphan { .. } => {
                    "only the root has none; give each other node one of its neighbours".into()
                }
                RootedError::RootHasParent { node } => format!("write `null` or {} for the root", node.0),
                RootedError::NoNeighbour { .. } => "a parent is a node at the other end of a link".into(),
                RootedError::Ring { .. } => "parents lead to the root; `tree: bfs` always does".into(),
            },
            Self::SetForm { flag, .. } => format!("for example {flag} link.width=16"),
            Self::SetTwice { .. } => "leave one of them out".into(),
            Self::Nothing => "name a config file, for example examples/torus-6x8.yaml, or say --torus 6x8".into(),
            Self::Both { shape: Some(shape), .. } => {
                let sides = example(*shape).replace(' ', "");
                format!("leave one of them out; --set topology.{shape}={sides} changes the network of a file")
            }
            Self::Both { shape: None, .. } => {
                "leave one of them out; --set topology.lattice=[[4,2],[0,6]] changes the network of a file".into()
            }
        }
    }
}

/// The parser's reason in the words for users: line, column, what is wrong, and a snippet.
pub fn rendered(path: &Path, source: &serde_yaml::Error) -> String {
    let name = Shown(path).to_string();
    let text = source.render_with_options(serde_yaml::render_options! {
        formatter: &serde_yaml::UserMessageFormatter,
        source_name: Some(name.as_str()),
    });
    let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
    PARSER_WORDS.iter().fold(text.to_owned(), |text, (theirs, ours)| text.replace(theirs, ours))
}

/// Replacements for the YAML parser's own terms.
const PARSER_WORDS: [(&str, &str); 5] = [
    ("expected mapping start", "expected named fields, as in { field: value }"),
    ("expected string scalar", "expected a text"),
    ("invalid type: unit value", "nothing there"),
    ("tabs disallowed within this context (block indentation)", "a tab: YAML is indented with blanks"),
    ("only single YAML document expected but multiple found", "a second document: a config is one"),
];

fn sides_of(shape: ShapeName) -> &'static str {
    if shape.is_line() { "a number of nodes" } else { "a list of sides" }
}

/// Names the part of a list of sides that is not a side.
fn blame(text: &str, part: &str) -> String {
    match part {
        "" => ": a side is missing".to_owned(),
        _ if !text.starts_with(|c: char| c.is_ascii_digit() || c == '-') || part == text => String::new(),
        part => format!(": `{part}` is not a side"),
    }
}
