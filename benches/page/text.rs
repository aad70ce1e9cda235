//! The page, made of what was measured.

use std::fmt::Write as _;

use torusweave::check::Method;

use super::{GROWN, GROWTH, Measured, Row, Work};

pub fn page(rows: &[Row], measured: &[Measured]) -> String {
    let named = GROWTH.len() * GROWN.len() + GROWTH.len() - 1;
    let first = rows.len() - named;
    let is_built = |row: &Row| matches!(row.work, Work::Structure(_) | Work::Generate(_));
    let copy = measured[0].phases[0].1 / rows[0].nodes();
    let hash = measured[1].phases[0].1 / (1000.0 * rows[1].nodes());
    let mut text = String::from(
        "# How fast it is\n\n\
         `cargo bench --bench page` writes this page. Seconds are of one processor and differ between machines, and ratios differ \
         less. Checks are compared with a copy of 16 bytes per node (a register per output, in two dimensions), generated \
         files with the SHA-256 of the bytes written. Schemes with switching have `switching: memory`.\n\n\
         | what | seconds | peak MB | bytes per node | ratio | profile |\n|---|---|---|---|---|---|\n",
    );
    for (row, measured) in rows.iter().zip(measured).take(first).skip(2).filter(|(row, _)| is_built(row)) {
        let total: f64 = measured.phases.iter().map(|(_, seconds)| seconds).sum();
        let ratio = if measured.bytes > 0.0 {
            format!("{:.1} hashes of {:.0} MB", total / (hash * measured.bytes), measured.bytes / 1e6)
        } else {
            format!("{:.0} copies", total / (copy * row.nodes()))
        };
        // a search takes its time whatever the number of nodes
        let is_search = matches!(row.work, Work::Structure(scheme) if scheme.about().name == "optimal");
        let ratio = if is_search { "-".to_owned() } else { ratio };
        let shares = measured.phases.iter().map(|(name, seconds)| format!("{name} {:.0} %", 100.0 * seconds / total));
        let shares = shares.collect::<Vec<_>>().join(", ");
        let bytes = format!("{:.1}", measured.peak * 1_048_576.0 / row.nodes());
        let bytes = if row.nodes() < 1e6 { "-".to_owned() } else { bytes };
        let _ = writeln!(text, "| {} | {total:.2} | {:.0} | {bytes} | {ratio} | {shares} |", row.name(), measured.peak);
    }
    text += &played_tables(rows, measured);
    text += &others_tables(rows, measured);
    text += WHAT_IS_LEFT;
    text += "\n## Growth\n\nNanoseconds per node, and the exponent of the nodes from the second size to the last.\n\n| what |";
    for side in GROWTH {
        text += &format!(" {:.0e} |", f64::from(side * side));
    }
    text += " exponent |\n|---|";
    text += &"---|".repeat(GROWTH.len() + 1);
    for (index, (scheme, _)) in GROWN.iter().enumerate() {
        let group = first + index * GROWTH.len()..first + (index + 1) * GROWTH.len();
        for phase in ["construct", "check"] {
            text += &growth(&format!("{phase} {scheme}"), &rows[group.clone()], &measured[group.clone()], &[phase]);
        }
    }
    let group = first + GROWN.len() * GROWTH.len()..;
    text += &growth("generate staircase", &rows[group.clone()], &measured[group], &["RTL", "testbench"]);
    text + "\n"
}

/// The tables of complete checks, of the model and of lockstep.
fn played_tables(rows: &[Row], measured: &[Measured]) -> String {
    let mut text = String::from(
        "\n## Complete checks\n\nEvery packet is followed to every node. *Seconds* are of both cores together, *wall* is the time that passes. \
         `simulate` plays the model. Reductions combine words of 32 bits there, and every sum is compared.\n\n\
         | what | seconds | wall | peak MB | ns per link-tick |\n|---|---|---|---|---|\n",
    );
    let lines = || rows.iter().zip(measured);
    let mut executed = Vec::new();
    for (row, measured) in
        lines().filter(|(row, _)| matches!(row.work, Work::Complete(..) | Work::Asked(_) | Work::Played(_)))
    {
        let [check, wall, work] = ["check", "wall", "link-ticks"].map(|name| measured.phase(name));
        // the kernel tells the seconds of all threads in hundredths
        let each = if check < 0.05 { "-".to_owned() } else { format!("{:.1}", check * 1e9 / work) };
        let _ = writeln!(text, "| {} | {check:.2} | {wall:.2} | {:.0} | {each} |", row.name(), measured.peak);
        if matches!(row.work, Work::Complete(_, Method::Execution)) {
            executed.push((row.nodes(), check));
        }
    }
    let ((small, soon), (large, late)) = (executed[1], executed[executed.len() - 1]);
    let exponent = (late / soon).ln() / (large / small).ln();
    let _ = writeln!(text, "\nMoving every packet grows with the nodes to the power of {exponent:.2}.");
    text += "\n## The model\n\nRegisters moved per nanosecond, beside a copy of as many words and a plain interpreter \
             in the same run.\n\n| what | model | copy | of a copy | of the interpreter |\n|---|---|---|---|---|\n";
    for (row, measured) in lines().filter(|(row, _)| matches!(row.work, Work::Model(_))) {
        let [model, copy, plain] = ["model", "copy", "interpreter"].map(|name| 1.0 / measured.phase(name));
        let _ = writeln!(
            text,
            "| {} | {model:.2} | {copy:.2} | {:.2} | {:.0} times |",
            row.name(),
            model / copy,
            model / plain
        );
    }
    text += "\n## Lockstep\n\nSeconds of Verilator, the compiler and the run, for a new design and for one that was built \
             before.\n\n| what | first | again | registers compared |\n|---|---|---|---|\n";
    for (row, measured) in lines().filter(|(row, _)| matches!(row.work, Work::Lockstep(..))) {
        let [first, again, compared] = ["first", "again", "register-ticks"].map(|name| measured.phase(name));
        let _ = writeln!(text, "| {} | {first:.2} | {again:.2} | {compared:.1e} |", row.name());
    }
    text
}

/// The tables of searches and simulators of others.
fn others_tables(rows: &[Row], measured: &[Measured]) -> String {
    let lines = || rows.iter().zip(measured);
    let mut text = String::from(
        "\n## Beside searches\n\nGossip on a torus by a greedy search like TACOS's, written from its description, and by `optimal`, \
         whose trees are checked and need one table for all nodes.\n\n\
         | torus | greedy | steps | optimal | steps | times as fast |\n|---|---|---|---|---|---|\n",
    );
    for (row, it) in lines().filter(|(row, _)| matches!(row.work, Work::Greedy(_))) {
        let [other, ours] = ["other", "ours"].map(|name| it.phase(name));
        let [other_steps, our_steps] = ["other steps", "our steps"].map(|name| it.phase(name));
        let faster = other / ours;
        let _ = writeln!(
            text,
            "| {} | {other:.2e} s | {other_steps} | {ours:.2e} s | {our_steps} | {faster:.1} |",
            row.name()
        );
    }
    text += "\nTwo Hamiltonian cycles that share no link: cycles by chance (a path that grows, and Posa's rotations) until the links that \
             one leaves are another, and by `hamiltonian`, which has a formula.\n\n\
             | torus | by chance | cycles tried | hamiltonian |\n|---|---|---|---|\n";
    for (row, it) in lines().filter(|(row, _)| matches!(row.work, Work::Pairs(_))) {
        let [other, tried, ours] = ["other", "tried", "ours"].map(|name| it.phase(name));
        let found = if it.phase("found") > 0.0 { format!("{other:.2e} s") } else { format!("none in {other:.0} s") };
        let _ = writeln!(text, "| {} | {found} | {tried} | {ours:.2e} s |", row.name());
    }
    text += "\n## Beside simulators\n\nSeconds for the testbench of a `staircase`, which plays the program three times and a half, in \
             Icarus (compiling it, too) and in Verilator, and for the model, which plays it once.\n\n\
             | torus | Icarus | Verilator compiles | Verilator | model | registers and ticks |\n|---|---|---|---|---|---|\n";
    for (row, it) in lines().filter(|(row, _)| matches!(row.work, Work::Simulators)) {
        let [icarus, compiles, verilator, model, work] =
            ["icarus", "verilator compiles", "verilator", "model", "register-ticks"].map(|name| it.phase(name));
        let _ = writeln!(
            text,
            "| {} | {icarus:.2} | {compiles:.2} | {verilator:.2} | {model:.1e} | {work:.1e} |",
            row.name()
        );
    }
    text
}

/// A line of the growth table: nanoseconds a node in some phases, and the exponent from the second size to the last.
fn growth(what: &str, rows: &[Row], measured: &[Measured], phases: &[&str]) -> String {
    let taken = |measured: &Measured| -> f64 {
        let phases = measured.phases.iter().filter(|(name, _)| phases.contains(&name.as_str()));
        phases.map(|(_, seconds)| seconds).sum()
    };
    let mut cells: Vec<String> =
        rows.iter().zip(measured).map(|(row, it)| format!("{:.1}", taken(it) * 1e9 / row.nodes())).collect();
    cells.resize(GROWTH.len(), "-".to_owned());
    let last = rows.len() - 1;
    let exponent = (taken(&measured[last]) / taken(&measured[1])).ln() / (rows[last].nodes() / rows[1].nodes()).ln();
    format!("\n| {what} | {} | {exponent:.2} |", cells.join(" | "))
}

/// Findings of a profiler about the rows above; written by hand after a look at the code.
const WHAT_IS_LEFT: &str = "
## What takes the time

- **hamiltonian, both sides odd.** Labels have a closed form. One sweep over the links takes half of the time, and one walk along each
  cycle, with one bit per node, most of the rest.
- **hamiltonian, an even side.** A second sweep finds the silent direction of the last step. A third one, in the certificate, looks at
  every node's neighbours.
- **zigzag and staircase with supply.** A walk gives every node its places, 8 bytes per node and cycle, and each node has four windows.
  Both could be shared between two cores, and neither is yet.
- **check --exhaustive.** Half of the time moves flits, with a few loads and one store each. The other half sets one bit per node and
  flit; bits are read node by node every 32 ticks, by all cores. The time grows with the square of the nodes. Up to 10^8 link-ticks
  `check` moves all flits by default. It certifies larger networks by structure, so a slightly larger network is checked sooner.
  `--exhaustive` and `--streams` are complete at any size.
- **check --streams.** A step back costs more than a move. But it needs the memory of one node only, and all cores share the work.
- **The model.** Registers that all nodes handle alike, now or for three ticks, move as copies and masks. The rest is done node by node.
  Designs larger than the cache wait for memory; of `optimal` on 256x256 the delay line alone keeps more than a hundred planes of 1 MB.
- **Lockstep.** Verilator and the compiler take the time of a whole fabric. Headers, the run-time library and whole simulators are kept. From 256 nodes
  on each module is compiled once, and the run takes nearly all of the time: each instance has cache lines of its own.
- **Greedy and chance.** The greedy search grows with the cube of the nodes, the search by chance faster than any power.
- **optimal, 48x63 and 64x1000.** The beam search for the last steps of the tree takes the time. A third weighs steps; the rest looks up,
  sorts and copies states.
- **generate.** Names take the time, as every instance names its links. The hash of what is written takes a fifth. Testbenches have at most
  four million expected words, so the exponent is below 1.
";
