//! Speed of the model, the checks, the constructions and the emitter.

use std::convert::Infallible;
use std::hint::black_box;
use std::io::{self, Write};
use std::time::Duration;

use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use torusweave::check;
use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::emit::{self, Files};
use torusweave::net::{ShapeName, Torus};
use torusweave::paths::supply::Switching;
use torusweave::play::{Machine, Moments, Notes};
use torusweave::program::{Link, Program};
use torusweave::schedule::{ScheduleCsv, ScheduleTask};
use torusweave::schemes::{
    SchemeName, hamiltonian::Hamiltonian, optimal::Optimal, staircase::Staircase, zigzag::Zigzag,
};
use torusweave::task::{Choice, Collective, CollectiveTraffic, Scheme, Task};

fn program(sides: &[u32], scheme: impl Into<SchemeName>) -> Program {
    let torus = Torus::new(sides).unwrap();
    let task = Task {
        topology: &torus,
        link: Link::default(),
        choice: Choice { switching: Switching::Memory, ..Choice::default() },
    };
    scheme.into().build(&task, "bench").unwrap().program
}

fn group<'c>(criterion: &'c mut Criterion, name: &str) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    group
}

/// A program's name and size.
fn label(program: &Program) -> String {
    format!("{} {}", program.title.scheme, program.topology)
}

/// Link-ticks per second.
fn model(criterion: &mut Criterion) {
    let mut group = group(criterion, "model");
    for program in [
        program(&[64, 64], &Staircase),
        program(&[64, 64], &Optimal),
        program(&[64, 63], &Zigzag),
        program(&[9, 9, 8], &Zigzag),
    ] {
        group.throughput(Throughput::Elements(program.link_ticks()));
        group.bench_function(label(&program), |bencher| {
            bencher.iter(|| {
                let mut machine = Machine::new(&program);
                while !machine.is_done() {
                    machine.step();
                }
                machine.register(0)
            });
        });
    }
}

/// Arrivals a second, each noted: what `simulate` does.
fn notes(criterion: &mut Criterion) {
    let mut group = group(criterion, "notes");
    let program = program(&[128, 128], &Staircase);
    group.throughput(Throughput::Elements(program.link_ticks()));
    group.bench_function(label(&program), |bencher| {
        bencher.iter(|| {
            let (mut machine, mut notes) = (Machine::new(&program), Notes::new(&program));
            while !machine.is_done() {
                machine.step();
                notes.tick(&machine);
            }
            notes.finish()
        });
    });
}

/// Compares the arrivals of the last tick computed directly with those after playing all ticks.
fn moments(criterion: &mut Criterion) {
    let mut group = group(criterion, "last tick");
    for program in [program(&[64, 64], &Staircase), program(&[64, 63], &Zigzag), program(&[64, 64], &Optimal)] {
        group.throughput(Throughput::Elements(program.topology.links()));
        group.bench_function(format!("of {} directly", label(&program)), |bencher| {
            bencher.iter(|| {
                let moments = Moments::of(&program).unwrap();
                let mut arrived = 0u64;
                let Ok(()) = moments.arrivals(program.ticks, |flit| -> Result<(), Infallible> {
                    arrived += u64::from(flit.is_some());
                    Ok(())
                });
                arrived
            });
        });
        group.bench_function(format!("of {} played", label(&program)), |bencher| {
            bencher.iter(|| {
                let mut machine = Machine::new(&program);
                while !machine.is_done() {
                    machine.step();
                }
                machine.arrivals().count()
            });
        });
    }
}

/// Link-ticks a second by execution, links a second by structure; and links copied a second, to compare with.
fn checks(criterion: &mut Criterion) {
    let mut group = group(criterion, "check");
    let small = program(&[16, 16], &Staircase);
    group.throughput(Throughput::Elements(small.link_ticks()));
    group.bench_function(format!("execution of {}", label(&small)), |bencher| {
        bencher.iter(|| check::by_execution(&small));
    });
    group.bench_function(format!("streams of {}", label(&small)), |bencher| {
        bencher.iter(|| check::by_streams(&small));
    });
    for large in
        [program(&[1000, 1001], &Hamiltonian), program(&[1000, 1001], &Zigzag), program(&[1000, 1001], &Staircase)]
    {
        group.throughput(Throughput::Elements(large.topology.links()));
        group.bench_function(format!("structure of {}", label(&large)), |bencher| {
            bencher.iter(|| check::by_structure(&large));
        });
    }
    let from = vec![1u32; 4 * 1000 * 1001];
    let mut to = from.clone();
    group.throughput(Throughput::Elements(from.len() as u64));
    group.bench_function("copy of as many registers", |bencher| bencher.iter(|| to.copy_from_slice(black_box(&from))));
}

/// Nodes a second.
fn construct(criterion: &mut Criterion) {
    let mut group = group(criterion, "construct");
    let designs: [(&[u32], &dyn Scheme); 4] =
        [(&[1000, 1001], &Hamiltonian), (&[100, 101], &Zigzag), (&[9, 9, 10], &Zigzag), (&[1000, 1000], &Optimal)];
    for (sides, scheme) in designs {
        let nodes: u32 = sides.iter().product();
        group.throughput(Throughput::Elements(nodes.into()));
        group.bench_function(format!("{scheme} {}", Torus::new(sides).unwrap()), |bencher| {
            bencher.iter(|| program(black_box(sides), scheme));
        });
    }
}

/// Counts what is written and forgets it.
#[derive(Default)]
struct Sink(u64);

impl Files for Sink {
    fn file(&mut self, _: &str) -> io::Result<Box<dyn Write + '_>> {
        Ok(Box::new(self))
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes of RTL a second.
fn emit(criterion: &mut Criterion) {
    let design = Design::new(Config::of(ShapeName::Torus, vec![64, 64])).unwrap();
    let written = |sink: &mut Sink| emit::write_rtl(&design.program, &design.options(), sink).unwrap();
    let mut sink = Sink::default();
    written(&mut sink);
    let mut group = group(criterion, "emit");
    group.throughput(Throughput::Bytes(sink.0));
    group.bench_function(format!("RTL of {}", label(&design.program)), |bencher| {
        bencher.iter(|| written(&mut Sink::default()));
    });
}

/// Sends per second, from lines into a program.
fn schedules(criterion: &mut Criterion) {
    let program = program(&[32, 32], &Optimal);
    let text = ScheduleCsv::of(&program, Collective::Gossip, None).to_string();
    let traffic = CollectiveTraffic::default();
    let (topology, link) = (&program.topology, Link::default());
    let task = ScheduleTask { topology, traffic: &traffic, link, flits: 1, reduction: None, name: "bench" };
    let mut group = group(criterion, "schedules");
    group.throughput(Throughput::Elements(text.lines().count() as u64 - 1));
    group.bench_function(format!("read of {}", label(&program)), |bencher| bencher.iter(|| task.read(&text).unwrap()));
}

criterion_group!(benches, model, notes, moments, checks, construct, emit, schedules);
criterion_main!(benches);
