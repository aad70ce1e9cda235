//! Files that a config names: lengths are read, and schedules found, beside the config.

use std::path::Path;

use super::{Config, ConfigError};
use crate::schemes::SchemeName;

impl Config {
    /// Reads the files of `lengths`, and finds those of schedules; names are relative to a folder.
    pub fn resolved(mut self, folder: &Path) -> Result<Self, ConfigError> {
        let of_programs = self.programs.iter_mut().map(|program| (&mut program.lengths, &mut program.scheme));
        for (lengths, scheme) in of_programs.chain([(&mut self.lengths, &mut self.scheme)]) {
            if let Some(lengths) = lengths {
                lengths.resolve(folder)?;
            }
            if let SchemeName::File(file) = scheme {
                *scheme = SchemeName::File(file.within(folder));
            }
        }
        Ok(self)
    }
}
