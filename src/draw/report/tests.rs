//! Tests of the page's text without a browser; tests/all/report.rs has one.

use super::page;
use crate::check;
use crate::design::Design;
use crate::design::config::Config;
use crate::net::ShapeName;
use crate::study::clock::ModelDevice;

fn design(sides: &[u32]) -> Design {
    Design::new(Config::of(ShapeName::Torus, sides.to_vec())).unwrap()
}

fn page_of(design: &Design) -> String {
    page(design, &check::by_execution(&design.program), &[], "files")
}

#[test]
fn the_page_has_numbers_rules_pictures_and_files() {
    let design = design(&[6, 8]);
    let page = page_of(&design);
    for part in
        ["<dt>Steps</dt><dd>24</dd>", "checked: every packet was moved", "columns 0, 2, 4, 6 and 7 of every row"]
    {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("<a href=\"files/torus_6x8_router_a.v\">torus_6x8_router_a.v</a>"));
    assert_eq!(page.matches("<svg xmlns").count(), 4, "cycles, classes, space and time, progress; nobody is supplied");
    assert_eq!(page, page_of(&design), "the same design gives the same bytes");
}

#[test]
fn the_page_loads_nothing() {
    let page = page_of(&design(&[4, 4]));
    for attribute in ["src=", "url(", "@import", "fetch(", "<link"] {
        assert!(!page.contains(attribute), "{attribute}");
    }
    let addresses = page.matches("http").count();
    let names = page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count() + page.matches("<meta http-equiv").count();
    assert_eq!(addresses, names, "the only addresses are the names of namespaces");
}

/// `compare` says the same of the same width.
#[test]
fn the_page_says_what_it_takes() {
    let page = page_of(&design(&[4, 4]));
    let cells = crate::study::hardware::Hardware::of(&design(&[4, 4]).program, &design(&[4, 4]).netlist()).cells;
    assert!(page.contains(&format!("<dt>LUTs</dt><dd>{}</dd>", cells.luts)) && cells.luts > 16 * 32);
    assert!(page.contains(&format!("<dt>Flip-flops</dt><dd>{}</dd>", cells.flip_flops)));
    for (sides, device) in [([4, 4], ModelDevice::Hx8k), ([8, 8], ModelDevice::Ecp5x25k)] {
        let design = design(&sides);
        let clock = device.expected(&design.program, &design.netlist()).unwrap();
        let page = page_of(&design);
        let said = format!("<dt>Clock</dt><dd>{:.0} MHz</dd>", clock.fabric);
        assert!(page.contains(&said) && page.contains(&format!("expected of an {}: ", device.name())), "{sides:?}");
    }
    let config = "topology: { path: 5 }\ncollective: gather\nscheme: shoulder-tap\n";
    assert!(!page_of(&Design::new(Config::parse(config).unwrap()).unwrap()).contains("<dt>LUTs</dt>"));
}

#[test]
fn a_picture_that_cannot_be_drawn_says_why() {
    let page = page_of(&design(&[4, 4, 4, 4]));
    assert!(page.contains("Not shown: topology: pictures are drawn for 1, 2 and 3 axes; this network has 4"));
    assert!(page.contains("id=\"canvas\""), "the animation lays out any number of axes");
}

#[test]
fn a_wrong_design_says_so() {
    let mut design = design(&[4, 4]);
    design.program.classes[0].outputs[0].runs[1].source = crate::program::Source::Idle;
    let page = page_of(&design);
    assert!(page.contains("WRONG") && page.contains("What is wrong") && page.contains("lacks"));
}

/// Windows that differ from node to node cannot be followed without moving packets.
#[test]
fn a_design_that_is_not_checked_is_not_called_wrong() {
    let design = Design::new(Config::parse("topology: { torus: [4, 5] }\ncollective: gather\n").unwrap()).unwrap();
    let page = page(&design, &check::by_structure(&design.program), &[], "files");
    assert!(page.contains("NOT CHECKED") && page.contains("What stands in the way") && !page.contains("WRONG"));
}

#[test]
fn a_reduction_has_its_results_and_the_packets_of_its_gather_part() {
    let text = |collective: &str| {
        format!("topology: {{ torus: [4, 4] }}\nscheme: staircase\ncollective: {collective}\noperation: sum\n")
    };
    let page = |collective: &str| page_of(&Design::new(Config::parse(&text(collective)).unwrap()).unwrap());
    let [scatter, all] = [page("reduce-scatter"), page("all-reduce")];
    for part in ["<dt>Combines by</dt><dd>sum</dd>", "results after tick 8", "own with T and R, read after tick 8"] {
        assert!(scatter.contains(part) && all.contains(part), "{part}");
    }
    assert!(scatter.contains("an arrow is a partial") && scatter.contains("\"ticks\":8"));
    assert!(
        all.contains("After tick 9 the results are gathered") && all.contains("\"ticks\":17"),
        "both parts are played"
    );
    assert_eq!([&scatter, &all].map(|page| page.matches("<svg xmlns").count()), [2, 4]);
}

/// `check` says the same; what everybody wants is said as before.
#[test]
fn the_page_says_what_a_collective_is_to_achieve() {
    let page = |text: &str| page_of(&Design::new(Config::parse(&format!("topology: {text}\n")).unwrap()).unwrap());
    let on_a_torus = |rest: &str| page(&format!("{{ torus: [4, 5] }}\n{rest}"));
    let wanted = "until every node has what it wants";
    let fact =
        |label: &str, value: u32, note: &str| format!("<dt>{label}</dt><dd>{value}</dd><dd class=\"soft\">{note}</dd>");
    let scatter = on_a_torus("collective: scatter\nroot: [1, 2]\nlink: { flits: 3 }");
    let gather = on_a_torus("collective: gather");
    let exchange = on_a_torus("collective: exchange");
    assert!(scatter.contains(&fact("Messages", 19, "from node 1,2, 57 flits in all")));
    assert!(gather.contains(&fact("Messages", 19, "to node 0,0, 19 flits in all")));
    assert!(exchange.contains(&fact("Packets per node", 19, "380 in all")));
    for page in [&scatter, &gather, &exchange] {
        assert!(page.contains(wanted) && page.contains("How much of what it wants each node has"));
        assert!(page.contains("share of what each node wants that it has") && !page.contains("more it knows"));
    }
    let gossip = on_a_torus("");
    assert!(gossip.contains("until every node knows every packet") && !gossip.contains(wanted));
    assert!(gossip.contains("the brighter the more it knows;") && gossip.contains("share of the "));
}

#[test]
fn the_page_calls_routers_different_where_they_are() {
    let page = |text: &str| page_of(&Design::new(Config::parse(&format!("topology: {text}\n")).unwrap()).unwrap());
    let set = "of nodes that send alike, by 1 router<";
    assert!(page("{ torus: [4, 4] }").contains("routers that differ"));
    assert!(page("{ torus: [4, 4] }\ncrossbar: configurable").contains(set));
    let found_out = page("{ torus: [4, 5] }\ncollective: gather\nscheme: certification");
    assert!(!found_out.contains("routers that differ") && !found_out.contains("have the same router"));
    assert!(found_out.contains("of nodes that send alike, with these lengths"));
}
