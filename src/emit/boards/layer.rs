//! The link layer of boards as plain data, so that boards of any kind have one.

use crate::emit::boards::blocks::{axes, sides};
use crate::emit::boards::common::{self, SharedStart};
use crate::emit::boards::frame::{DESIGN_BITS, LinkFrame};
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::parts::UpCounter;
use crate::files::sha256;
use crate::net::Sides;
use crate::netlist::PortForm;

/// Facts that the modules of a link layer have in common.
#[derive(Clone)]
pub struct LinkLayer {
    /// beginning of the modules' names
    pub name: String,
    /// the line that says where a file comes from
    pub generated: String,
    pub frame: LinkFrame,
    /// ports of a board
    pub ports: u32,
    /// bits of a board's place
    pub place: u32,
    /// hash of all that boards must have in common, in hexadecimal digits
    pub design: String,
    /// ports as transceivers and cables see them
    pub form: PortForm,
    /// ticks of a link
    pub latency: u32,
    /// start of all boards, if one starts them
    pub common: Option<SharedStart>,
    /// bits of a flit
    pub width: u32,
}

impl LinkLayer {
    /// The link layer of a design whose links are checked.
    pub fn of(design: &EmitDesign) -> Option<Self> {
        Some(Self {
            name: design.name().to_owned(),
            generated: design.generated(),
            frame: LinkFrame::of(design)?,
            ports: sides(design).count() as u32,
            place: axes(&design.blocks()).iter().map(|axis| axis.bits).sum(),
            design: hash(&common_to_boards(design)),
            form: design.options.form,
            latency: design.program.latency,
            common: SharedStart::of(design),
            width: design.options.width,
        })
    }

    /// Name of one of its modules.
    pub fn module(&self, part: &str) -> String {
        format!("{}_{part}", self.name)
    }

    /// Number of a port.
    pub fn port(&self) -> UpCounter {
        UpCounter::up_to(self.ports - 1)
    }
}

/// Hash of a text, short enough for an identity.
pub fn hash(text: &str) -> String {
    sha256(text.as_bytes())[..DESIGN_BITS as usize / 4].to_owned()
}

/// All that boards must have in common.
fn common_to_boards(design: &EmitDesign) -> String {
    let blocks = design.blocks();
    let boards = if blocks.is_of_nodes() { String::new() } else { format!(" {}", Sides(blocks.boards().dims())) };
    let start = common::hashed_start(common::is_due(design));
    format!("{} {}{boards}{start}", design.options.width, design.program.json())
}
