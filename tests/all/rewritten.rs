//! Programs rewritten for longer packets, longer links, wires that turn, or in parts: what is sent is the same, at other times.

use torusweave::net::{Channel, NodeId, Port, Ports, ShapeName, Topology};
use torusweave::play::Payloads;
use torusweave::program::{
    Class, Demand, Duplex, Message, Program, ProgramBuilder, Run, Sender, Source, Title, To, Track, Window,
};
use torusweave::transform::with_silence;

use crate::fixtures::by_chance;
use crate::fixtures::by_hand::{LEFT, RIGHT, joined, track};
use crate::fixtures::chance::Chance;
use crate::fixtures::{combined, interpreter};

/// Programs by chance on short links.
fn any(seeds: u32) -> impl Iterator<Item = Program> {
    (0..seeds).map(|seed| by_chance::program(&mut Chance(seed))).filter(|program| program.latency == 1)
}

/// Programs of one-flit packets.
fn short(seeds: u32) -> impl Iterator<Item = Program> {
    any(seeds).map(|program| {
        let message = |message: &Message| Message { flits: 1, ..message.clone() };
        let messages = program.demand.messages().iter().map(message).collect();
        Program { demand: Demand::new(&program.topology, messages), flits: 1, ..program }
    })
}

fn sources(program: &Program) -> impl Iterator<Item = Source> + '_ {
    let tracks = program.classes.iter().flat_map(|class| &class.outputs);
    tracks.flat_map(|track| track.runs.iter().map(|run| run.source))
}

fn joins(program: &Program) -> bool {
    sources(program).any(|source| matches!(source, Source::Any { .. }))
}

#[test]
fn a_stretched_program_sends_the_flits_of_each_packet_where_one_was_sent() {
    let mut stretched = 0;
    for (program, flits) in short(300).flat_map(|program| [2, 3].map(|flits| (program.clone(), flits))) {
        let Some(long) = program.stretched(flits) else {
            assert!(joins(&program), "{program:?}");
            continue;
        };
        assert!(!joins(&program));
        assert_eq!((long.ticks, long.flits, long.steps()), (program.ticks * flits, flits, program.ticks));
        let expected = interpreter::play(&program, program.ticks).into_iter().flat_map(|sent| {
            (0..flits).map(move |flit| sent.iter().map(|sent| sent.map(|packet| packet * flits + flit)).collect())
        });
        let found: Vec<Vec<Option<u32>>> = interpreter::play(&long, long.ticks);
        assert!(found.into_iter().eq::<Vec<Vec<_>>>(expected.collect()), "{program:?}");
        assert!(long.unstretched() == Some(program.clone()));
        assert!(long.stretched(2).is_none() && program.stretched(u32::MAX).is_none());
        let longer = Program { ticks: long.ticks + 1, ..long };
        assert!(longer.unstretched().is_none());
        stretched += 1;
    }
    assert!(stretched > 100, "{stretched}");
}

#[test]
fn on_long_links_the_same_is_sent_in_every_tick() {
    let mut longer = 0;
    for (mut program, latency) in any(300).flat_map(|program| [1, 2, 3].map(|latency| (program.clone(), latency))) {
        if program.windows.is_empty() {
            // so that most are old enough
            for run in program.classes.iter_mut().flat_map(|class| &mut class.outputs).flat_map(|track| &mut track.runs)
            {
                if let Source::In { age, .. } = &mut run.source {
                    *age += 2;
                }
            }
        }
        let youngest = sources(&program).filter_map(Source::age).min().unwrap_or(u32::MAX);
        let Some(long) = program.on_links_of_latency(latency) else {
            assert!(youngest < latency, "{program:?}");
            continue;
        };
        assert_eq!((long.ticks, long.latency), (program.ticks + latency - 1, latency));
        let found = interpreter::play(&long, long.ticks);
        // a window that opens in the last ticks does so here, too
        let ticks = program.ticks as usize;
        assert_eq!(found[..ticks], interpreter::play(&program, program.ticks), "{program:?}");
        if latency == 1 {
            assert!(long == program);
            continue;
        }
        let idle = |track: &Track| (program.ticks + 1..=long.ticks).all(|tick| track.source_at(tick) == Source::Idle);
        assert!(long.classes.iter().flat_map(|class| &class.outputs).all(idle));
        let alike = |pair: &[Run]| pair[0].source == pair[1].source && !matches!(pair[0].source, Source::Own { .. });
        let mut tracks = long.classes.iter().flat_map(|class| &class.outputs);
        assert!(!tracks.any(|track| track.runs.windows(2).any(alike)), "{long:?}");
        let back = long.on_short_links().unwrap();
        assert_eq!((back.ticks, back.latency), (program.ticks, 1));
        assert_eq!(interpreter::play(&back, back.ticks), found[..ticks], "{program:?}");
        assert!(long.on_links_of_latency(2).is_none() && Program { flits: 1, ..long.clone() }.stretched(2).is_none());
        assert!(program.on_links_of_latency(0).is_none() && program.on_links_of_latency(u32::MAX).is_none());
        // flits sent in the last tick are then still on their way
        let cut = Program { ticks: long.ticks - 1, ..long };
        let sends = |track: &Track| track.source_at(program.ticks) != Source::Idle;
        let is_late = program.classes.iter().flat_map(|class| &class.outputs).any(sends);
        assert_eq!(cut.on_short_links().is_none(), is_late, "{program:?}");
        longer += 1;
    }
    assert!(longer > 30, "{longer}");
}

#[test]
fn with_silence_every_other_tick_is_silent_and_the_rest_the_same() {
    let mut silenced = 0;
    for program in short(600).filter(|program| program.windows.is_empty()) {
        let in_a_row = |source| matches!(source, Source::Own { packet, through } if packet != through);
        let Some(silent) = program.with_silence() else {
            assert!(joins(&program) || sources(&program).any(in_a_row), "{program:?}");
            continue;
        };
        assert!(!joins(&program) && !sources(&program).any(in_a_row));
        assert_eq!(Some(silent.ticks), with_silence(program.ticks));
        let expected = interpreter::play(&program, program.ticks);
        for (at, found) in interpreter::play(&silent, silent.ticks).into_iter().enumerate() {
            if at % 2 == 1 {
                assert!(found.iter().all(Option::is_none), "{program:?}, tick {}", at + 1);
            } else {
                assert!(found == expected[at / 2], "{program:?}, tick {}", at + 1);
            }
        }
        silenced += 1;
    }
    assert!(silenced > 50, "{silenced}");
    assert_eq!([0, 1, 2, 7].map(with_silence), [Some(0), Some(1), Some(3), Some(13)]);
    assert_eq!(with_silence(u32::MAX / 2 + 1), None);
}

/// The flits without their values.
fn flits(sent: &[Vec<Option<combined::Word>>]) -> Vec<Vec<Option<u32>>> {
    sent.iter().map(|now| now.iter().map(|word| word.map(|(flit, _)| flit)).collect()).collect()
}

fn sent(program: &Program) -> Vec<Vec<Option<combined::Word>>> {
    combined::play(program, Payloads { width: 32, seed: 1 }).sent
}

/// Reductions by chance that are silent between their parts.
fn reductions() -> impl Iterator<Item = Program> {
    let programs = (0..300).map(|seed| by_chance::reduction(&mut Chance(seed)));
    programs.map(|mut program| {
        let reduce = program.reduction.as_ref().unwrap().ticks;
        if reduce < program.ticks {
            silence(&mut program, reduce + 1);
        }
        program
    })
}

/// Puts an idle run where one of one tick begins.
fn silence(program: &mut Program, tick: u32) {
    for track in program.classes.iter_mut().flat_map(|class| &mut class.outputs) {
        let mut first = 1;
        for run in &mut track.runs {
            if first == tick {
                assert_eq!(run.ticks, 1);
                run.source = Source::Idle;
            }
            first += run.ticks;
        }
    }
}

#[test]
fn a_reduction_is_its_parts_one_after_the_other() {
    let mut two = 0;
    for program in reductions() {
        let whole = sent(&program);
        let reduce = program.reduce_part().unwrap();
        let ticks = program.reduction.as_ref().unwrap().ticks;
        assert_eq!((reduce.ticks, reduce.collective()), (ticks, "reduce-scatter"));
        assert!(sent(&reduce) == whole[..ticks as usize]);
        let Some([first, gather]) = program.parts() else {
            assert_eq!((ticks, program.collective()), (program.ticks, "reduce-scatter"));
            assert!(program.gather_part().is_none());
            continue;
        };
        two += 1;
        assert!(first == reduce && program.gather_part().as_ref() == Some(&gather));
        assert_eq!((gather.ticks, gather.collective()), (program.ticks - ticks - 1, "gossip"));
        assert_eq!(program.collective(), "all-reduce");
        let joined = reduce.followed_by(&gather).unwrap();
        assert_eq!((joined.ticks, &joined.reduction), (program.ticks, &program.reduction));
        assert!(sent(&joined) == whole, "{program:?}");
        let idle = |pair: &[Run]| pair.iter().all(|run| run.source == Source::Idle);
        let is_idle = |program: &Program, class: usize, output: usize| {
            program.classes[class].outputs[output].runs.windows(2).any(idle)
        };
        for (class, of) in program.classes.iter().enumerate() {
            for output in 0..of.outputs.len() {
                let before = is_idle(&first, class, output) || is_idle(&gather, class, output);
                assert!(before || !is_idle(&joined, class, output), "silence is one run: {joined:?}");
            }
        }
        // a gossip by itself brings the same packets, if nothing is on its way before it
        let alone = interpreter::play(&gather, gather.ticks);
        assert!(program.latency > 1 || alone == flits(&whole[ticks as usize + 1..]), "{program:?}");
        assert!(gather.followed_by(&reduce).is_none(), "what combines comes first");
    }
    assert!(two > 50, "{two}");
}

#[test]
fn a_stretched_reduction_combines_flit_by_flit() {
    let mut stretched = 0;
    for program in reductions().filter(|program| program.flits == 1 && program.latency == 1) {
        let long = program.stretched(3).unwrap();
        let reduce = program.reduction.as_ref().unwrap().ticks;
        let expected = (1..).zip(flits(&sent(&program))).flat_map(|(tick, now)| {
            let flits = if tick == reduce + 1 { 1 } else { 3 };
            (0..flits).map(move |flit| now.iter().map(|sent| sent.map(|packet| 3 * packet + flit)).collect::<Vec<_>>())
        });
        assert!(flits(&sent(&long)).into_iter().eq(expected), "{program:?}");
        let back = long.unstretched().unwrap();
        assert_eq!((back.ticks, back.flits), (program.ticks, 1));
        assert!(sent(&back) == sent(&program));
        stretched += 1;
    }
    assert!(stretched > 20, "{stretched}");
}

#[test]
fn joined_inputs_are_neither_stretched_nor_made_late() {
    let program = joined(3);
    assert!(program.stretched(1).is_some() && program.on_links_of_latency(1).is_some());
    assert!(program.stretched(2).is_none() && program.with_silence().is_none());
    assert!(program.on_links_of_latency(2).is_none());
}

/// A path of four on which the nodes but the first send to the left in windows of their own.
fn in_windows() -> Program {
    let path = Topology::new(ShapeName::Path, &[4]).unwrap();
    let message = |node| Message { from: Sender::Node(NodeId(node)), to: To::Node(NodeId(0)), flits: 1 };
    let mut builder = ProgramBuilder::new(&path, 3, Demand::new(&path, [1, 2, 3].map(message).to_vec()));
    for node in 1..4 {
        let last = if node < 3 { Source::input(RIGHT, 1) } else { Source::Idle };
        let on = builder.injecting_track(0, &[], last);
        builder.set(NodeId(node), LEFT, on);
    }
    builder.set_windows([0, 1, 1, 1].map(|ticks| Window { first: 1, ticks }).to_vec());
    builder.finish(Title::new("windows_4", "by hand"))
}

#[test]
fn windows_open_for_each_flit_of_a_stretched_packet() {
    let program = Program {
        windows: [(0, 0), (1, 1), (2, 1), (3, 1)].map(|(first, ticks)| Window { first, ticks }).into(),
        ..in_windows()
    };
    let long = program.stretched(3).unwrap();
    let windows: Vec<_> = long.windows.iter().map(|window| (window.first, window.ticks)).collect();
    assert_eq!(windows, [(1, 0), (1, 3), (4, 3), (7, 3)]);
    let open = |tick| long.window(NodeId(2)).open(tick);
    assert_eq!([3, 4, 5, 6, 7].map(open), [None, Some(0), Some(1), Some(2), None]);
}

#[test]
fn one_way_links_have_wires_only_where_flits_arrive() {
    let cycle = Topology::new(ShapeName::Cycle, &[4]).unwrap();
    let outputs = vec![track(&[(Source::Idle, 3)]), track(&[(Source::own(0), 1), (Source::input(LEFT, 1), 2)])];
    let program = Program::uniform(&cycle, 3, Demand::gossip(&cycle, 1), outputs, Title::new("t", "by hand"));
    let wired = |program: &Program, node| program.inputs(NodeId(node)).map(|input| input.port).collect::<Vec<_>>();
    assert_eq!(wired(&program, 0), [LEFT, RIGHT]);
    let one_way = Program { duplex: Duplex::OneWay, ..program };
    assert_eq!(wired(&one_way, 0), [LEFT]);
    let path = Topology::new(ShapeName::Path, &[3]).unwrap();
    let on_path = Program { topology: path, ..one_way };
    assert_eq!([0, 1].map(|node| wired(&on_path, node)), [vec![], vec![LEFT]], "nothing comes in at the end");
}

/// A class with these sources on its first output, each for a tick.
fn class(sources: &[Source]) -> Class {
    let runs = sources.iter().map(|&source| Run { source, ticks: 1 }).collect();
    Class {
        outputs: vec![Track { runs, repeat_from: None, inject: None }, track(&[(Source::Idle, sources.len() as u32)])],
    }
}

#[test]
fn a_class_is_time_independent_if_nothing_changes_after_the_first_packet() {
    let (own, on, other) = (Source::own(0), Source::input(LEFT, 1), Source::input(RIGHT, 1));
    let is = |sources: &[Source], flits| class(sources).is_time_independent(sources.len() as u32, flits);
    assert!(is(&[own, on, on, on], 1) && is(&[own, own, on, on], 2));
    assert!(!is(&[own, own, on, on], 1) && !is(&[own, on, other], 1) && !is(&[own, on, Source::Idle], 1));
    assert!(is(&[own, other, on], 2), "what is left is one tick");
    let ages = [Source::input(LEFT, 4), Source::Any { ports: Ports::of([Port::minus(0)]) }, own];
    assert_eq!((class(&ages).depth(), class(&ages[1..]).depth(), class(&[own]).depth()), (4, 1, 0));
    let inputs: Vec<Channel> = Source::Any { ports: Ports::of([RIGHT, LEFT]) }.inputs().collect();
    assert_eq!(inputs, [LEFT, RIGHT].map(Channel::first));
}
