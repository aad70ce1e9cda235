//! The places of a cycle in closed form: phases of blocks of straight lines through the torus.

use super::linear::{Linear, O};

/// A straight line of nodes: along a row or along a column, one step a place.
#[derive(Clone, Debug)]
pub struct NodeLine {
    row: Linear,
    column: Linear,
    length: Linear,
    /// direction of movement: rows down, columns to the right; 0 stays
    down: i64,
    right: i64,
    /// moved down by a mutant, round the torus
    shifted: bool,
}

/// Line of one node.
pub fn at(row: impl Into<Linear>, column: impl Into<Linear>) -> NodeLine {
    line(row, column, 1, (0, 0))
}

/// Along a row to the right, the last column included.
pub fn right(row: impl Into<Linear>, from: impl Into<Linear>, to: impl Into<Linear>) -> NodeLine {
    let (from, to) = (from.into(), to.into());
    line(row, from, to - from + 1, (0, 1))
}

/// Along a row to the left.
pub fn left(row: impl Into<Linear>, from: impl Into<Linear>, to: impl Into<Linear>) -> NodeLine {
    let (from, to) = (from.into(), to.into());
    line(row, from, from - to + 1, (0, -1))
}

/// Along a column, down.
pub fn down(column: impl Into<Linear>, from: impl Into<Linear>, to: impl Into<Linear>) -> NodeLine {
    let (from, to) = (from.into(), to.into());
    line(from, column, to - from + 1, (1, 0))
}

/// Along a column, up.
pub fn up(column: impl Into<Linear>, from: impl Into<Linear>, to: impl Into<Linear>) -> NodeLine {
    let (from, to) = (from.into(), to.into());
    line(from, column, from - to + 1, (-1, 0))
}

fn line(
    row: impl Into<Linear>,
    column: impl Into<Linear>,
    length: impl Into<Linear>,
    (down, right): (i64, i64),
) -> NodeLine {
    NodeLine { row: row.into(), column: column.into(), length: length.into(), down, right, shifted: false }
}

/// Some blocks, one after the other, each of the same lines.
#[derive(Clone, Debug)]
pub struct BlockPhase {
    blocks: Linear,
    lines: Vec<NodeLine>,
}

/// A phase of one block.
pub fn once<const L: usize>(lines: [NodeLine; L]) -> BlockPhase {
    blocks(1, lines)
}

/// A phase of several blocks, maybe none, numbered by b.
pub fn blocks<const L: usize>(blocks: impl Into<Linear>, lines: [NodeLine; L]) -> BlockPhase {
    BlockPhase { blocks: blocks.into(), lines: lines.into() }
}

impl BlockPhase {
    /// Number of blocks it has, in SMT-LIB.
    pub fn blocks(&self) -> String {
        self.blocks.to_string()
    }

    /// Number of places a block has.
    pub fn length(&self) -> Linear {
        self.lines.iter().fold(Linear::from(0), |sum, line| sum + line.length)
    }

    /// All its places, in SMT-LIB.
    pub fn count(&self) -> String {
        format!("(* {} {})", self.blocks, self.length())
    }

    /// The row of the place at offset o of block b, in SMT-LIB.
    pub fn row(&self) -> String {
        self.coordinate(|line, offset| {
            let row = line.row + offset * line.down;
            if line.shifted { format!("(row {})", row + 1) } else { row.to_string() }
        })
    }

    /// The column of the place at offset o of block b, in SMT-LIB.
    pub fn column(&self) -> String {
        self.coordinate(|line, offset| (line.column + offset * line.right).to_string())
    }

    fn coordinate(&self, of: impl Fn(&NodeLine, Linear) -> String) -> String {
        let mut begin = Linear::from(0);
        let mut legs = Vec::new();
        for line in &self.lines {
            legs.push((format!("(< o {})", begin + line.length), of(line, O - begin)));
            begin = begin + line.length;
        }
        chain(legs)
    }

    /// Copies the phase with its last line one row further down: a fault.
    #[must_use]
    pub fn with_last_line_shifted(&self) -> Self {
        let mut shifted = self.clone();
        if let Some(line) = shifted.lines.last_mut() {
            line.shifted = true;
        }
        shifted
    }
}

/// The value of the first leg whose condition holds; the last one's if none does.
pub fn chain(legs: Vec<(String, String)>) -> String {
    let mut legs = legs.into_iter().rev();
    let Some((_, mut text)) = legs.next() else { return "0".into() };
    for (condition, value) in legs {
        if value != text {
            text = format!("(ite {condition} {value} {text})");
        }
    }
    text
}

/// A value for every phase, chosen by s.
pub fn by_phase(phases: &[BlockPhase], value: impl Fn(usize, &BlockPhase) -> String) -> String {
    chain(phases.iter().enumerate().map(|(s, phase)| (format!("(= s {s})"), value(s, phase))).collect())
}

/// The phase after phase s: the next one that has a block.
pub fn phase_after(phases: &[BlockPhase], s: usize) -> String {
    let mut legs = Vec::new();
    for next in (1..=phases.len()).map(|ahead| (s + ahead) % phases.len()) {
        let blocks = phases[next].blocks;
        legs.push((format!("(> {blocks} 0)"), next.to_string()));
        if blocks == Linear::from(1) {
            break;
        }
    }
    chain(legs)
}
