//! Half-duplex links round by round, as Lau and Zhang draw them: edges across, ticks down, who is carried and which way.

use super::panels;
use super::svg::{Anchor, P, Path, Svg};
use super::{DrawError, palette};
use crate::net::{AxisDirection, Channel, NodeId, Port};
use crate::play::Machine;
use crate::program::Program;

/// More would make the picture too large; the first ones tell the story.
const MOST_EDGES: u32 = 64;
const MOST_TICKS: u32 = 96;

/// An edge in use: column, tick, lane, the way, and the place of the packet's origin along the line if it is from there.
struct EdgeUse {
    column: u32,
    tick: u32,
    lane: u8,
    way: AxisDirection,
    origin: Option<u32>,
}

/// The first line along the last axis, from tick `first` on.
pub fn edges(program: &Program, first: u32) -> Result<String, DrawError> {
    let last = program.ticks;
    if first == 0 || first > last {
        return Err(DrawError::Tick { tick: first, last });
    }
    let topology = &program.topology;
    let axis = topology.axes() - 1;
    let side = topology.side(axis);
    let columns =
        (if topology.step(NodeId(side - 1), Port::plus(axis)).is_some() { side } else { side - 1 }).min(MOST_EDGES);
    let ticks = (last - first + 1).min(MOST_TICKS);
    let (cell, lane) = (P(if columns > 32 { 16.0 } else { 32.0 } * f64::from(program.lanes), 20.0), program.lanes);
    let mut svg = Svg::new();
    let title = format!("{}, {}", topology.describe(), program.title.scheme);
    let shown = format!("ticks {first} to {} of {last}", first + ticks - 1);
    let subtitle = format!("the edges of the first line along x{}, {shown}: whose packet goes which way", axis + 1);
    panels::heading(&mut svg, &title, &subtitle);
    let corner = P(56.0, panels::HEADING + 40.0);
    for column in 0..columns {
        let at = corner + P((f64::from(column) + 0.5) * cell.0, -5.0);
        svg.text("small soft", at, Anchor::Middle, &format!("{column}·{}", (column + 1) % side));
    }
    for row in (0..ticks).step_by(panels::label_step(cell.1) as usize) {
        let label = if row == 0 { format!("tick {first}") } else { (first + row).to_string() };
        svg.text("small soft", corner + P(-6.0, (f64::from(row) + 0.5) * cell.1 + 4.0), Anchor::End, &label);
    }
    let uses = uses(program, axis, columns, first, ticks);
    draw(&mut svg, &uses, corner, P(cell.0 / f64::from(lane), cell.1), first, side, lane);
    let shape = P(f64::from(columns) * cell.0, f64::from(ticks) * cell.1);
    let width = (corner.0 + shape.0 + 24.0).max(panels::heading_width(&title, &subtitle));
    Ok(svg.finish(&format!("{title}: {subtitle}"), width, corner.1 + shape.1 + 24.0))
}

/// Lists the packets on the edges, tick by tick.
fn uses(program: &Program, axis: usize, columns: u32, first: u32, ticks: u32) -> Vec<EdgeUse> {
    let topology = &program.topology;
    let (plus, minus) = (Port::plus(axis), Port::minus(axis));
    let mut machine = Machine::new(program);
    let mut uses = Vec::new();
    while machine.tick() < first + ticks - 1 {
        machine.step();
        if machine.tick() < first {
            continue;
        }
        for column in 0..columns {
            let node = NodeId(column);
            let Some(next) = topology.step(node, plus) else { continue };
            for (to, port, way) in [(next, minus, AxisDirection::Plus), (node, plus, AxisDirection::Minus)] {
                for lane in 0..program.lanes {
                    let Some(flit) = machine.arrival(to, Channel { port, lane }) else { continue };
                    let origin = program.demand.origin(flit).node;
                    let is_here = origin.0 < topology.side(axis);
                    let origin = is_here.then(|| topology.coord(origin, axis));
                    uses.push(EdgeUse { column, tick: machine.tick(), lane, way, origin });
                }
            }
        }
    }
    uses
}

fn draw(svg: &mut Svg, uses: &[EdgeUse], corner: P, cell: P, first: u32, side: u32, lanes: u8) {
    let mut paths: Vec<Path> = (0..=palette::WHEEL).map(|_| Path::default()).collect();
    let at = |one: &EdgeUse| {
        let column = f64::from(one.column * u32::from(lanes) + u32::from(one.lane));
        corner + P(column * cell.0, f64::from(one.tick - first) * cell.1)
    };
    for one in uses {
        let part = one
            .origin
            .map_or(palette::WHEEL, |place| (place as usize * palette::WHEEL / side as usize).min(palette::WHEEL - 1));
        paths[part].rect(at(one), cell.0 - 1.0, cell.1 - 1.0);
    }
    for (part, path) in paths.iter().enumerate() {
        let fill = if part == palette::WHEEL { "#9aa3ad".to_owned() } else { palette::wheel(part) };
        svg.path(&format!("fill=\"{fill}\""), path);
    }
    for one in uses {
        let name = one.origin.map_or("·".to_owned(), |place| place.to_string());
        let text = match one.way {
            AxisDirection::Plus if cell.0 >= 30.0 => format!("{name} →"),
            AxisDirection::Minus if cell.0 >= 30.0 => format!("← {name}"),
            AxisDirection::Plus => "→".to_owned(),
            AxisDirection::Minus => "←".to_owned(),
        };
        svg.text("small ink", at(one) + P(cell.0 * 0.5 - 0.5, cell.1 * 0.5 + 3.5), Anchor::Middle, &text);
    }
}
