//! Cables between boards: each with its number, at both ends the port that it belongs into.

use super::cycles::MOST_NODES;
use super::layout::Layout;
use super::svg::{Anchor, P, Path, Svg, text_width};
use super::{DrawError, fits, panels};
use crate::emit::names;
use crate::net::{Channel, NodeBlocks, NodeId, Port};
use crate::program::{Program, count};
use crate::study::cables::{Cable, cables};

/// Half of a board's box.
const HALF: P = P(24.0, 13.0);
/// Size of the words.
const SIZE: f64 = 11.0;
/// From the middle of a word's digits to its base line.
const BASE: f64 = 4.0;
/// Between a box and the middle of the port's name, along the cable and beside it.
const AHEAD: f64 = 9.0;
const BESIDE: f64 = 8.0;

/// The cables of a network of boards, with FIFOs for `depth` tokens at their ends.
pub fn cable_map(program: &Program, blocks: &NodeBlocks, depth: u32) -> Result<String, DrawError> {
    let topology = blocks.boards();
    fits(topology, MOST_NODES)?;
    let all = cables(program, topology);
    let numbers = all.len().to_string();
    let port = text_width(&names::port(topology.axes(), Port::plus(0)), SIZE);
    let lanes = f64::from(program.lanes);
    let apart = 2.0 * HALF.0 + 2.0 * (port + AHEAD) + lanes * (text_width(&numbers, SIZE) + 8.0);
    let layout = Layout::with_room(topology, apart)?;
    let mut svg = Svg::new();
    let title = format!("{}: {} between boards", program.topology.describe(), count(all.len() as u64, "cable"));
    let subtitle =
        format!("ports at both ends, FIFOs of {}; a number at two borders is one cable", count(depth.into(), "token"));
    panels::heading(&mut svg, &title, &subtitle);
    let mut lines = Path::default();
    let mut words: Vec<(P, String, &str)> = Vec::new();
    for (first, lane) in all.iter().enumerate().filter(|(_, cable)| cable.port.lane == 0) {
        let label = (0..usize::from(program.lanes)).map(|lane| (first + lane + 1).to_string());
        let label = label.collect::<Vec<_>>().join(" ");
        let Cable { board, port, other, other_port } = *lane;
        let ends = [(board, port), (other, other_port)];
        for (node, Channel { port, .. }) in ends {
            let along = layout.step(node, port).unit();
            let at = layout.at(node) + along * reach(along);
            words.push((at + along * AHEAD + along.right() * BESIDE, names::port(topology.axes(), port), "small soft"));
        }
        if layout.wraps(board, port.port) {
            for (node, Channel { port, .. }) in ends {
                let along = layout.step(node, port).unit();
                let edge = layout.at(node) + along * reach(along);
                let end = edge + along * (2.0 * AHEAD + 4.0);
                line(&mut lines, edge, end);
                let width = text_width(&label, SIZE) * 0.5 + 3.0;
                let beyond = width * along.0.abs() + 8.0 * along.1.abs();
                words.push((end + along * beyond, label.clone(), "small"));
            }
        } else {
            let along = layout.step(board, port.port).unit();
            let [from, to] = [layout.at(board) + along * reach(along), layout.at(other) - along * reach(along)];
            line(&mut lines, from, to);
            words.push((from + (to - from) * 0.5, label, "small"));
        }
    }
    svg.path("class=\"line n\" stroke-width=\"1.5\"", &lines);
    for (at, word, class) in &words {
        if *class == "small" {
            let half = P(text_width(word, SIZE) * 0.5 + 3.0, 8.0);
            svg.rect("class=\"paper\"", *at - half, 2.0 * half.0, 2.0 * half.1);
        }
        svg.text(class, *at + P(0.0, BASE), Anchor::Middle, word);
    }
    for node in topology.node_ids() {
        draw_board(&mut svg, &layout, node, &topology.show(node));
    }
    let width = layout.width.max(panels::heading_width(&title, &subtitle));
    Ok(svg.finish(&format!("{title}; {subtitle}"), width, layout.height))
}

fn line(path: &mut Path, from: P, to: P) {
    path.move_to(from);
    path.line_to(to);
}

fn draw_board(svg: &mut Svg, layout: &Layout, node: NodeId, name: &str) {
    let at = layout.at(node);
    svg.rect("class=\"node\" rx=\"4\"", at - HALF, 2.0 * HALF.0, 2.0 * HALF.1);
    svg.text("small", at + P(0.0, BASE), Anchor::Middle, name);
}

/// From the middle of a box to its border.
fn reach(along: P) -> f64 {
    (HALF.0 / along.0.abs().max(1e-9)).min(HALF.1 / along.1.abs().max(1e-9))
}
