//! The registers of links that are longer than a tick, for `templates/rtl/link.v`.

use askama::Template;

use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::{names, words};

#[derive(Template)]
#[template(path = "rtl/link.v", escape = "none")]
pub struct LinkModule {
    module: String,
    notes: Vec<String>,
    width: u32,
    stages: u32,
    /// true if a clock enable can halt it
    ce: bool,
}

impl LinkModule {
    pub fn new(design: &EmitDesign) -> Self {
        let program = design.program;
        let why = format!(
            "Links are {} ticks long, of which the router's own register is one. A real link that takes as long, to another \
             board say, needs none of these.",
            program.latency
        );
        Self {
            module: names::link(program),
            notes: words::wrap_all(&[why, design.generated()]),
            width: design.options.width,
            stages: program.latency - 1,
            ce: design.has_links_on_boards(),
        }
    }
}
