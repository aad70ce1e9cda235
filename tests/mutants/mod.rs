//! Routers with a fault: what every check must catch.
#![allow(dead_code)] // each test file uses some of it

use torusweave::program::{Program, Run, Source};

/// The text with every occurrence of some words replaced, all at once, in the lines that begin with `start`.
pub fn replaced(text: &str, start: &str, words: &[(&str, &str)]) -> String {
    let swap = |line: &str| {
        let marked = words
            .iter()
            .enumerate()
            .fold(line.to_owned(), |line, (i, (from, _))| line.replace(from, &format!("@{i}@")));
        words.iter().enumerate().fold(marked, |line, (i, (_, to))| line.replace(&format!("@{i}@"), to))
    };
    let lines = text.split_inclusive('\n');
    lines.map(|line| if line.trim_start().starts_with(start) { swap(line) } else { line.to_owned() }).collect()
}

/// Every wrong source of every output of a router.
pub fn wrong_sources(router: &str) -> Vec<String> {
    let mut mutants = Vec::new();
    for output in ["t", "b", "l", "r"] {
        let lines = format!("{output}_out_");
        for sources in [&["t_in_", "b_in_", "l_in_", "r_in_"][..], &["own_0", "own_1"]] {
            for from in sources {
                mutants.extend(sources.iter().map(|to| replaced(router, &lines, &[(from, to)])));
            }
        }
    }
    mutants.retain(|mutant| mutant != router);
    mutants
}

/// Every wrong time of a program's switches and delay lines: one tick early or late, one tick shorter or longer.
pub fn wrong_times(program: &Program) -> Vec<(String, Program)> {
    let mut mutants = Vec::new();
    for (class, port) in
        (0..program.classes.len()).flat_map(|class| program.topology.port_ids().map(move |port| (class, port)))
    {
        let runs = &program.classes[class].outputs[port.index()].runs;
        let mut mutant = |what: String, change: &dyn Fn(&mut Vec<Run>)| {
            let mut mutant = program.clone();
            change(&mut mutant.classes[class].outputs[port.index()].runs);
            mutants.push((format!("class {class}, {port}: {what}"), mutant));
        };
        // the first run is the node's own packet, the last one ends with the program
        for switch in 1..runs.len().saturating_sub(1) {
            mutant("switch early".into(), &|runs| {
                runs[switch].ticks -= 1;
                runs[switch + 1].ticks += 1;
            });
            mutant("switch late".into(), &|runs| {
                runs[switch].ticks += 1;
                runs[switch + 1].ticks -= 1;
            });
        }
        for (index, run) in runs.iter().enumerate() {
            let Source::In { port, age } = run.source else { continue };
            for wrong in [age - 1, age + 1].into_iter().filter(|&wrong| age > 1 && wrong > 0) {
                mutant(format!("{wrong} ticks late, not {age}"), &|runs| {
                    runs[index].source = Source::In { port, age: wrong };
                });
            }
        }
    }
    mutants
}
