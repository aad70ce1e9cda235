//! Every test from outside the crate, in one binary: one link instead of twenty, and nothing waits for its turn.

mod fixtures;

mod cli;
mod command_line;
mod compare;
mod demand;
mod diff;
mod docs;
mod explain;
mod faults;
mod floors;
mod folder;
mod full_gossip;
mod full_hamiltonian;
mod full_optimal;
mod generated;
mod half_duplex;
mod hardware;
mod last_ticks;
mod legality;
mod links;
mod lint;
mod lockstep;
mod networks;
mod outputs;
mod programs;
mod readme;
mod report;
mod snapshots;
mod streams;
mod structure;
mod templates;
mod testbench;
mod uncertifiable;
