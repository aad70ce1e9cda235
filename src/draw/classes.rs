//! The class of every node as a map, with each class's rule in the legend.

use super::panels::{self, LegendSample, Map};
use super::svg::{P, Svg};
use super::{DrawError, fits, palette};
use crate::net::NodeId;
use crate::program::{ClassId, Program};
use crate::study::region::regions;

pub const MOST_NODES: u32 = 65_536;
/// Least width of the legend, in pixels.
const NARROWEST: f64 = 420.0;

/// The class of every node, by colour and, where there is room, by name.
pub fn classes(program: &Program) -> Result<String, DrawError> {
    const MOST_NAMED: usize = 40;
    let topology = &program.topology;
    fits(topology, MOST_NODES)?;
    let map = Map::new(topology, 840.0)?;
    let mut svg = Svg::new();
    let title = format!("{}, {}", topology.describe(), program.title.scheme);
    let subtitle = match program.classes.len() {
        1 => "one class: all nodes behave alike".to_owned(),
        classes => format!("{classes} classes of nodes that behave alike"),
    };
    panels::heading(&mut svg, &title, &subtitle);
    let corner = P(14.0, panels::HEADING);
    map.labels(&mut svg, corner, true);
    let class_of = |node: NodeId| program.class_of[node.index()].index();
    map.fill(&mut svg, corner, program.classes.len(), class_of, palette::class);
    if map.cell >= 16.0 {
        for node in topology.node_ids() {
            map.write(&mut svg, corner, node, "ink", &program.class_name(program.class_of[node.index()]));
        }
    }
    let regions = regions(topology, &program.class_of, program.classes.len());
    let mut items: Vec<(LegendSample, String)> = regions
        .iter()
        .enumerate()
        .take(MOST_NAMED)
        .map(|(class, region)| {
            let name = program.class_name(ClassId(class as u32));
            let nodes = if region.size() == 1 { "node" } else { "nodes" };
            let text = format!("{name}, {} {nodes}: {region}", region.size());
            (LegendSample::Patch { fill: palette::class(class) }, text)
        })
        .collect();
    if regions.len() > MOST_NAMED {
        let text = format!("and {} more classes", regions.len() - MOST_NAMED);
        items.push((LegendSample::Patch { fill: "none".into() }, text));
    }
    let size = map.size();
    let width = (size.0 + 44.0).max(panels::heading_width(&title, &subtitle)).max(NARROWEST);
    let items = panels::wrapped(items, width);
    let width = width.max(panels::list_width(&items));
    let bottom = panels::list(&mut svg, &items, P(24.0, corner.1 + size.1 + 14.0));
    Ok(svg.finish(&format!("{title}: {subtitle}"), width, bottom))
}
