//! Registers of a design that plays several programs: what its nodes send and get, and the ticks that it plays.

use std::io::{self, Write};

use crate::emit::node::{Bus, ListDesign, WireSizes};
use crate::emit::shared::names;
use crate::emit::vcd::{Dump, PERIOD, Signal, SignalScope};

/// Signal of the clock.
const CLK: &str = "clk";

/// Clock, ticks and program of each device, and the links of each of its nodes; in these modules around the ports of a device.
pub fn scopes(design: &ListDesign<'_>, path: &[String]) -> Vec<SignalScope> {
    let topology = &design.netlist.topology;
    let inside = |names: &[String]| [path, names].concat();
    let Some(boards) = &design.boards else {
        let nodes = topology.live_ids().map(|node| {
            let heading = format!("node {}", topology.show(node));
            SignalScope { heading, path: inside(&[names::instance(topology, node)]), signals: links(design) }
        });
        return std::iter::once(device(design, String::new(), path.to_vec())).chain(nodes).collect();
    };
    let blocks = &boards.blocks;
    let of_board = |board| {
        let own = names::of_board(blocks, board);
        let heading = format!("board {}", blocks.boards().show(board));
        let live = (0..blocks.sites()).filter(|&site| topology.is_live(blocks.node(board, site)));
        let sites = live.map(|site| {
            let heading = format!("node {}", topology.show(blocks.node(board, site)));
            SignalScope {
                heading,
                path: inside(&[own.clone(), names::site_instance(blocks, site)]),
                signals: links(design),
            }
        });
        let sites: Vec<SignalScope> = sites.collect();
        std::iter::once(device(design, heading, inside(&[own]))).chain(sites)
    };
    blocks.boards().live_ids().flat_map(of_board).collect()
}

/// Scopes of the testbench, whose design is `system`.
pub fn scopes_of_bench(design: &ListDesign<'_>, bench: String) -> Vec<SignalScope> {
    let inner: &[&str] = match design.bus {
        Bus::Uart => &["host", "core", "system"],
        Bus::AxiLite => &["core", "system"],
        Bus::Ring | Bus::Streams => &[],
    };
    // boards stand in the testbench itself
    let system = design.boards.is_none().then(|| "system".to_owned());
    let path: Vec<String> = [bench].into_iter().chain(system).chain(inner.iter().map(|&it| it.to_owned())).collect();
    scopes(design, &path)
}

/// Signals of the module with the nodes of a device.
fn device(design: &ListDesign<'_>, heading: String, path: Vec<String>) -> SignalScope {
    let sizes = WireSizes::of(design);
    let program = if sizes.has_streams { "played_program" } else { "program_number" };
    let signals = vec![
        Signal::bit(CLK),
        Signal::bit("begins"),
        Signal::bit("plays"),
        Signal::number("tick", sizes.tick),
        Signal::number(program, sizes.program),
    ];
    SignalScope { heading, path, signals }
}

/// Outputs and inputs of a node.
fn links(design: &ListDesign<'_>) -> Vec<Signal> {
    let parts = &design.netlist.union.parts;
    let axes = design.netlist.topology.axes();
    let all = |way: &'static str| {
        let name = move |number| format!("{}_{way}", names::channel(axes, parts.channel(number)));
        (0..parts.outputs).map(move |number| Signal::hex(name(number), design.width))
    };
    all("out").chain(all("in")).collect()
}

/// Writes a waveform of a design clock by clock.
pub struct CallWaveform<W> {
    dump: Dump<W>,
    clock: u64,
    /// clocks of all devices
    clocks: Vec<usize>,
    /// other signals, with what was last written of each
    shown: Vec<(usize, Option<Vec<u64>>)>,
}

impl<W: Write> CallWaveform<W> {
    /// Writes the header.
    pub fn new(out: W, design: &ListDesign<'_>) -> io::Result<Self> {
        let scopes = scopes(design, &[design.with_all_nodes()]);
        let signals = scopes.iter().flat_map(|scope| &scope.signals).enumerate();
        let (clocks, others): (Vec<_>, Vec<_>) = signals.partition(|(_, signal)| signal.name == CLK);
        let clocks = clocks.into_iter().map(|(index, _)| index).collect();
        let shown = others.into_iter().map(|(index, _)| (index, None)).collect();
        let mut waveform = Self { dump: Dump::new(out, &scopes)?, clock: 0, clocks, shown };
        waveform.edge(0, false)?;
        Ok(waveform)
    }

    fn edge(&mut self, time: u64, is_high: bool) -> io::Result<()> {
        self.dump.time(time)?;
        self.clocks.iter().try_for_each(|&clk| self.dump.bit(clk, is_high))
    }

    /// Writes a rising edge, and the values of all signals but clocks after it.
    pub fn clock(&mut self, values: impl Iterator<Item = Vec<u64>>) -> io::Result<()> {
        self.clock += 1;
        let time = self.clock * PERIOD;
        self.edge(time - PERIOD / 2, false)?;
        self.edge(time, true)?;
        for ((index, shown), value) in self.shown.iter_mut().zip(values) {
            if shown.as_ref() != Some(&value) {
                self.dump.word(*index, value.iter().copied())?;
                *shown = Some(value);
            }
        }
        Ok(())
    }

    /// Ends the waveform; returns where it was written to.
    pub fn finish(self) -> io::Result<W> {
        self.dump.finish((self.clock + 1) * PERIOD)
    }
}
