//! Lays blocks out in columns and draws the wires between them.

use std::collections::BTreeMap;

use crate::draw::svg::{Anchor, P, Path, Svg, text_width};

const ROW: f64 = 20.0;
const INSET: f64 = 12.0;
/// Room between the blocks of a column: a whole number of rows, so that pins of a column stay apart from its neighbour's.
const BETWEEN: f64 = 2.0 * ROW;
/// Distance of wires that run side by side.
const TRACK: f64 = 9.0;
/// Wire of a pin that leads to no other block, with its arrow.
const STUB: f64 = 20.0;

/// Place of a block from left to right: what is told stands on the right of what tells it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DiagramColumn {
    Fabric,
    Control,
    Router,
}

/// A box with a heading, rows of text, and pins at its left and right.
pub(super) struct DiagramBlock {
    pub column: DiagramColumn,
    pub heading: String,
    pub note: String,
    /// Inputs, each beside the row of its index.
    pub inputs: Vec<BlockPin>,
    pub rows: Vec<BlockRow>,
}

/// A port of a block: an output is joined with every input of the same net.
#[derive(Clone)]
pub(super) struct BlockPin {
    pub label: String,
    /// Name of the net, or nothing where the wire leaves the picture.
    pub net: String,
}

/// A line of a block; an output's has a pin.
pub(super) struct BlockRow {
    text: String,
    output: Option<BlockPin>,
}

impl BlockPin {
    /// A pin on the net that its label names.
    pub(super) fn new(label: impl Into<String>) -> Self {
        let label = label.into();
        Self { net: label.clone(), label }
    }

    /// A pin whose wire leaves the picture.
    pub(super) fn link(label: impl Into<String>) -> Self {
        Self { label: label.into(), net: String::new() }
    }
}

impl BlockRow {
    pub(super) fn out(text: impl Into<String>, output: BlockPin) -> Self {
        Self { text: text.into(), output: Some(output) }
    }

    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), output: None }
    }
}

/// An output and the inputs that it is joined with, by block and row.
struct DiagramNet {
    from: (usize, usize),
    to: Vec<(usize, usize)>,
}

/// A vertical piece of a net between two columns.
struct Trunk {
    net: usize,
    /// heights at which other pieces join, that of the net's beginning first
    ends: Vec<f64>,
    x: f64,
}

/// Draws blocks with their wires; returns the lower right corner.
pub(super) fn draw(svg: &mut Svg, blocks: &[DiagramBlock], corner: P) -> P {
    let plan = DiagramPlan::new(blocks, corner);
    for (index, block) in blocks.iter().enumerate() {
        let (left, width) = plan.spans[index];
        block.draw(svg, P(left, plan.tops[index]), width, |row, is_output| plan.is_joined((index, row), is_output));
    }
    let (mut wires, mut heads) = (Path::default(), Path::default());
    for channel in 0..plan.channels.len() {
        plan.draw_channel(svg, channel, &mut wires, &mut heads);
    }
    plan.draw_lanes(&mut wires);
    svg.path("class=\"line n\" stroke-width=\"1.2\"", &wires);
    svg.path("class=\"nf\"", &heads);
    plan.end
}

/// Positions of blocks and wires on the page.
struct DiagramPlan<'b> {
    blocks: &'b [DiagramBlock],
    corner: P,
    nets: Vec<DiagramNet>,
    /// blocks of each column, from top to bottom
    columns: Vec<Vec<usize>>,
    /// nets that run above all blocks, from top to bottom
    lanes: Vec<usize>,
    /// upper border of each block
    tops: Vec<f64>,
    /// left border and width of each block
    spans: Vec<(f64, f64)>,
    /// wires in the room left of each column, and right of the last
    channels: Vec<Vec<Trunk>>,
    /// lower right corner
    end: P,
}

impl<'b> DiagramPlan<'b> {
    fn new(blocks: &'b [DiagramBlock], corner: P) -> Self {
        let mut columns: BTreeMap<DiagramColumn, Vec<usize>> = BTreeMap::new();
        for (index, block) in blocks.iter().enumerate() {
            columns.entry(block.column).or_default().push(index);
        }
        let mut plan = Self {
            blocks,
            corner,
            nets: nets(blocks),
            columns: columns.into_values().collect(),
            lanes: Vec::new(),
            tops: vec![0.0; blocks.len()],
            spans: vec![(0.0, 0.0); blocks.len()],
            channels: Vec::new(),
            end: corner,
        };
        let is_far = |net: &DiagramNet| net.to.iter().any(|&to| plan.is_far(net, to));
        plan.lanes = (0..plan.nets.len()).filter(|&net| is_far(&plan.nets[net])).collect();
        plan.stack();
        plan.channels = (0..=plan.columns.len()).map(|channel| plan.trunks(channel)).collect();
        plan.spread();
        plan
    }

    fn column_of(&self, block: usize) -> usize {
        self.columns.iter().position(|column| column.contains(&block)).expect("every block has a column")
    }

    /// Returns true if an input lies elsewhere than in the column next to its output's.
    fn is_far(&self, net: &DiagramNet, to: (usize, usize)) -> bool {
        self.column_of(to.0) != self.column_of(net.from.0) + 1
    }

    fn is_joined(&self, pin: (usize, usize), is_output: bool) -> bool {
        self.nets.iter().any(|net| if is_output { net.from == pin } else { net.to.contains(&pin) })
    }

    /// Height of a net's lane above all blocks.
    fn lane(&self, net: usize) -> Option<f64> {
        let lane = self.lanes.iter().position(|&lane| lane == net)?;
        Some(self.corner.1 + TRACK * lane as f64)
    }

    /// Height of a pin.
    fn pin(&self, (block, row): (usize, usize)) -> f64 {
        self.tops[block] + 14.0 + ROW * (row as f64 + 1.0)
    }

    /// Places blocks from top to bottom, every second column half a row lower: so wires never lie on each other.
    fn stack(&mut self) {
        let above = if self.lanes.is_empty() { 0.0 } else { TRACK * self.lanes.len() as f64 + 12.0 };
        for (column, members) in self.columns.iter().enumerate() {
            let mut y = self.corner.1 + above + (column % 2) as f64 * ROW * 0.5;
            for &block in members {
                self.tops[block] = y;
                self.end.1 = self.end.1.max(y + self.blocks[block].height());
                y += self.blocks[block].height() + BETWEEN;
            }
        }
    }

    /// Lists the vertical wires of a channel, from left to right.
    fn trunks(&self, channel: usize) -> Vec<Trunk> {
        let mut trunks = Vec::new();
        for (number, net) in self.nets.iter().enumerate() {
            let is_first = channel == self.column_of(net.from.0) + 1;
            let inputs = net.to.iter().filter(|to| self.column_of(to.0) == channel).map(|&to| self.pin(to));
            let mut ends: Vec<f64> = if is_first { vec![self.pin(net.from)] } else { Vec::new() };
            ends.extend(inputs);
            if !ends.is_empty() {
                let lane = self.lane(number);
                ends.splice(usize::from(is_first)..usize::from(is_first), lane);
                trunks.push(Trunk { net: number, ends, x: 0.0 });
            }
        }
        sort(&mut trunks);
        trunks
    }

    /// Places columns and the wires between them from left to right.
    fn spread(&mut self) {
        let mut x = self.corner.0;
        for channel in 0..self.channels.len() {
            if let Some(before) = channel.checked_sub(1) {
                x += self.widest(before, true);
            }
            for trunk in &mut self.channels[channel] {
                trunk.x = x + TRACK * 0.5;
                x += TRACK;
            }
            let Some(members) = self.columns.get(channel) else { continue };
            x += self.widest(channel, false);
            let width = members.iter().map(|&block| self.blocks[block].width()).fold(0.0, f64::max);
            for &block in members {
                self.spans[block] = (x, width);
            }
            x += width;
        }
        self.end.0 = x;
    }

    /// Room that the pins at one side of a column need.
    fn widest(&self, column: usize, is_output: bool) -> f64 {
        let pins = self.columns[column].iter().flat_map(|&block| {
            self.blocks[block].pins(is_output).map(move |(row, pin)| ((block, row), text_width(&pin.label, 11.0)))
        });
        let beside = |pin| if self.is_joined(pin, is_output) { 10.0 } else { STUB + 8.0 };
        pins.map(|(pin, label)| label + beside(pin)).fold(0.0, f64::max)
    }

    fn draw_channel(&self, svg: &mut Svg, channel: usize, wires: &mut Path, heads: &mut Path) {
        for &Trunk { net, ref ends, x } in &self.channels[channel] {
            let (top, bottom) = bounds(ends.iter().copied());
            wires.move_to(P(x, top));
            wires.line_to(P(x, bottom));
            let net = &self.nets[net];
            if channel == self.column_of(net.from.0) + 1 {
                let (left, width) = self.spans[net.from.0];
                wires.move_to(P(left + width, self.pin(net.from)));
                wires.line_to(P(x, self.pin(net.from)));
            }
            for &to in net.to.iter().filter(|to| self.column_of(to.0) == channel) {
                let end = P(self.spans[to.0].0, self.pin(to));
                wires.move_to(P(x, end.1));
                wires.line_to(end - P(5.0, 0.0));
                heads.arrow(end - P(4.0, 0.0), P(1.0, 0.0), 4.5);
            }
            // a dot where more than two pieces of a net meet
            for &y in ends.iter().filter(|&&y| y > top && y < bottom) {
                svg.circle("nf", P(x, y), 2.4);
            }
        }
    }

    fn draw_lanes(&self, wires: &mut Path) {
        for &net in &self.lanes {
            let trunks = self.channels.iter().flatten().filter(|trunk| trunk.net == net);
            let (left, right) = bounds(trunks.map(|trunk| trunk.x));
            let y = self.lane(net).expect("this net has a lane");
            wires.move_to(P(left, y));
            wires.line_to(P(right, y));
        }
    }
}

fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)))
}

/// Finds which outputs drive which inputs of other blocks.
fn nets(blocks: &[DiagramBlock]) -> Vec<DiagramNet> {
    let pins = |is_output: bool| {
        blocks
            .iter()
            .enumerate()
            .flat_map(move |(block, it)| it.pins(is_output).map(move |(row, pin)| ((block, row), pin)))
    };
    let mut nets = Vec::new();
    for (from, output) in pins(true).filter(|(_, pin)| !pin.net.is_empty()) {
        let to = pins(false).filter(|(to, input)| input.net == output.net && to.0 != from.0).map(|(to, _)| to);
        let to: Vec<(usize, usize)> = to.collect();
        if !to.is_empty() {
            nets.push(DiagramNet { from, to });
        }
    }
    nets
}

/// Orders wires so that few cross: of those that go down the topmost stands rightmost, of those that go up leftmost.
fn sort(trunks: &mut [Trunk]) {
    let key = |trunk: &Trunk| {
        let to = trunk.ends[1..].iter().sum::<f64>() / (trunk.ends.len() - 1).max(1) as f64;
        if to < trunk.ends[0] { (0, trunk.ends[0]) } else { (1, -trunk.ends[0]) }
    };
    trunks.sort_by(|one, other| key(one).partial_cmp(&key(other)).expect("lengths are numbers"));
}

impl DiagramBlock {
    /// Pins of one side with their rows.
    fn pins(&self, is_output: bool) -> impl Iterator<Item = (usize, &BlockPin)> {
        let outputs = self.rows.iter().enumerate().filter_map(|(row, it)| Some((row, it.output.as_ref()?)));
        let inputs = self.inputs.iter().enumerate();
        outputs.filter(move |_| is_output).chain(inputs.filter(move |_| !is_output))
    }

    fn width(&self) -> f64 {
        let heading = text_width(&self.heading, 12.0) + text_width(&self.note, 12.0) + 24.0;
        let rows = self.rows.iter().map(|row| text_width(&row.text, 12.0));
        rows.fold(heading, f64::max) + 2.0 * INSET
    }

    fn height(&self) -> f64 {
        ROW * (self.rows.len().max(self.inputs.len()) as f64 + 1.5)
    }

    /// Draws the box, its text, and the wires that leave the picture.
    fn draw(&self, svg: &mut Svg, at: P, width: f64, is_joined: impl Fn(usize, bool) -> bool) {
        svg.rect("class=\"node\" rx=\"4\"", at, width, self.height());
        svg.text("", at + P(INSET, 18.0), Anchor::Start, &self.heading);
        svg.text("soft", at + P(width - INSET, 18.0), Anchor::End, &self.note);
        let row = |index: usize| 14.0 + ROW * (index as f64 + 1.0);
        for (index, input) in self.inputs.iter().enumerate() {
            let end = at + P(0.0, row(index));
            if is_joined(index, false) {
                svg.text("small", end + P(-10.0, -3.0), Anchor::End, &input.label);
            } else {
                stub(svg, end - P(STUB, 0.0));
                svg.text("small", end + P(-STUB - 5.0, 4.0), Anchor::End, &input.label);
            }
        }
        for (index, BlockRow { text, output }) in self.rows.iter().enumerate() {
            let class = if output.is_some() { "" } else { "soft" };
            svg.text(class, at + P(INSET, row(index) + 4.0), Anchor::Start, text);
            let Some(output) = output else { continue };
            let end = at + P(width, row(index));
            if is_joined(index, true) {
                svg.text("small", end + P(4.0, -3.0), Anchor::Start, &output.label);
            } else {
                stub(svg, end);
                svg.text("small", end + P(STUB + 5.0, 4.0), Anchor::Start, &output.label);
            }
        }
    }
}

/// A short wire with an arrow head.
fn stub(svg: &mut Svg, from: P) {
    let (mut line, mut head) = (Path::default(), Path::default());
    line.move_to(from);
    line.line_to(from + P(STUB - 5.0, 0.0));
    head.arrow(from + P(STUB - 4.0, 0.0), P(1.0, 0.0), 4.5);
    svg.path("class=\"line n\" stroke-width=\"1.2\"", &line);
    svg.path("class=\"nf\"", &head);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(column: DiagramColumn, inputs: &[&str], outputs: &[&str]) -> DiagramBlock {
        let rows = outputs.iter().map(|&output| BlockRow::out("text", BlockPin::new(output))).collect();
        let inputs = inputs.iter().map(|&input| BlockPin::new(input)).collect();
        DiagramBlock { column, heading: "heading".into(), note: "note".into(), inputs, rows }
    }

    #[test]
    fn outputs_are_joined_with_every_input_of_their_net() {
        let blocks = [
            block(DiagramColumn::Fabric, &["run", "over"], &["go", "done"]),
            block(DiagramColumn::Control, &["go"], &["word"]),
            block(DiagramColumn::Router, &["word", "go"], &["over", "word"]),
        ];
        let found: Vec<_> = nets(&blocks).into_iter().map(|net| (net.from, net.to)).collect();
        // a block's own input is no target, nor does an output without an input make a net
        assert_eq!(found, [((0, 0), vec![(1, 0), (2, 1)]), ((1, 0), vec![(2, 0)]), ((2, 0), vec![(0, 1)])]);
    }

    /// Every wire ends in an arrow head at its input, and inputs without a wire have a stub with one.
    #[test]
    fn every_pin_has_one_arrow() {
        let blocks = [
            block(DiagramColumn::Fabric, &["run", "over"], &["go", "done"]),
            block(DiagramColumn::Control, &["go"], &["word"]),
            block(DiagramColumn::Router, &["word", "go"], &["over", "out"]),
        ];
        let mut svg = Svg::new();
        let end = draw(&mut svg, &blocks, P(0.0, 0.0));
        let drawn = svg.finish("title", end.0, end.1);
        let heads: usize =
            drawn.lines().filter(|line| line.contains("\"nf\" d=")).map(|line| line.matches('z').count()).sum();
        // five inputs, and two outputs that leave the picture
        assert_eq!(heads, 7);
    }
}
