//! Outputs that are told to forward an input, and find nothing there.
//!
//! A broadcast names the input of an output once for all ticks. Where values are combined, an output that sends is taken to send
//! something, so that such ticks become idle ones.

use bitvec::vec::BitVec;

use crate::net::Channel;
use crate::program::{Program, ProgramBuilder, Run, Source};

impl Program {
    /// Copies a program in which packets move on short links of one lane: idle wherever nothing is sent.
    pub(super) fn without_empty_sends(&self) -> Self {
        let (ports, registers) = (self.topology.ports(), self.registers());
        let arriving: Vec<Option<usize>> = (0..registers)
            .map(|register| {
                let (node, Channel { port, .. }) = self.owner(register);
                self.arriving(node, Channel::first(port))
            })
            .collect();
        let tracks = self.classes.iter().flat_map(|class| &class.outputs);
        let tracks: Vec<Vec<Source>> = tracks.map(|track| track.sources(self.ticks).collect()).collect();
        let mut runs: Vec<Vec<Run>> = vec![Vec::new(); registers];
        // by tick, registers that sent something
        let mut sent: Vec<BitVec> = Vec::with_capacity(self.ticks as usize);
        for tick in 0..self.ticks {
            let mut now = BitVec::repeat(false, registers);
            for (register, runs) in runs.iter_mut().enumerate() {
                let first = register / ports * ports;
                let told = tracks[self.class_of[register / ports].index() * ports + register % ports][tick as usize];
                let brings = |input: Channel, age: u32| {
                    let then = tick.checked_sub(age).and_then(|then| sent.get(then as usize));
                    then.zip(arriving[first + input.port.index()]).is_some_and(|(sent, from)| sent[from])
                };
                let sends = match told.age() {
                    None => told != Source::Idle,
                    Some(age) => told.inputs().any(|input| brings(input, age)),
                };
                now.set(register, sends);
                let source = if sends { told } else { Source::Idle };
                match runs.last_mut() {
                    Some(run) if run.source == source => run.ticks += 1,
                    _ => runs.push(Run { source, ticks: 1 }),
                }
            }
            sent.push(now);
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
