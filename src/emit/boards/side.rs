//! Ports of a board: the links that cross a side of its block, and the board at the other end of the cable.

use askama::Template;

use crate::emit::boards::link::{self, BoardStep};
use crate::emit::shared::axis::NetworkAxis;
use crate::emit::shared::names;
use crate::emit::shared::parts::UpCounter;
use crate::net::{Channel, Network, NodeBlocks, NodeId, Port};

/// Port of a board, with parts of a token as a design names them.
pub struct BoardSide<L> {
    pub channel: Channel,
    pub name: String,
    pub label: String,
    /// parts of a token, from the lowest bits up
    pub lanes: Vec<L>,
    /// highest bit of a token, and the number of its bits, in Verilog
    pub high: String,
    pub bits: String,
    /// border at which the cable is missing: the coordinate, its bits, and its value there
    pub end: Option<TokenEnd>,
    /// places of boards without a cable here, where no border says it
    pub ends: Vec<u32>,
    /// number of the port, place of the neighbour, and number of the port at the other end, if links are checked
    pub number: usize,
    pub there: Vec<BoardStep>,
    /// places of boards, and of those at the other end of their cables, where coordinates do not say it
    pub turned: Vec<(u32, u32)>,
    pub opposite: usize,
}

/// Highest bit of a token of flits with valid bits: `WIDTH` for one link, `3*(WIDTH+1)-1` for three.
#[derive(Template)]
#[template(path = "elastic/high.v", escape = "none")]
struct HighBit {
    links: usize,
}

/// Bits of a token of flits with valid bits: `WIDTH + 1` for one link, `3*(WIDTH+1)` for three.
#[derive(Template)]
#[template(path = "elastic/bits.v", escape = "none")]
struct TokenBits {
    links: usize,
}

/// Bits of a token.
pub enum Token {
    /// A flit and a valid bit for each link.
    Flits,
    /// Number of bits.
    Bits(u32),
}

pub struct TokenEnd {
    pub name: String,
    pub bits: u32,
    pub at: u32,
}

/// Boards of a network as their ports see it.
pub struct Cables<'b> {
    pub blocks: &'b NodeBlocks,
    pub axes: &'b [NetworkAxis],
    /// ports of a board
    pub channels: &'b [Channel],
    /// boards tell who is at the other end
    pub are_checked: bool,
}

impl<L> BoardSide<L> {
    pub fn new(cables: &Cables, channel: Channel, lanes: Vec<L>, token: &Token) -> Self {
        let Cables { blocks, axes, channels, are_checked } = *cables;
        let boards = blocks.boards();
        let name = names::channel(boards.axes(), channel);
        let port = channel.port;
        let number = |of: Channel| channels.iter().position(|&other| other == of).expect("a side");
        // borders say where cables are missing, and coordinates that wrap by themselves who is there
        let (is_whole, is_straight) = (boards.dead().is_none(), boards.lattice().is_diagonal());
        let is_end = boards.open().contains(&port.axis());
        let ends = boards.node_ids().filter(|&board| boards.step(board, port).is_none());
        let turned = |board| Some((code(blocks, board), code(blocks, boards.step(board, port)?)));
        let is_told = are_checked && !is_straight;
        let links = lanes.len();
        Self {
            channel,
            label: channel.label(boards.axes()),
            high: match token {
                Token::Flits => HighBit { links }.to_string(),
                Token::Bits(bits) => (bits - 1).to_string(),
            },
            bits: match token {
                Token::Flits => TokenBits { links }.to_string(),
                Token::Bits(bits) => bits.to_string(),
            },
            lanes,
            end: (is_whole && is_end).then(|| TokenEnd::of(boards, port)),
            ends: if is_whole { Vec::new() } else { ends.map(|board| code(blocks, board)).collect() },
            number: number(channel),
            there: match (are_checked, is_straight) {
                (false, _) => Vec::new(),
                (true, true) => link::neighbour(axes, port),
                (true, false) => vec![BoardStep::named(format!("{name}_there"))],
            },
            turned: if is_told { boards.node_ids().filter_map(turned).collect() } else { Vec::new() },
            opposite: number(channel.opposite()),
            name,
        }
    }

    /// Returns true if a token has several parts.
    pub fn is_wide(&self) -> bool {
        self.lanes.len() > 1
    }
}

impl TokenEnd {
    /// The last board that a port of a grid looks out of.
    fn of(boards: &Network, port: Port) -> Self {
        let UpCounter { bits, last, .. } = UpCounter::up_to(boards.side(port.axis()) - 1);
        let at = if port == Port::plus(port.axis()) { last } else { 0 };
        Self { name: names::coordinate(port.axis()), bits, at }
    }
}

/// Place of a board as one number, for ports that know themselves from a table.
pub struct BoardPlace {
    pub bits: u32,
    /// some port, or a link within the board, has a table
    pub is_read: bool,
}

impl BoardPlace {
    pub fn of<L>(axes: &[NetworkAxis], sides: &[BoardSide<L>], has_dead_links: bool) -> Self {
        let has_table = |side: &BoardSide<L>| !side.ends.is_empty() || !side.turned.is_empty();
        Self { bits: axes.iter().map(|axis| axis.bits).sum(), is_read: has_dead_links || sides.iter().any(has_table) }
    }
}

/// Coordinates of a board side by side, the last in the lowest bits.
pub fn code(blocks: &NodeBlocks, board: NodeId) -> u32 {
    let boards = blocks.boards();
    let several = boards.coords(board).into_iter().zip(boards.dims()).filter(|&(_, &side)| side > 1);
    super::blocks::axes(blocks).iter().zip(several).fold(0, |code, (axis, (at, _))| code << axis.bits | at)
}
