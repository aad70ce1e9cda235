//! A film of the registers: what each holds after every tick, as it was played, packed for the page. The page knows nothing of runs,
//! windows or sums. It is told which registers to copy, and what else there is.

use std::collections::VecDeque;

use serde::{Serialize, Serializer};

use crate::net::NodeId;
use crate::program::{FlitId, Program};

/// A register that holds nothing.
const VOID: u32 = u32::MAX;

/// Way in which the registers of an output of a class find what they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SceneSource {
    Nothing,
    /// A flit that the node has at first, counted from its first one, and after each tick the next if it counts.
    Own {
        from: u32,
        counts: bool,
    },
    /// Arrival at an input, so many ticks ago.
    Arrival {
        input: u32,
        age: u32,
    },
}

/// Ticks in which the registers of an output of a class find what they hold in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Scene {
    ticks: u32,
    take: SceneSource,
}

/// `[ticks]`, `[ticks, flit, 0]`, `[ticks, flit, -1]` if it counts, or `[ticks, input, age]`.
impl Serialize for Scene {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ticks = i64::from(self.ticks);
        match self.take {
            SceneSource::Nothing => [ticks].serialize(serializer),
            SceneSource::Own { from, counts } => [ticks, from.into(), -i64::from(counts)].serialize(serializer),
            SceneSource::Arrival { input, age } => [ticks, input.into(), age.into()].serialize(serializer),
        }
    }
}

/// A film as `templates/report/model.js` plays it.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Film {
    ticks: u32,
    /// by class and output
    scenes: Vec<Vec<Scene>>,
    /// by tick where there are some, the tick, and then registers that hold something else, each with its flit or -1
    patches: Vec<Vec<i64>>,
}

/// Contents of every register after a tick. One more never holds anything: it is what arrives where there is no link.
pub(super) struct Frame(Vec<u32>);

impl Frame {
    /// Asks for what each register of a program holds.
    pub(super) fn of(program: &Program, held: impl Fn(usize) -> Option<FlitId>) -> Self {
        let all = (0..program.registers()).map(|register| held(register).map_or(VOID, |FlitId(flit)| flit));
        Self(all.chain([VOID]).collect())
    }

    /// Registers that hold something, with their flits.
    pub(super) fn held(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.0.iter().copied().enumerate().filter(|&(_, flit)| flit != VOID)
    }
}

/// The scenes of an output of a class. The last one goes on while one of the ways to take explains it all.
#[derive(Default)]
struct Shot {
    done: Vec<Scene>,
    ticks: u32,
    takes: Vec<SceneSource>,
}

impl Shot {
    /// Ends a scene; the next one is taken in these ways.
    fn cut(&mut self, takes: Vec<SceneSource>) {
        if let Some(&take) = self.takes.first() {
            self.done.push(Scene { ticks: self.ticks, take });
        }
        (self.ticks, self.takes) = (0, takes);
    }
}

/// Sight of a camera: the registers of all nodes of a class at one output.
struct CameraView<'a> {
    program: &'a Program,
    wires: &'a [u32],
    past: &'a VecDeque<Frame>,
    now: &'a Frame,
    nodes: &'a [NodeId],
    output: usize,
}

impl CameraView<'_> {
    fn register(&self, node: NodeId) -> usize {
        node.index() * self.program.outputs() + self.output
    }

    /// Contents of a node's register in a scene that began so many ticks ago.
    fn expected(&self, take: SceneSource, node: NodeId, since: u32) -> u32 {
        match take {
            SceneSource::Nothing => VOID,
            SceneSource::Own { from, counts } => {
                (self.program.demand.flits_of(node).start as u32) + from + if counts { since } else { 0 }
            }
            SceneSource::Arrival { input, age } => self.past.get(age as usize - 1).map_or(VOID, |frame| {
                let wire = self.wires[node.index() * self.program.outputs() + input as usize];
                frame.0[wire as usize]
            }),
        }
    }

    /// Nodes whose registers hold something else.
    fn wrong(&self, take: SceneSource, since: u32) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes
            .iter()
            .copied()
            .filter(move |&node| self.now.0[self.register(node)] != self.expected(take, node, since))
    }

    fn explains(&self, take: SceneSource, since: u32) -> bool {
        self.wrong(take, since).next().is_none()
    }

    /// All ways in which a scene may begin.
    fn takes(&self) -> Vec<SceneSource> {
        let arrivals = (1..=self.past.len() as u32)
            .flat_map(|age| (0..self.program.outputs() as u32).map(move |input| SceneSource::Arrival { input, age }));
        let own = self.nodes.iter().find_map(|&node| {
            let flits = self.program.demand.flits_of(node);
            let flit = u64::from(self.now.0[self.register(node)]);
            flits.contains(&flit).then(|| (flit - flits.start) as u32)
        });
        let own = own.into_iter().flat_map(|from| [false, true].map(|counts| SceneSource::Own { from, counts }));
        std::iter::once(SceneSource::Nothing).chain(arrivals).chain(own).collect()
    }

    /// Goes on with a scene or begins another one; returns the nodes whose registers it does not explain.
    fn take_shot(&self, shot: &mut Shot) -> Vec<NodeId> {
        let others = self.choose(shot);
        shot.ticks += 1;
        others
    }

    fn choose(&self, shot: &mut Shot) -> Vec<NodeId> {
        let since = shot.ticks;
        let left: Vec<SceneSource> = shot.takes.iter().copied().filter(|&take| self.explains(take, since)).collect();
        if !left.is_empty() {
            shot.takes = left;
            return Vec::new();
        }
        let takes = self.takes();
        let right: Vec<SceneSource> = takes.iter().copied().filter(|&take| self.explains(take, 0)).collect();
        if !right.is_empty() {
            shot.cut(right);
            return Vec::new();
        }
        // to go on costs patches alone, to begin another scene one more
        let on = shot.takes.iter().map(|&take| (self.wrong(take, since).count(), false, take));
        let anew = takes.into_iter().map(|take| (self.wrong(take, 0).count() + 1, true, take));
        let (_, is_new, take) = on.chain(anew).min_by_key(|&(cost, ..)| cost).expect("nothing is a way to take");
        if is_new {
            shot.cut(vec![take]);
        } else {
            shot.takes = vec![take];
        }
        self.wrong(take, shot.ticks).collect()
    }
}

/// Takes a film, tick by tick.
pub(super) struct Camera<'p> {
    program: &'p Program,
    /// nodes of each class
    members: Vec<Vec<NodeId>>,
    /// by node and input, the register at the other end of the link
    wires: Vec<u32>,
    /// the last frames that an output may copy, newest first
    past: VecDeque<Frame>,
    most_kept: usize,
    /// by class and output
    shots: Vec<Shot>,
    patches: Vec<Vec<i64>>,
    ticks: u32,
}

impl<'p> Camera<'p> {
    /// A camera for the registers of a program.
    pub(super) fn new(program: &'p Program) -> Self {
        let Program { topology, class_of, classes, .. } = program;
        let mut members = vec![Vec::new(); classes.len()];
        topology.node_ids().for_each(|node| members[class_of[node.index()].index()].push(node));
        let inputs = topology.node_ids().flat_map(|node| program.channels().map(move |input| (node, input)));
        let nowhere = program.registers();
        Self {
            members,
            wires: inputs.map(|(node, input)| program.arriving(node, input).unwrap_or(nowhere) as u32).collect(),
            past: VecDeque::new(),
            most_kept: (program.memory().max(1) + program.reduce_latency()) as usize,
            shots: (0..classes.len() * program.outputs()).map(|_| Shot::default()).collect(),
            patches: Vec::new(),
            ticks: 0,
            program,
        }
    }

    /// Takes what the registers hold after the next tick.
    pub(super) fn take(&mut self, now: Frame) {
        self.ticks += 1;
        let outputs = self.program.outputs();
        let mut patches = Vec::new();
        for (index, shot) in self.shots.iter_mut().enumerate() {
            let view = CameraView {
                program: self.program,
                wires: &self.wires,
                past: &self.past,
                now: &now,
                nodes: &self.members[index / outputs],
                output: index % outputs,
            };
            let others = view.take_shot(shot);
            patches.extend(others.into_iter().flat_map(|node| {
                let register = view.register(node);
                let flit = now.0[register];
                [register as i64, if flit == VOID { -1 } else { flit.into() }]
            }));
        }
        if !patches.is_empty() {
            patches.insert(0, self.ticks.into());
            self.patches.push(patches);
        }
        self.past.push_front(now);
        self.past.truncate(self.most_kept);
    }

    /// The film of all that was taken.
    pub(super) fn develop(mut self) -> Film {
        self.shots.iter_mut().for_each(|shot| shot.cut(Vec::new()));
        let scenes: Vec<Vec<Scene>> = self.shots.into_iter().map(|shot| shot.done).collect();
        Film { ticks: self.ticks, scenes, patches: self.patches }
    }
}
