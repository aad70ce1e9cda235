//! Settings of the files besides the program.

use std::sync::Arc;

use crate::netlist::{BoardStart, Checksum, Crossbar, LEAVES, NodeOptions, OwnInputs, PortForm, Rom};
use crate::protocol::Protocol;

/// Settings of the files besides the program.
#[derive(Clone, Debug)]
pub struct Options {
    /// Bits per flit.
    pub width: u32,
    /// Source of the files, named in their header: `examples/torus-6x8.yaml` or a command.
    pub origin: String,
    /// Place of the sequences of control words.
    pub rom: Rom,
    /// Registers between that and a row of nodes.
    pub leaves: u32,
    /// Owner of the choice of an output's input.
    pub crossbar: Crossbar,
    /// Inputs of routers for packets of their nodes' own.
    pub own: OwnInputs,
    /// Protocol of the routers, if they determine lengths at run time; the program then describes the given lengths.
    pub protocol: Option<Protocol>,
    /// Memories and streams beside the routers, if there are to be any.
    pub local: Option<NodeOptions>,
    /// True if a self-test is written.
    pub bist: bool,
    /// True if every node, or block of nodes, is a board of its own, with elastic links.
    pub elastic: bool,
    /// Boards along each axis, if boards have blocks of nodes.
    pub boards: Option<Vec<u32>>,
    /// Checksum of the frames between boards, if their links are checked.
    pub checksum: Option<Checksum>,
    /// Ports of boards, with their clock.
    pub form: PortForm,
    /// Origin of each board's start.
    pub start: BoardStart,
    /// True if control words are in memories that are loaded while nothing plays.
    pub loaded: bool,
    /// Rows of the file of lengths that the command in `origin` names, if it names one.
    pub lengths: Option<Arc<str>>,
    /// Text of the schedule's file that the command in `origin` names, if it names one.
    pub schedule: Option<Arc<str>>,
}

impl Options {
    /// The fabric by itself.
    pub fn plain(width: u32, origin: impl Into<String>) -> Self {
        Self {
            width,
            origin: origin.into(),
            rom: Rom::default(),
            leaves: LEAVES,
            crossbar: Crossbar::default(),
            own: OwnInputs::default(),
            protocol: None,
            local: None,
            bist: false,
            elastic: false,
            boards: None,
            checksum: None,
            form: PortForm::default(),
            start: BoardStart::default(),
            loaded: false,
            lengths: None,
            schedule: None,
        }
    }
}
