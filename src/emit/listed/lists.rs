//! Descriptions of designs with several programs for other tools, and the constraints of their clock.

use askama::Template;

use crate::emit::bench::nodes;
use crate::emit::listed::component::Component;
use crate::emit::lists::{self, Beside, Constrained, Sources};
use crate::emit::node::{Bus, ListDesign, network};
use crate::emit::shared::files::DesignPart;
use crate::emit::shared::output::{FileType, OutputFile, paths_of};

#[derive(Template)]
#[template(path = "listed/constraints.xdc", escape = "none")]
struct Constraints {
    generated: String,
    top: String,
    clock: u32,
    clock_port: &'static str,
    /// period of the clock in nanoseconds
    period: String,
    is_uart: bool,
}

pub(in crate::emit) fn files<'d>(design: &'d ListDesign<'d>, parts: &[DesignPart]) -> Vec<OutputFile<'d>> {
    let is_axi = design.bus == Bus::AxiLite;
    let benches = nodes::files(design).into_iter().filter(|_| parts.contains(&DesignPart::Testbench));
    let benches: Vec<OutputFile> = benches.collect();
    let boards = network::file(design).filter(|_| parts.contains(&DesignPart::Testbench));
    let sources = Sources {
        name: design.name.to_owned(),
        description: design.headline(),
        generated: design.notes().concat(),
        whole: design.top(),
        rtl: if parts.contains(&DesignPart::Rtl) { paths_of(FileType::Rtl, &design.synthesised()) } else { Vec::new() },
        bench: (!benches.is_empty()).then(|| design.module("tb")),
        testbenches: paths_of(FileType::Testbench, &benches).into_iter().chain(boards.map(|file| file.path)).collect(),
        host: Some(Constrained { is_axi }),
        data: paths_of(FileType::Data, &benches),
        beside: Beside::default(),
    };
    let constraints = move || Constraints {
        generated: design.notes().concat(),
        top: design.top(),
        clock: design.clock,
        clock_port: if is_axi { "aclk" } else { "clk" },
        period: format!("{:.3}", 1e9 / f64::from(design.clock)),
        is_uart: design.bus == Bus::Uart,
    };
    let mut files: Vec<OutputFile> = lists::packages(sources.clone()).into();
    files.push(OutputFile::of(format!("{}.xdc", design.name), FileType::List, constraints));
    if Component::is_due(design) {
        let component = move || Component::new(design, sources.clone());
        files.push(OutputFile::of("component.xml".to_owned(), FileType::List, component));
    }
    files
}
