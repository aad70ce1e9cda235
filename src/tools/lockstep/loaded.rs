//! Simulators of fabrics whose control words are in memory, with a patch that is loaded before they play.

use std::path::Path;

use super::build::{self, Recipe};
use super::wiring::Wiring;
use super::{LockstepError, Simulator, Toolchain, Verilated};
use crate::emit::{self, Options};
use crate::program::Program;
use crate::tools::ScratchFolder;

impl<'p> Simulator<'p> {
    /// Builds the fabric of a whole network, to play the program of a damaged one that these frames load.
    pub fn build_patched(
        tools: &Toolchain,
        whole: &Program,
        patched: &'p Program,
        options: &Options,
        frames: &[Vec<bool>],
    ) -> Result<Self, LockstepError> {
        let folder = ScratchFolder::new()?;
        let loaded = Options { loaded: true, ..options.clone() };
        let files = build::collected(|files| emit::write_rtl(whole, &loaded, files))?;
        let rtl =
            files.into_iter().filter(|(path, _)| Path::new(path).extension().is_some_and(|end| end == "v")).collect();
        let netlist = emit::netlist(patched, options);
        let wiring = Wiring { configuration: frames.concat(), ..Wiring::of(patched, &netlist, options) };
        let object = Recipe::of_fabric(patched, &wiring, options, rtl).simulator(tools, folder.path())?;
        Ok(Self {
            program: patched,
            wiring,
            width: options.width,
            delay: emit::start_delay(&emit::netlist(whole, &loaded), &loaded),
            object,
            table: Vec::new(),
            verilated: Verilated::Fabric,
            _folder: folder,
        })
    }
}
