//! The numbers a design is judged by.

use crate::check::{CheckReport, Method};
use crate::design::{Design, support};
use crate::program::{Link, Program, count};
use crate::study::clock::ModelDevice;
use crate::study::hardware::{Hardware, ModuleCells};

/// One number with what it means.
pub(super) struct Fact {
    pub(super) label: &'static str,
    pub(super) value: String,
    pub(super) note: String,
}

/// Verdict of the check in one word.
pub(super) struct ReportVerdict {
    pub(super) word: &'static str,
    pub(super) class: &'static str,
    /// Heading above the violations.
    pub(super) heading: &'static str,
}

impl ReportVerdict {
    pub(super) fn of(report: &CheckReport) -> Self {
        let (word, class, heading) = match (report.passed(), report.method) {
            (true, Method::Execution) => ("checked: every packet was moved", "fine", ""),
            (true, Method::Streams | Method::Structure) => ("checked: every stream was followed", "fine", ""),
            (false, _) if report.is_undecided() => ("NOT CHECKED", "wrong", "What stands in the way"),
            (false, _) => ("WRONG", "wrong", "What is wrong"),
        };
        Self { word, class, heading }
    }
}

pub(super) fn facts(design: &Design, report: &CheckReport) -> Vec<Fact> {
    let program = &design.program;
    let topology = &program.topology;
    let (nodes, bound) = (topology.live_nodes(), design.bound());
    let mut facts = Vec::new();
    let mut fact = |label, value: String, note: String| facts.push(Fact { label, value, note });
    fact("Nodes", nodes.to_string(), format!("{}, {} links", topology.describe(), topology.links()));
    fact("Scheme", program.title.scheme.clone(), program.collective().to_owned());
    if let Some(reduction) = &program.reduction {
        fact("Combines by", reduction.operation.to_string(), format!("results after tick {}", reduction.ticks));
    }
    let (label, value, note) = carried(design);
    fact(label, value, note);
    if program.link() != Link::default() {
        let turns = report
            .traffic
            .map_or(String::new(), |traffic| format!("{} turns of the one that turns most", traffic.turns));
        fact("Links", program.link().describe(), turns);
    }
    let steps = report.steps.map_or("none".to_owned(), |steps| steps.to_string());
    fact("Steps", steps, format!("until {}", program.achieved()));
    fact("Lower bound", bound.ticks.to_string(), format!("ticks: {}", bound.due_to));
    if let Some(ratio) = bound.ratio(report.complete_at) {
        fact("Ratio", format!("{ratio:.3}"), "ticks to the lower bound".to_owned());
    }
    if program.flits > 1 {
        fact("Ticks", program.ticks.to_string(), format!("{} flits per packet", program.flits));
    }
    if let Some((duplicates, link)) = report.duplicates.zip(report.link_use) {
        fact("Duplicates", duplicates.to_string(), format!("of {} arrivals", link.sum));
    }
    if let Some(link) = report.link_use {
        let least_and_most = format!("ticks of {}; least {}, most {}", program.ticks, link.min, link.max);
        fact("Link use", format!("{:.1}", link.mean), least_and_most);
    }
    fact("Classes", program.classes.len().to_string(), classes(design));
    // state machines of protocols are not counted, and routers of a list serve all its programs
    if design.protocol().is_none() && design.listed.is_none() {
        let ModuleCells { flip_flops, luts, .. } = Hardware::of(program, &design.netlist()).cells;
        let width = design.config.width();
        fact("LUTs", luts.to_string(), format!("of four inputs, links {width} bits wide; estimated"));
        fact(
            "Flip-flops",
            flip_flops.to_string(),
            "of the whole fabric, module by module; flattened, equal ones of nodes merge".to_owned(),
        );
        let fits = |device: ModelDevice| Some((device, device.expected(program, &design.netlist())?));
        if let (None, Some((device, clock))) = (support::unclocked(design), ModelDevice::ALL.into_iter().find_map(fits))
        {
            let time = clock.time(program.ticks.into());
            fact(
                "Clock",
                format!("{:.0} MHz", clock.fabric),
                format!("expected of an {}: {time:.0} ns for all ticks", device.name()),
            );
        }
    }
    facts
}

/// Data that is carried: messages to or from a root, packets, or results.
fn carried(design: &Design) -> (&'static str, String, String) {
    let Program { demand, topology, .. } = &design.program;
    let (packets, all) = (design.program.packets().to_string(), demand.packets());
    match design.root() {
        Some(root) => {
            let way = if matches!(design.program.collective(), "gather" | "reduce") { "to" } else { "from" };
            let flits = count(demand.flits(), "flit");
            ("Messages", all.to_string(), format!("{way} node {}, {flits} in all", topology.show(root)))
        }
        None if design.program.reduction.is_some() => {
            ("Results per node", packets, format!("{all} in all, of a value of every node each"))
        }
        None => ("Packets per node", packets, format!("{all} in all")),
    }
}

/// Describes in words the differences between nodes of two classes.
fn classes(design: &Design) -> String {
    if design.protocol().is_some() {
        return "of nodes that send alike, with these lengths; their state machines find out when".to_owned();
    }
    if design.listed.is_some() {
        return "of nodes that send alike; all have the router of the list".to_owned();
    }
    let netlist = design.netlist();
    let routers = netlist.driven().filter(|&(class, _)| netlist.module_of(class) == class).count();
    match routers {
        routers if routers == design.program.classes.len() => "routers that differ".to_owned(),
        routers => format!("of nodes that send alike, by {}", count(routers as u64, "router")),
    }
}
