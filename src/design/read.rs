//! Designs whose schedule is read from a file.

use std::cell::OnceCell;
use std::io;

use super::config::{Config, ConfigError};
use super::support::{self, building};
use super::{Design, DesignError};
use crate::files::{self, FilesError};
use crate::net::Topology;
use crate::program::Link;
use crate::schedule::{self, ScheduleTask};
use crate::schemes::{FileScheme, ScheduleFile};
use crate::transform::ReversedGossip;

impl Design {
    /// Reads the program of a validated config from its file.
    pub(super) fn read(mut config: Config, topology: &Topology, file: ScheduleFile) -> Result<Self, DesignError> {
        let path = file.path();
        // a browser has no files: all readers of schedules are left out of its WebAssembly
        if cfg!(target_family = "wasm") {
            let source = FilesError::Read { path: path.to_owned(), source: io::ErrorKind::Unsupported.into() };
            return Err(ConfigError::ScheduleFile { source }.into());
        }
        let text =
            files::read_text(path, schedule::MOST_BYTES).map_err(|source| ConfigError::ScheduleFile { source })?;
        let words = config.messages_of_file(topology, &text);
        let task = config.task(topology, words)?;
        config.leave_even_lengths_out(&task);
        let name = config.name();
        let wanted = ScheduleTask {
            topology: task.topology,
            traffic: &task.choice.traffic,
            link: Link { latency: config.link.latency.get(), ..task.link },
            flits: words.map_or(config.link.flits.get(), |words| words.flits),
            reduction: ReversedGossip::of_config(&config),
            name: &name,
        };
        let read = wanted.read(&text);
        let mut program = read.map_err(|source| ConfigError::Schedule { path: path.to_owned(), source })?;
        program.demand.choose_collective(config.collective().name());
        if let Some(packets) = task.choice.packets.filter(|_| config.collective().is_of_packets()) {
            let has = program.packets();
            if has != packets {
                let problem = format!("the schedule of {file} has {has} per node, not {packets}");
                return Err(building::PACKETS
                    .refusal_with(problem, "leave `packets` out, or take another file")
                    .into());
            }
        }
        let design = Self {
            config,
            scheme: &FileScheme,
            program,
            reason: None,
            schedule: Some(text.into()),
            groups: Vec::new(),
            listed: None,
            cover: OnceCell::new(),
        };
        support::check_built(&design)?;
        Ok(design)
    }
}
