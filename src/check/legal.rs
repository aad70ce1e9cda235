//! The form of a program: every track fills it, every source exists.

use super::Violation;
use crate::net::{Channel, NodeId, Port, Ports};
use crate::program::{Class, Duplex, Message, Operand, Program, Source, Span, To, Track};

/// Everything that is malformed.
pub(super) fn violations(program: &Program) -> Vec<Violation> {
    let mut found = Vec::new();
    let packets = fewest_packets(program);
    for (class, outputs) in program.classes.iter().map(|class| &class.outputs).enumerate() {
        let class = class as u32;
        if program.lanes == 0 || outputs.len() != program.outputs() {
            found.push(Violation::Outputs { class, outputs: outputs.len() });
        }
        for (output, track) in outputs.iter().enumerate().take_while(|_| program.lanes > 0) {
            length(program, class, output, track, &mut found);
            parts(program, class, output, track, &mut found);
            sources(program, packets[class as usize], class, output, track, &mut found);
        }
    }
    let nodes = program.topology.nodes() as usize;
    let homeless = program.class_of.iter().position(|class| class.index() >= program.classes.len());
    let surplus = (program.class_of.len() != nodes).then(|| nodes.min(program.class_of.len()));
    if let Some(node) = homeless.or(surplus) {
        found.push(Violation::ClassMap { node: node as u32 });
    }
    if !program.windows.is_empty() && program.windows.len() != nodes {
        found.push(Violation::Windows { windows: program.windows.len() });
    }
    results(program, &mut found);
    if found.is_empty() && (program.duplex == Duplex::OneWay || !program.topology.has_every_link()) {
        outside(program, &mut found);
    }
    found
}

/// The packets that every node of a class has, for each class.
fn fewest_packets(program: &Program) -> Vec<u32> {
    let mut fewest = vec![program.demand.most_packets(); program.classes.len()];
    if !program.demand.is_gossip() {
        for (node, class) in program.topology.node_ids().zip(&program.class_of) {
            if let Some(fewest) = fewest.get_mut(class.index()) {
                *fewest = program.demand.packets_of(node).min(*fewest);
            }
        }
    }
    fewest
}

/// Returns true if anything ever comes in by a port, so that a one-way link leads there.
fn leads(program: &Program, node: NodeId, port: Port) -> bool {
    let Some(there) = program.topology.step(node, port) else { return false };
    let lanes = usize::from(program.lanes);
    let class = &program.classes[program.class_of[there.index()].index()];
    !class.outputs[port.opposite().index() * lanes..][..lanes].iter().all(Track::is_idle)
}

/// Outputs that drive, and inputs that are read, where no link is. Classes have been found well formed.
fn outside(program: &Program, found: &mut Vec<Violation>) {
    let topology = &program.topology;
    let inputs = |class: &Class| {
        let runs = class.outputs.iter().flat_map(|track| &track.runs);
        Ports::of(runs.flat_map(|run| run.source.inputs()).map(|input| input.port))
    };
    let read: Vec<Ports> = program.classes.iter().map(inputs).collect();
    for node in topology.node_ids() {
        let class = program.class_of[node.index()].index();
        for port in topology.port_ids() {
            let is_linked = topology.step(node, port).is_some();
            if is_linked && (program.duplex != Duplex::OneWay || leads(program, node, port)) {
                continue;
            }
            let lanes = usize::from(program.lanes);
            let outputs = &program.classes[class].outputs[port.index() * lanes..][..lanes];
            let sends = !is_linked && !outputs.iter().all(Track::is_idle);
            if sends || read[class].contains(port) {
                found.push(Violation::Outside { node: topology.coords(node), port: port.to_string() });
            }
        }
    }
}

/// Sums, and what else the parts of a reduction have in them.
fn parts(program: &Program, class: u32, output: usize, track: &Track, found: &mut Vec<Violation>) {
    let reduced = program.reduction.as_ref().map_or(0, |reduction| reduction.ticks);
    let silent = if program.reduction.is_some() { reduced.saturating_add(1) } else { 0 };
    let everywhere = program.combines_everywhere();
    let more = program.reduce_latency().saturating_sub(1);
    let is_empty =
        track.runs.iter().any(|run| run.ticks == 0) || track.repeat_from.is_some_and(|from| from >= track.runs.len());
    for Span { first, last, source } in track.spans(program.ticks).take_while(|_| !is_empty) {
        let fits = match source {
            Source::Idle => true,
            Source::Sum { .. } => last <= reduced,
            Source::In { .. } if everywhere => true,
            Source::Own { .. } | Source::In { .. } => first > silent,
            Source::Any { .. } => silent == 0,
        };
        if !fits {
            found.push(Violation::Part { class, port: program.output(output).to_string(), tick: first });
        } else if source.is_sum() && last > reduced.saturating_sub(more) && reduced < program.ticks {
            // for the last part its length tells
            found.push(Violation::Late { class, port: program.output(output).to_string() });
        }
    }
}

/// One list of results a class, and one result a packet of its nodes. All packets are as long.
fn results(program: &Program, found: &mut Vec<Violation>) {
    let Some(reduction) = &program.reduction else { return };
    let Program { topology, demand, .. } = program;
    let exists = |operand: Operand| operand.age > 0 && operand.port.index() < topology.ports();
    let is_whole = |message: &Message| message.to == To::All && message.flits == program.flits;
    let can_be = program.lanes == 1 && demand.messages().iter().all(is_whole);
    let classes = program.classes.len().max(reduction.results.len());
    let mut are_right: Vec<bool> = (0..classes)
        .map(|class| {
            let results = reduction.results.get(class).filter(|_| class < program.classes.len());
            can_be && results.is_some_and(|results| results.iter().all(|result| result.iter().all(exists)))
        })
        .collect();
    for (node, class) in topology.node_ids().zip(&program.class_of) {
        if let Some(results) = reduction.results.get(class.index()) {
            are_right[class.index()] &= results.len() == program.combined_packets(node) as usize;
        }
    }
    let wrong = (0..).zip(are_right).filter(|&(_, is_right)| !is_right);
    found.extend(wrong.map(|(class, _)| Violation::Results { class }));
}

fn length(program: &Program, class: u32, output: usize, track: &Track, found: &mut Vec<Violation>) {
    let repeats = track.repeat_from;
    if track.runs.iter().any(|run| run.ticks == 0) || repeats.is_some_and(|from| from >= track.runs.len()) {
        found.push(Violation::EmptyRun { class, port: program.output(output).to_string() });
    }
    let is_endless =
        repeats.is_some_and(|from| track.runs[from.min(track.runs.len())..].iter().all(|run| run.ticks == 0));
    let is_reduced = program.reduction.as_ref().is_some_and(|reduction| reduction.ticks >= program.ticks);
    let latency = if is_reduced { program.reduce_latency() } else { program.latency };
    if !is_endless && !track.ends_in_time(program.ticks, latency.saturating_sub(1)) {
        found.push(Violation::Late { class, port: program.output(output).to_string() });
    }
    let ticks = track.runs.iter().map(|run| u64::from(run.ticks)).sum();
    if repeats.is_none() && ticks != u64::from(program.ticks) {
        found.push(Violation::Length { class, port: program.output(output).to_string(), ticks });
    }
}

fn sources(program: &Program, packets: u32, class: u32, output: usize, track: &Track, found: &mut Vec<Violation>) {
    let port = || program.output(output).to_string();
    for run in &track.runs {
        match run.source {
            Source::Own { packet, through } if packet > through || through >= packets => {
                found.push(Violation::Packet { class, port: port(), packet: through });
            }
            source => {
                let exists =
                    |input: Channel| input.port.index() < program.topology.ports() && input.lane < program.lanes;
                let is_now = match source {
                    Source::Sum { operands } => operands.iter().any(|operand| operand.age == 0),
                    source => source.age() == Some(0),
                };
                if let Some(age) = source.age().filter(|_| is_now || !source.inputs().all(exists)) {
                    found.push(Violation::Input { class, port: port(), age });
                }
            }
        }
    }
    if let Some(packet) = track.inject.filter(|&packet| packet >= packets) {
        found.push(Violation::Packet { class, port: port(), packet });
    }
}
