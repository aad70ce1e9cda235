//! Tries all mutants that cargo-mutants lists for some files in one build of torusweave: less than an hour where one by one would
//! take days.
//!
//! Every mutant is written into a copy of the project, asleep; every test is run once, to see which mutants it reaches; then each
//! mutant is woken for the tests that reach it, those of its room first.

mod compile;
mod list;
mod marks;
mod reasons;
mod rewrite;
mod trial;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use torusweave::files::interrupt;
use trial::Fate;

/// The rooms where what is right is computed and judged.
const ROOMS: [&str; 6] = ["check", "play", "paths", "program", "netlist", "study"];

/// Changes every operator, guard and function body, one at a time, and says which changes no test notices.
#[derive(clap::Parser)]
struct Options {
    /// Seconds of tests that a mutant is given.
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Seconds after which a test is left out.
    #[arg(long, default_value_t = 25.0)]
    each: f64,
    /// Only those that lived the last time.
    #[arg(long)]
    again: bool,
    /// Files or patterns of files [default: the rooms that compute and judge]
    files: Vec<String>,
}

fn run() -> Result<(), String> {
    let mut options = Options::parse();
    if options.files.is_empty() {
        options.files = ROOMS.iter().flat_map(|room| [format!("src/{room}.rs"), format!("src/{room}/**")]).collect();
    }
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = project.join("target/mutants");
    fs::create_dir_all(&folder).map_err(compile::said("target/mutants"))?;

    let mutants = list::mutants(project, &options.files)?;
    let told: Vec<String> = mutants
        .iter()
        .map(|mutant| Ok(reasons::told(mutant, &fs::read_to_string(project.join(&mutant.file))?)))
        .collect::<Result<_, std::io::Error>>()
        .map_err(compile::said("what cargo-mutants lists"))?;
    let reasons = reasons::read(include_str!("reasons.txt"));

    let tree = compile::Tree::of(project, &folder.join("tree"), &mutants)?;
    let (standing, binaries) = tree.built()?;
    eprintln!("{} mutants, {} of them in one build", mutants.len(), standing.len());
    let survived = folder.join("survived.txt");
    let chosen: Vec<usize> = if options.again {
        let last = fs::read_to_string(&survived).map_err(compile::said("--again, but"))?;
        let last: BTreeSet<&str> = last.lines().collect();
        standing.into_iter().filter(|number| last.contains(told[*number].as_str())).collect()
    } else {
        standing.into_iter().collect()
    };

    let tests = trial::tests(&tree.folder, &binaries, Duration::from_secs_f64(options.each))?;
    eprintln!("{} tests", tests.len());
    let fates = trial::fates(&tree.folder, &tests, (&mutants, &chosen), options.seconds, |number, fate| {
        if !fate.is_caught() && !reasons.contains(told[number].as_str()) {
            println!("{}{}", told[number], if *fate == Fate::Unreached { " (no test reaches it)" } else { "" });
        }
    });

    let alive = chosen.iter().zip(&fates).filter(|(_, fate)| !fate.is_caught());
    let alive: BTreeSet<&str> = alive.map(|(number, _)| told[*number].as_str()).collect();
    let list: String = alive.iter().flat_map(|told| [told, "\n"]).collect();
    fs::write(&survived, list).map_err(compile::said("survived.txt"))?;
    for number in &chosen {
        let told = told[*number].as_str();
        if reasons.contains(told) && !alive.contains(told) {
            println!("has a reason to live, and is caught: {told}");
        }
    }

    println!("\n| room | tried | caught | endless | live, with a reason | live | caught of all |");
    println!("|------|------:|-------:|--------:|--------------------:|-----:|--------------:|");
    let mut rooms: BTreeMap<&str, Count> = BTreeMap::new();
    let mut all = Count::default();
    for (number, fate) in chosen.iter().zip(&fates) {
        let room = mutants[*number].file.trim_start_matches("src/").split(['/', '.']).next().unwrap_or_default();
        for count in [rooms.entry(room).or_default(), &mut all] {
            count.note(fate, reasons.contains(told[*number].as_str()));
        }
    }
    for (room, count) in &rooms {
        count.show(room);
    }
    all.show("all");
    Ok(())
}

#[derive(Default)]
struct Count {
    tried: usize,
    caught: usize,
    endless: usize,
    excused: usize,
    open: usize,
}

impl Count {
    fn note(&mut self, fate: &Fate, has_reason: bool) {
        self.tried += 1;
        match fate {
            Fate::Caught => self.caught += 1,
            Fate::Endless => self.endless += 1,
            _ if has_reason => self.excused += 1,
            _ => self.open += 1,
        }
    }

    fn show(&self, name: &str) {
        let Count { tried, caught, endless, excused, open } = self;
        let rate = 100.0 * (caught + endless) as f64 / *tried as f64;
        println!("| {name} | {tried} | {caught} | {endless} | {excused} | {open} | {rate:.1} % |");
    }
}

fn main() -> ExitCode {
    interrupt::listen();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
