//! Outputs that are told to forward an input, and find nothing there.
//!
//! A broadcast names the input of an output once for all ticks. Where values are combined, an output that sends is taken to send
//! something, so that such ticks become idle ones.

use crate::play::Machine;
use crate::program::{Program, ProgramBuilder, Run, Source};

impl Program {
    /// Copies a program in which packets move on links of one lane: idle wherever nothing is sent.
    pub(super) fn without_empty_sends(&self) -> Self {
        let ports = self.topology.ports();
        let mut runs: Vec<Vec<Run>> = vec![Vec::new(); self.registers()];
        let tracks = self.classes.iter().flat_map(|class| &class.outputs);
        let tracks: Vec<Vec<Source>> = tracks.map(|track| track.sources(self.ticks).collect()).collect();
        let mut machine = Machine::new(self);
        for tick in 0..self.ticks as usize {
            machine.step();
            for (register, runs) in runs.iter_mut().enumerate() {
                let class = self.class_of[register / ports].index();
                let told = tracks[class * ports + register % ports][tick];
                let source = if machine.register(register).is_some() { told } else { Source::Idle };
                match runs.last_mut() {
                    Some(run) if run.source == source => run.ticks += 1,
                    _ => runs.push(Run { source, ticks: 1 }),
                }
            }
        }
        let mut builder = ProgramBuilder::new(&self.topology, self.ticks, self.demand.clone());
        for (register, runs) in runs.iter().enumerate() {
            let (node, output) = self.owner(register);
            if runs.iter().any(|run| run.source != Source::Idle) {
                let track = builder.track(runs, Source::Idle);
                builder.set(node, output.port, track);
            }
        }
        builder.finish(self.title.clone())
    }
}
