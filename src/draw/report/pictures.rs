//! The pictures of a design, or why one is missing.

use crate::design::Design;
use crate::draw::{self, DrawError};

/// A picture with its caption.
pub(super) struct ReportPicture {
    pub(super) title: &'static str,
    pub(super) about: String,
    pub(super) svg: Option<String>,
}

pub(super) fn pictures(design: &Design, known: &[Vec<u64>]) -> Vec<ReportPicture> {
    let program = &design.program;
    let cover = design.cover();
    let mut pictures = Vec::new();
    let mut show = |title, about: &str, drawn: Result<String, DrawError>| {
        let (about, svg) = match drawn {
            Ok(svg) => (about.to_owned(), Some(svg)),
            Err(why) => (format!("Not shown: {why}."), None),
        };
        pictures.push(ReportPicture { title, about, svg });
    };
    let cycles = match cover {
        // one axis is drawn as a ring
        Some(_) if program.topology.is_product_of_cycles() && program.topology.axes() > 1 => {
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
    let alike = if design.protocol().is_some() { "send alike, with these lengths" } else { "have the same router" };
    show("Classes", &format!("One colour per class: nodes of one colour {alike}."), draw::classes(program));
    // pictures that follow packets, which a reduction does not have
    let gather = program.gather_part();
    let Some(moving) = gather.as_ref().or(Some(program).filter(|program| program.reduction.is_none())) else {
        return pictures;
    };
    let after = if gather.is_some() { " Ticks are counted from when all values are combined." } else { "" };
    let about = format!(
        "Each column is a node along the way, each line is a tick; a colour is the origin of the packet that arrives.{after}"
    );
    show("Space and time", &about, draw::spacetime(moving, cover, 0, 1));
    let what = if program.demand.is_for_all() { "each node knows" } else { "of what it wants each node has" };
    let about = format!("How much {what}, from the first tick to the last.{after}");
    let progress = if known.is_empty() { draw::progress(moving, None) } else { draw::progress_of(moving, known) };
    show("Progress", &about, progress);
    pictures
}
