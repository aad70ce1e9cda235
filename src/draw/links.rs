//! The links in one tick: which way they carry packets, and whose.

use std::f64::consts::PI;

use super::cycles::{CyclePicture, Emphasis, MOST_NODES};
use super::layout::Layout;
use super::svg::{Anchor, P, text_width};
use super::wires::WireUse;
use super::{DrawError, fits};
use crate::net::{AxisDirection, Channel, NodeId, Port, Topology};
use crate::play::Player;
use crate::program::Program;

/// A picture with words that would be larger has none.
const LARGEST: f64 = 2_800.0;
/// The size of the words, and how high their digits are above and below their middle.
const SIZE: f64 = 11.0;
const HALF_HEIGHT: f64 = 4.0;
/// Between the middle of a line and what stands beside it: half an arrow, and some air.
const CLEAR: f64 = 6.5;

/// The links that carry a packet in a tick, which way they do, and whose it is, where there is room to say so.
pub fn links(program: &Program, tick: u32) -> Result<String, DrawError> {
    let last = program.ticks;
    fits(&program.topology, MOST_NODES)?;
    if tick == 0 || tick > last {
        return Err(DrawError::Tick { tick, last });
    }
    let (picture, words) = laid_out(program, tick)?;
    let whose = if words.is_some() { ", and whose" } else { "" };
    let is_combining = program.reduction.as_ref().is_some_and(|reduction| tick <= reduction.ticks);
    let what = if is_combining { "partials" } else { "packets" };
    let subtitle = format!("tick {tick} of {last}: which way links carry {what}{whose}");
    Ok(picture.draw(&subtitle, |svg| {
        for word in words.iter().flatten() {
            svg.text("small soft", word.middle(&picture) + P(0.0, HALF_HEIGHT), Anchor::Middle, &word.whose);
        }
    }))
}

/// The picture of a tick, and what is written upon it, if there is room.
fn laid_out(program: &Program, tick: u32) -> Result<(CyclePicture<'_>, Option<Vec<LinkLabel>>), DrawError> {
    let topology = &program.topology;
    let mut player = Player::new(program);
    while player.tick() < tick {
        player.step();
    }
    let carried = |node, port| carried(&player, program, node, port);
    let used = |node, port| if carried(node, port).is_empty() { WireUse::Unused } else { WireUse::Other };
    let linked = topology.node_ids().flat_map(|node| topology.linked_ports(node).map(move |port| (node, port)));
    let words = linked.map(|(node, port)| LinkLabel { node, port, whose: carried(node, port) });
    let words: Vec<LinkLabel> = words.filter(|word| !word.whose.is_empty()).collect();
    let roomy = Layout::with_room(topology, room(topology, words.iter().map(LinkLabel::width).fold(0.0, f64::max)))?;
    let fits = roomy.width.max(roomy.height) <= LARGEST;
    let layout = if fits { roomy } else { Layout::new(topology)? };
    Ok((CyclePicture::on(layout, program, None, Emphasis::Cycles, used), fits.then_some(words)))
}

/// Nodes of the packets on a link, lane after lane.
fn carried(player: &Player, program: &Program, node: NodeId, port: Port) -> String {
    let lanes = (0..program.lanes).map(|lane| program.register(node, Channel { port, lane }));
    let origins = lanes.filter_map(|register| player.flit(register)).map(|flit| program.demand.origin(flit).node);
    origins.map(|origin| program.topology.show(origin)).collect::<Vec<_>>().join(" + ")
}

/// Distance that nodes need for the labels between them: those of the links to the left and right and, where planes lie
/// side by side, those of the links out of the plane. Inside a ring labels are closer to each other than nodes.
fn room(topology: &Topology, widest: f64) -> f64 {
    /// Between the two lines of a link.
    const LINK: f64 = 12.0;
    /// From the middle of a node to a word inside of the ring.
    const DEPTH: f64 = 24.0;
    let half_angle = PI / f64::from(topology.nodes().max(3));
    let is_ring = topology.axes() == 1 && topology.has_every_link();
    let nearer = if is_ring { 2.0 * (DEPTH + widest * 0.5) * half_angle.tan() } else { 0.0 };
    (topology.axes() as f64 * (widest + CLEAR) + CLEAR + LINK + nearer).max(44.0)
}

/// Label of a link.
struct LinkLabel {
    node: NodeId,
    port: Port,
    whose: String,
}

impl LinkLabel {
    fn width(&self) -> f64 {
        text_width(&self.whose, SIZE)
    }

    /// Centre of the label: beside its line, on that direction's side of the link. Links that leave the paper have it
    /// at the end; a single line of a ring has it inside.
    fn middle(&self, picture: &CyclePicture) -> P {
        let Self { node, port, .. } = *self;
        let layout = &picture.layout;
        let along = layout.step(node, port).unit();
        let (from, to) = picture.used(node, port);
        // beside a stub across a corner there is no room
        if layout.leaves_plane(port) || layout.is_aslant(port) && layout.wraps(node, port) {
            return to + along * (CLEAR + self.reach(along));
        }
        let at = from + (to - from) * if layout.wraps(node, port) { 0.75 } else { 0.5 };
        if layout.outwards(node).is_some() && !picture.program.duplex.is_full() {
            let inwards = along.right() * if port.way() == AxisDirection::Minus { -1.0 } else { 1.0 };
            return at + inwards * (CLEAR + picture.radius + self.reach(inwards));
        }
        at + along.right() * (CLEAR + self.reach(along.right()))
    }

    /// Extent of the label from its centre in a direction.
    fn reach(&self, direction: P) -> f64 {
        self.width() * 0.5 * direction.0.abs() + HALF_HEIGHT * direction.1.abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Design;
    use crate::design::config::Config;

    /// Corners of what a word covers.
    fn cover(word: &LinkLabel, picture: &CyclePicture) -> [P; 2] {
        let half = P(word.width() * 0.5, HALF_HEIGHT);
        [word.middle(picture) - half, word.middle(picture) + half]
    }

    #[test]
    fn words_touch_neither_lines_nor_each_other() {
        for (design, tick) in [
            ("topology: { torus: [12, 12] }", 3),
            ("topology: { mesh: [11, 12] }", 5),
            ("topology: { torus: [5, 12] }\nlink: { duplex: half, lanes: 2 }", 4),
            ("topology: { torus: [3, 3, 3] }", 2),
            ("topology: { torus: [4, 6, 5] }\nscheme: optimal", 3),
            ("topology: { torus: [12, 3, 4] }", 3),
            ("topology: { hexagonal: [4, 5] }", 2),
            ("topology: { cycle: 24 }", 3),
            ("topology: { cycle: 3 }\nlink: { duplex: half, lanes: 2 }", 1),
            ("topology: { cycle: 5 }\nlink: { duplex: half, lanes: 2 }", 2),
            ("topology: { cycle: 12 }\nlink: { duplex: half, lanes: 2 }", 4),
            ("topology: { path: 12 }\nlink: { duplex: half }", 3),
        ] {
            let program = Design::new(Config::parse(design).unwrap()).unwrap().program;
            let (picture, words) = laid_out(&program, tick).unwrap();
            let words = words.unwrap();
            assert!(!words.is_empty(), "{design}");
            for (index, word) in words.iter().enumerate() {
                let [low, high] = cover(word, &picture);
                for other in &words[..index] {
                    let [from, to] = cover(other, &picture);
                    let apart = to.0 < low.0 || high.0 < from.0 || to.1 < low.1 || high.1 < from.1;
                    assert!(apart, "{design}: {} at {low:?} and {} at {from:?}", word.whose, other.whose);
                }
                for node in program.topology.node_ids() {
                    let node = picture.layout.at(node);
                    let nearest = P(node.0.clamp(low.0, high.0), node.1.clamp(low.1, high.1));
                    assert!((nearest - node).length() > picture.radius, "{design}: {} at {node:?}", word.whose);
                }
                for line in &words {
                    let (from, to) = picture.used(line.node, line.port);
                    let points = (0..=20).map(|part| from + (to - from) * (f64::from(part) / 20.0));
                    let mut inside = points.filter(|at| low.0 < at.0 && at.0 < high.0 && low.1 < at.1 && at.1 < high.1);
                    assert_eq!(inside.next(), None, "{design}: {} at {low:?}", word.whose);
                }
            }
        }
    }

    #[test]
    fn origins_are_promised_only_where_they_are_shown() {
        for (design, is_said) in [("topology: { torus: [3, 3, 4] }", true), ("topology: { torus: [64, 64] }", false)] {
            let program = Design::new(Config::parse(design).unwrap()).unwrap().program;
            let picture = links(&program, 2).unwrap();
            assert_eq!(picture.contains("and whose"), is_said, "{design}");
            assert_eq!(picture.matches("<text").count() > program.topology.nodes() as usize, is_said, "{design}");
        }
    }
}
