//! The page of the measured cells, and the published figures beside them.

use super::{COLLECTIVES, Cell, Measured, STATES};

/// Published figures: synthesiser, what was synthesised, figure, source and year.
const PUBLISHED: [[&str; 4]; 8] = [
    ["TACOS", "all-reduce, 128 NPUs of different speeds", "1.08 s", "Won et al., MICRO 2024, arXiv 2304.05301v3"],
    [
        "TACOS",
        "all-reduce, 512 NPUs of different speeds",
        "6.09 min",
        "Won et al., arXiv 2304.05301v2, first version 2023",
    ],
    ["TACOS", "40,000 NPUs", "2.52 h", "Won et al., MICRO 2024, arXiv 2304.05301v3"],
    ["PCCL", "all-to-all, 512 NPUs", "11.68 min", "Won et al., arXiv 2606.07019, 2026"],
    [
        "ForestColl",
        "all-gather, reduce-scatter, all-reduce on any network",
        "throughput at the optimum, in polynomial time",
        "Zhao et al., arXiv 2402.06787, 2024",
    ],
    [
        "TE-CCL",
        "all-gather and all-to-all by a multi-commodity flow",
        "schedules 2 times as fast as TACCL's, in as much time",
        "Liu et al., SIGCOMM 2024",
    ],
    ["SyCCL", "jobs at production scale", "tens of minutes", "Cao et al., SIGCOMM 2025"],
    [
        "TONS",
        "all-to-all on networks that it designs",
        "1.6 times the best TPU v4 or v5p torus (geometric mean)",
        "arXiv 2605.27963, 2026",
    ],
];

fn seconds(value: Option<f64>) -> Option<String> {
    value.map(|seconds| if seconds < 0.01 { "< 0.01".to_owned() } else { format!("{seconds:.2}") })
}

/// The page as Markdown.
pub fn page(cells: &[(Cell, Measured)], limit: u64) -> String {
    let mut lines = vec![
        "# Beside schedule synthesisers".to_owned(),
        String::new(),
        format!(
            "`cargo bench --bench synthesisers` writes this page. It is for everyone who compares ways to find a schedule. Each \
             row is a design by `scheme: auto`. *Steps* are those of one packet per link, *bound* is a lower bound for every \
             schedule, and *by* is its proof. *Seconds* are processor seconds to find the schedule, *checked* those to follow \
             every packet of it. A cell that takes more than {limit} processor seconds or 6 GB is stopped."
        ),
        String::new(),
        "| network | state | collective | scheme | steps | bound | by | ratio | seconds | checked |".to_owned(),
        "|---|---|---|---|---|---|---|---|---|---|".to_owned(),
    ];
    for (cell, measured) in cells {
        let (state, collective) = (STATES[cell.state], COLLECTIVES[cell.collective].0);
        let name = format!("| {} | {state} | {collective}", cell.network.name);
        let Some((steps, bound)) = measured.number("steps").zip(measured.number("bound")) else {
            let why = measured.get("refused").map_or_else(
                || format!("none within {limit} s and 6 GB"),
                |refusal| format!("refused: {}", refusal.replace('|', "/")),
            );
            lines.push(format!("{name} | {why} | - | - | - | - | - | - |"));
            continue;
        };
        let checked = seconds(measured.number("checked")).unwrap_or_else(|| format!("not within {limit} s"));
        lines.push(format!(
            "{name} | `{}` | {steps} | {bound} | {} | {:.3} | {} | {checked} |",
            measured.get("scheme").unwrap_or_default(),
            measured.get("reason").unwrap_or_default().replace('|', "/"),
            steps / bound,
            seconds(measured.number("seconds")).unwrap_or_default(),
        ));
    }
    lines.push(String::new());
    greedy(cells, limit, &mut lines);
    published(&mut lines);
    lines.join("\n") + "\n"
}

fn greedy(cells: &[(Cell, Measured)], limit: u64, lines: &mut Vec<String>) {
    lines.extend([
        "## A greedy, in the same process".to_owned(),
        String::new(),
        "All-gather of as many packets by a greedy written from TACOS's description: in each step every link, in an order by \
         chance, carries a packet by chance that its receiver lacks. Backwards it is a reduce-scatter. This is not TACOS, whose \
         program was not run here."
            .to_owned(),
        String::new(),
        "| network | state | packets per node | greedy steps | greedy ratio | greedy seconds | our ratio | our seconds |".to_owned(),
        "|---|---|---|---|---|---|---|---|".to_owned(),
    ]);
    for (cell, measured) in cells.iter().filter(|(cell, _)| cell.collective == 0) {
        let name = format!("| {} | {}", cell.network.name, STATES[cell.state]);
        let Some((steps, bound)) = measured.number("steps").zip(measured.number("bound")) else { continue };
        let packets = measured.get("packets").unwrap_or_default();
        let ours = format!("{:.3} | {}", steps / bound, seconds(measured.number("seconds")).unwrap_or_default());
        let theirs = measured.number("greedy").map_or_else(
            || format!("not within {limit} s | - | -"),
            |steps| {
                let taken = seconds(measured.number("greedy seconds")).unwrap_or_default();
                format!("{steps} | {:.3} | {taken}", steps / bound)
            },
        );
        lines.push(format!("{name} | {packets} | {theirs} | {ours} |"));
    }
    lines.push(String::new());
}

fn published(lines: &mut Vec<String>) {
    lines.extend([
        "## Published figures of others".to_owned(),
        String::new(),
        "From abstracts and papers, on the machines and networks of their authors. None was run here, so none stands beside \
         ours."
            .to_owned(),
        String::new(),
        "| synthesiser | what | figure | source |".to_owned(),
        "|---|---|---|---|".to_owned(),
    ]);
    lines.extend(PUBLISHED.map(|row| format!("| {} |", row.join(" | "))));
}
