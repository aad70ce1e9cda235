//! Schedules that stand beside the Verilog of a list, in place of files that are elsewhere.

use std::path::Path;

use super::Programs;
use crate::design::config::Config;
use crate::schemes::{ScheduleFile, SchemeName};

impl Programs {
    /// Config that names the schedules beside the Verilog in place of the files that they were read from.
    pub(super) fn beside_schedules(&self) -> Config {
        let mut config = self.config.clone();
        for (choice, resident) in config.programs.iter_mut().zip(&self.residents) {
            if choice.scheme.file().is_some() {
                choice.scheme = SchemeName::File(ScheduleFile::of(Path::new(&resident.schedule)));
            }
        }
        config
    }
}
