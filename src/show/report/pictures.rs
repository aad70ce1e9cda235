//! The pictures of a design, or why one is missing.

use crate::design::Design;
use crate::show::draw::{self, DrawError};

/// A picture with its caption.
pub(super) struct Picture {
    pub(super) title: &'static str,
    pub(super) about: String,
    pub(super) svg: Option<String>,
}

pub(super) fn pictures(design: &Design, known: &[Vec<u64>]) -> Vec<Picture> {
    let program = &design.program;
    let cover = design.cover();
    let mut pictures = Vec::new();
    let mut show = |title, about: &str, drawn: Result<String, DrawError>| {
        let (about, svg) = match drawn {
            Ok(svg) => (about.to_owned(), Some(svg)),
            Err(why) => (format!("Not shown: {why}."), None),
        };
        pictures.push(Picture { title, about, svg });
    };
    let cycles = match cover {
        // one axis is drawn as a ring
        Some(_) if program.topology.is_torus() && program.topology.axes() > 1 => {
            "Edge-disjoint cycles carry the packets both ways round; links that leave the border come back opposite."
        }
        Some(_) => "Edge-disjoint cycles carry the packets both ways round.",
        None => "The links that carry packets.",
    };
    show("Cycles", cycles, draw::cycles(program, cover));
    if cover.is_some_and(|cover| !cover.passes_every_node()) {
        let about = "Nodes beside a cycle are supplied by neighbours on it.";
        show("Supply", about, draw::supply(program, cover));
    }
    show("Classes", "One colour a class: nodes of one colour have the same router.", draw::classes(program));
    let about =
        "Each column is a node along the way, each line a tick; a colour is the origin of the packet that arrives.";
    show("Space and time", about, draw::spacetime(program, cover, 0, 1));
    let progress = if known.is_empty() { draw::progress(program, None) } else { draw::progress_of(program, known) };
    show("Progress", "How much each node knows, from the first tick to the last.", progress);
    pictures
}
