//! A curve over the ticks of a program: the share that the nodes know, with the band between the first and the last node.

use super::panels::{self, LegendSample};
use super::svg::{Anchor, P, Path, Svg};
use crate::program::Program;

/// Share of what each node is to know, at one tick.
pub(super) struct Shares {
    pub(super) tick: u32,
    pub(super) least: f64,
    pub(super) mean: f64,
    pub(super) most: f64,
}

/// Plot area, in pixels.
const SIZE: P = P(560.0, 260.0);
const CORNER: P = P(68.0, panels::HEADING + 12.0);

/// Draws the shares over the ticks; `share` says of what.
pub(super) fn curve(program: &Program, shares: &[Shares], share: &str) -> String {
    let mut svg = Svg::new();
    let title = format!("{}, {}", program.topology.describe(), program.title.scheme);
    let subtitle = format!("share of {share}, after each tick");
    panels::heading(&mut svg, &title, &subtitle);
    axes(&mut svg, program.ticks);
    let at = |tick: u32, share: f64| {
        CORNER + P(SIZE.0 * f64::from(tick) / f64::from(program.ticks.max(1)), SIZE.1 * (1.0 - share))
    };
    let line = |of: fn(&Shares) -> f64| -> Vec<P> { shares.iter().map(|shares| at(shares.tick, of(shares))).collect() };
    let (least, mean, most) = (line(|it| it.least), line(|it| it.mean), line(|it| it.most));
    let mut band = Path::default();
    band.polygon(&most.iter().chain(least.iter().rev()).copied().collect::<Vec<_>>());
    svg.path("class=\"c0f\" opacity=\"0.22\"", &band);
    let mut curve = Path::default();
    for (index, &point) in mean.iter().enumerate() {
        if index == 0 { curve.move_to(point) } else { curve.line_to(point) }
    }
    svg.path("class=\"line c0\" stroke-width=\"2.5\"", &curve);
    let mut items = vec![(LegendSample::Line { class: "c0".into() }, "mean of all nodes".to_owned())];
    if shares.iter().any(|shares| shares.least < shares.most) {
        let band = "between the node that knows least and the one that knows most";
        items.push((LegendSample::Band { class: "c0f".into() }, band.to_owned()));
    }
    let bottom = panels::legend(&mut svg, &items, P(24.0, CORNER.1 + SIZE.1 + 44.0), CORNER.0 + SIZE.0);
    let width = (CORNER.0 + SIZE.0 + 28.0).max(panels::heading_width(&title, &subtitle));
    svg.finish(&format!("{title}: {subtitle}"), width, bottom)
}

/// Grid lines at every quarter, with percents on the left and ticks below.
fn axes(svg: &mut Svg, ticks: u32) {
    let mut grid = Path::default();
    for quarter in 0..=4 {
        let left = CORNER + P(0.0, SIZE.1 * (1.0 - f64::from(quarter) / 4.0));
        grid.move_to(left);
        grid.line_to(left + P(SIZE.0, 0.0));
        svg.text("small soft", left + P(-8.0, 4.0), Anchor::End, &format!("{} %", 25 * quarter));
    }
    let every = step(ticks);
    for tick in (0..=ticks).step_by(every as usize) {
        let bottom = CORNER + P(SIZE.0 * f64::from(tick) / f64::from(ticks.max(1)), SIZE.1);
        grid.move_to(bottom);
        grid.line_to(bottom + P(0.0, 5.0));
        svg.text("small soft", bottom + P(0.0, 18.0), Anchor::Middle, &tick.to_string());
    }
    svg.path("class=\"line faint\" stroke-width=\"1\"", &grid);
    svg.text("small soft", CORNER + P(SIZE.0, SIZE.1 + 34.0), Anchor::End, "tick");
}

/// Round distance between named ticks, at most ten of them.
fn step(ticks: u32) -> u32 {
    let steps = (0..10).flat_map(|power| [1, 2, 5].map(|digit| 10u64.pow(power) * digit));
    let step = steps.into_iter().find(|&step| u64::from(ticks) / step <= 10);
    step.and_then(|step| u32::try_from(step).ok()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_ticks_at_most_are_named_after_the_first() {
        assert_eq!([0, 1, 10, 11, 24, 500, 550, u32::MAX].map(step), [1, 1, 1, 2, 5, 50, 100, 500_000_000]);
    }
}
