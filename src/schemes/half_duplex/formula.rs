//! Gossip on a small network as a formula: what every node knows after every tick, and what each link carries. Whether it can be
//! made true is left to a solver, which also finds out how.
//!
//! On two rows nothing may be idle at the middle, and no search that goes round by round keeps that up; the formula has the
//! whole of it in view.

use batsat::callbacks::Callbacks;
use batsat::{Lit, Solver, SolverInterface, SolverOpts, clause, lbool};

use crate::net::{Around, NodeId, Port, ShapeName, Topology};
use crate::paths::moves::PacketMove;
use crate::program::{Duplex, Link};

/// When the solver gives up: what is found at all is mostly found long before, and so many take seconds.
const MOST_LEARNT: u32 = 40_000;

/// A gossip in so many steps, if the solver finds one soon enough. Links that turn are silent before, if they have to be.
pub fn moves(mesh: &Topology, link: Link, steps: u32) -> Option<Vec<PacketMove>> {
    if let [rows, columns] = *mesh.dims()
        && rows > columns
        && mesh.shape() == Some(ShapeName::Mesh)
    {
        // so that it is the same however the mesh lies
        let lying = Topology::new(ShapeName::Mesh, &[columns, rows]).expect("as many nodes as the other way");
        let stand = |node: NodeId| NodeId(node.0 % rows * columns + node.0 / rows);
        let rise = |move_: PacketMove| PacketMove {
            from: stand(move_.from),
            by: Port::new(1 - move_.by.axis(), move_.by.way()),
            token: stand(move_.token),
            ..move_
        };
        return Some(moves(&lying, link, steps)?.into_iter().map(rise).collect());
    }
    let mut formula = Formula::new(mesh, link, steps);
    formula.write();
    (formula.solver.solve_limited(&[]) == lbool::TRUE).then(|| formula.read())
}

/// Work of the solver in learnt clauses. Unlike seconds, it ends at the same place on every machine.
#[derive(Default)]
struct Learnt(u32);

impl Callbacks for Learnt {
    fn on_new_clause(&mut self, _: &[Lit], kind: clause::Kind) {
        self.0 += u32::from(kind == clause::Kind::Learnt);
    }

    fn stop(&self) -> bool {
        self.0 >= MOST_LEARNT
    }
}

/// Condition under which a node knows a packet after a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Knows {
    Never,
    Always,
    If(Lit),
}

struct Formula<'a> {
    mesh: &'a Topology,
    link: Link,
    steps: u32,
    /// The packets that are written down: half of them if the schedule is its own image when the mesh is turned by 180 degrees.
    packets: u32,
    solver: Solver<Learnt>,
    /// By tick from 0, packet and node.
    knows: Vec<Knows>,
    /// By tick from 1, packet, node and port: whether the node sends the packet. None where it cannot know it, or need not.
    sends: Vec<Option<Lit>>,
}

impl<'a> Formula<'a> {
    fn new(mesh: &'a Topology, link: Link, steps: u32) -> Self {
        // then no link is its own image, which would have to carry two packets at a time
        let is_turned = link == Link::half(1)
            && mesh.shape() == Some(ShapeName::Mesh)
            && mesh.dims().iter().all(|side| side % 2 == 0);
        let packets = if is_turned { mesh.nodes() / 2 } else { mesh.nodes() };
        let solver = Solver::new(SolverOpts::default(), Learnt::default());
        Self { mesh, link, steps, packets, solver, knows: Vec::new(), sends: Vec::new() }
    }

    fn is_turned(&self) -> bool {
        self.packets < self.mesh.nodes()
    }

    /// Node to which a rotation of the mesh by 180 degrees maps `node`.
    fn image(&self, node: NodeId) -> NodeId {
        NodeId(self.mesh.nodes() - 1 - node.0)
    }

    fn lit(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    fn add(&mut self, clause: &[Lit]) {
        self.solver.add_clause_reuse(&mut clause.to_vec());
    }

    fn knows(&self, packet: u32, node: NodeId, tick: u32) -> Knows {
        self.knows[((tick * self.packets + packet) * self.mesh.nodes() + node.0) as usize]
    }

    fn sends(&self, packet: u32, node: NodeId, port: Port, tick: u32) -> Option<Lit> {
        let output = ((tick - 1) * self.packets + packet) * self.mesh.nodes() + node.0;
        self.sends[output as usize * self.mesh.ports() + port.index()]
    }

    fn write(&mut self) {
        // the solver decides in this order as long as it has learnt nothing: by ticks
        for tick in 0..=self.steps {
            (0..self.packets).for_each(|packet| self.name(packet, tick));
        }
        for packet in 0..self.packets {
            for node in self.mesh.node_ids().filter(|node| node.0 != packet) {
                self.spread(packet, node);
            }
        }
        for (node, axis) in self.mesh.node_ids().flat_map(|node| (0..self.mesh.axes()).map(move |axis| (node, axis))) {
            let Some(there) = self.mesh.step(node, Port::plus(axis)) else { continue };
            if self.link != Link::half(1) {
                self.share_lanes((node, Port::plus(axis)), (there, Port::minus(axis)));
            } else if !self.is_turned() || node < self.image(there) {
                (1..=self.steps).for_each(|tick| self.share(node, there, axis, tick));
            }
        }
    }

    /// An end sends a packet per lane at most, both ends never together, and never in two ticks after each other if a link is silent
    /// before it turns.
    fn share_lanes(&mut self, one: (NodeId, Port), other: (NodeId, Port)) {
        let directions: Vec<Lit> = (0..=self.steps).map(|_| self.lit()).collect();
        let is_silent = self.link.duplex == Duplex::Pads;
        for tick in 1..=self.steps {
            for (sign, (node, port)) in [(true, one), (false, other)] {
                let carried: Vec<Lit> =
                    (0..self.packets).filter_map(|packet| self.sends(packet, node, port, tick)).collect();
                let before = if is_silent { tick - 1 } else { tick };
                for &direction in &directions[before as usize..=tick as usize] {
                    let direction = if sign { direction } else { !direction };
                    for &lit in &carried {
                        self.add(&[!lit, direction]);
                    }
                }
                // one of every three packets is not sent, or one of two if there is one lane
                for first in 0..carried.len() {
                    for second in first + 1..carried.len() {
                        if self.link.lanes == 1 {
                            self.add(&[!carried[first], !carried[second]]);
                        }
                        for third in second + 1..carried.len() {
                            if self.link.lanes == 2 {
                                self.add(&[!carried[first], !carried[second], !carried[third]]);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Unknowns for a packet: who sends it in the tick, and who knows it after that.
    fn name(&mut self, packet: u32, tick: u32) {
        let around = Around::new(self.mesh, NodeId(packet));
        for node in self.mesh.node_ids().filter(|_| tick > 0) {
            let can = self.knows(packet, node, tick - 1) != Knows::Never;
            for port in self.mesh.port_ids() {
                let is_of_use = self.mesh.step(node, port).is_some_and(|there| there.0 != packet);
                let sends = (can && is_of_use).then(|| self.lit());
                self.sends.push(sends);
            }
        }
        for node in self.mesh.node_ids() {
            let knows = match () {
                () if around.distance(node) > tick => Knows::Never,
                () if node.0 == packet || tick == self.steps => Knows::Always,
                () => Knows::If(self.lit()),
            };
            self.knows.push(knows);
        }
    }

    /// Constrains the spread of a packet: its sender knows it, and a node that knows it knew it before or received it.
    fn spread(&mut self, packet: u32, node: NodeId) {
        for tick in 1..=self.steps {
            let mut ways = Vec::new();
            for port in self.mesh.linked_ports(node) {
                let from = self.mesh.step(node, port).expect("it is linked");
                let Some(sends) = self.sends(packet, from, port.opposite(), tick) else { continue };
                if let Knows::If(lit) = self.knows(packet, from, tick - 1) {
                    self.add(&[!sends, lit]);
                }
                ways.push(sends);
            }
            let (before, after) = (self.knows(packet, node, tick - 1), self.knows(packet, node, tick));
            if after == Knows::Never || before == Knows::Always {
                continue;
            }
            if let Knows::If(lit) = before {
                ways.push(lit);
            }
            if let Knows::If(after) = after {
                ways.push(!after);
                if let Knows::If(before) = before {
                    self.add(&[!before, after]);
                }
            }
            self.add(&ways);
        }
    }

    /// A link carries at most one packet per tick, whichever way; so does its image, which is the same link to the formula.
    fn share(&mut self, node: NodeId, there: NodeId, axis: usize, tick: u32) {
        let mut ends = vec![(node, Port::plus(axis)), (there, Port::minus(axis))];
        if self.is_turned() {
            ends.extend([(self.image(there), Port::plus(axis)), (self.image(node), Port::minus(axis))]);
        }
        let packets = ends.into_iter().flat_map(|end| (0..self.packets).map(move |packet| (packet, end)));
        let carried: Vec<Lit> =
            packets.filter_map(|(packet, (node, port))| self.sends(packet, node, port, tick)).collect();
        // one after the other: whether one of those so far is carried
        let mut any: Option<Lit> = None;
        for (index, &lit) in carried.iter().enumerate() {
            if let Some(any) = any {
                self.add(&[!any, !lit]);
            }
            if index + 1 < carried.len() {
                let next = self.lit();
                self.add(&[!lit, next]);
                if let Some(any) = any {
                    self.add(&[!any, next]);
                }
                any = Some(next);
            }
        }
    }

    /// The moves that make it true, without what brings a node a packet for a second time.
    fn read(&self) -> Vec<PacketMove> {
        let nodes = self.mesh.nodes();
        let is_true = |lit: Lit| self.solver.value_lit(lit) == lbool::TRUE;
        let mut has: Vec<bool> = (0..nodes * nodes).map(|at| at / nodes == at % nodes).collect();
        let mut moves = Vec::new();
        for tick in 1..=self.steps {
            for (packet, from) in
                (0..self.packets).flat_map(|packet| self.mesh.node_ids().map(move |node| (packet, node)))
            {
                for by in self.mesh.linked_ports(from) {
                    let there = self.mesh.step(from, by).expect("it is linked");
                    let is_sent = self.sends(packet, from, by, tick).is_some_and(is_true);
                    if is_sent && !std::mem::replace(&mut has[(packet * nodes + there.0) as usize], true) {
                        moves.push(PacketMove { tick, from, by, token: NodeId(packet) });
                        if self.is_turned() {
                            let token = self.image(NodeId(packet));
                            moves.push(PacketMove { tick, from: self.image(from), by: by.opposite(), token });
                        }
                    }
                }
            }
        }
        moves
    }
}
