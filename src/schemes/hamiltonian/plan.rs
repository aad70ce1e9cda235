//! Switched squares of the product of Aubert and Schneider.
//!
//! n is the length of the fibre, m that of A and B. Nodes go by their rank on A, and link i of A leads from rank i to
//! the next. Layers and gaps count modulo n. n even with m odd is never asked for.
//!
//! All fibres must become one cycle, and so must the n copies of A, and those of B. A switch between two cycles makes
//! one of them, a second switch between the same two may part them again: it is the order in which the cycles pass the
//! square that decides. The proof is Aubert's and Schneider's; here every result is walked along before it is used.
//! - The *zigzag* joins all m fibres, by one switch on every link of A but the last, at gaps 0 and 1 by turns. On the
//!   way it joins layers 0, 1 and 2 of A; one or two of the last links moved to gap 2 mend the parity of n or m.
//! - An *arm* reaches the further layers of A or B: two neighbouring links switched by turns at consecutive gaps,
//!   always an even number of them.
//!
//! Two switches must not share a link. So a link is not switched at two adjacent gaps, and two links with a common
//! end not at the same gap.

/// One square: a link of A or B, by its index there, and the gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The index of the link.
    pub link: usize,
    /// Index of the gap.
    pub gap: usize,
}

/// All squares to switch, those of A before those of B.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchPlan {
    /// On links of A.
    pub on_a: Vec<Switch>,
    /// On links of B.
    pub on_b: Vec<Switch>,
}

/// Start and direction in which A is read; a plan counts ranks from there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CycleReading {
    /// The node that gets rank 0, by its index on A.
    pub start: usize,
    /// True if ranks grow against A's own order.
    pub backwards: bool,
}

impl SwitchPlan {
    /// The first reading of A that has a plan. `ranks` gives the rank on A, as it stands, of every node of B, in B's
    /// order. Large graphs succeed at the first reading.
    pub fn find(n: usize, ranks: &[usize]) -> Option<(CycleReading, Self)> {
        let m = ranks.len();
        let readings = (0..m).flat_map(|start| [false, true].map(|backwards| CycleReading { start, backwards }));
        readings.into_iter().find_map(|reading| {
            let CycleReading { start, backwards } = reading;
            let turned = |&rank: &usize| (if backwards { start + m - rank } else { rank + m - start }) % m;
            let search = PlanSearch { n, m, ranks: ranks.iter().map(turned).collect() };
            search.plan().map(|plan| (reading, plan))
        })
    }

    /// The plan with these gaps for the zigzag, the arm of A that always goes with them, and these squares on B.
    pub fn new(n: usize, m: usize, zigzag: &[usize], on_b: Vec<Switch>) -> Self {
        let zigzag = zigzag.iter().enumerate().map(|(link, &gap)| Switch { link, gap });
        Self { on_a: zigzag.chain(arm(arm_of_a(n, m), [0, 1])).collect(), on_b }
    }
}

/// Switches two links by turns.
fn arm(gaps: impl Iterator<Item = usize>, links: [usize; 2]) -> impl Iterator<Item = Switch> {
    gaps.zip(links.into_iter().cycle()).map(|(gap, link)| Switch { link, gap })
}

/// The gaps that take A to the layers which the zigzag does not reach. Empty up to n = 4.
fn arm_of_a(n: usize, m: usize) -> std::ops::Range<usize> {
    match (n % 2, m % 2) {
        (0, _) => 3..n - 1,
        (_, 0) => 3..n,
        _ => 2..n - 1,
    }
}

/// The even one of the two links of A at the node of this rank.
fn even_link(rank: usize) -> usize {
    rank & !1
}

/// The odd one; the node of rank 0 has none.
fn odd_link(rank: usize) -> Option<usize> {
    Some(rank.checked_sub(1)? | 1)
}

/// Three consecutive nodes of B whose ranks grow or fall and alternate in parity: the place for an arm.
#[derive(Clone, Copy)]
struct Triple {
    /// Ranks in growing order.
    ranks: [usize; 3],
    /// The links of B between the lower two and between the upper two.
    links: [usize; 2],
}

impl Triple {
    fn within(&self, low: usize, high: usize) -> bool {
        low <= self.ranks[0] && self.ranks[2] <= high
    }

    /// The links in the order of an arm; `side` says on which side of the fibres' cycle the arm sits.
    fn arm_links(&self, side: ArmStart) -> [usize; 2] {
        let [lower, upper] = self.links;
        let lower_first = (self.ranks[1] % 2 == 1) == (side == ArmStart::Out);
        if lower_first { [lower, upper] } else { [upper, lower] }
    }
}

/// Start of an arm: the one at gap 2 on the way out over the fibres, the one at gap n - 1 on the way back to gap 0, so
/// that the two take their links in opposite order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArmStart {
    Out,
    Back,
}

/// One reading of A.
struct PlanSearch {
    n: usize,
    m: usize,
    /// rank of every node of B, in B's order
    ranks: Vec<usize>,
}

impl PlanSearch {
    fn plan(&self) -> Option<SwitchPlan> {
        match (self.n, self.n % 2) {
            (3, _) => self.over_three_layers(),
            (_, 1) => self.over_odd_fibre(),
            _ => self.over_even_fibre(),
        }
    }

    /// Gaps 0 and 1 by turns for all links but the last.
    fn zigzag(&self) -> Vec<usize> {
        (0..self.m - 1).map(|link| link % 2).collect()
    }

    /// n and m even: one arm, and one square at gap 1 between B and A instead of the fibres.
    fn over_even_fibre(&self) -> Option<SwitchPlan> {
        let (n, m) = (self.n, self.m);
        let mut zigzag = self.zigzag();
        zigzag[m - 3] = 2;
        zigzag[m - 2] = 1;
        let bridge = self.bridge()?;
        let mut triples = (0..m).filter_map(|centre| self.triple(centre));
        let triple =
            triples.find(|triple| triple.within(self.first_free(), m - 4) && !triple.links.contains(&bridge))?;
        let bridge = Switch { link: bridge, gap: 1 };
        let on_b = arm(2..n, triple.arm_links(ArmStart::Out)).chain([bridge]).collect();
        Some(SwitchPlan::new(n, m, &zigzag, on_b))
    }

    /// A link of B from one of the last two nodes on A to an inner node of the other parity: over both its ends the
    /// zigzag has given the fibre links of gap 1 to A.
    fn bridge(&self) -> Option<usize> {
        let m = self.m;
        [m - 1, m - 2].into_iter().find_map(|last| {
            let index = self.ranks.iter().position(|&rank| rank == last)?;
            let (next, before) = ((index + 1) % m, (index + m - 1) % m);
            let fits = |&(neighbour, _): &(usize, usize)| {
                let rank = self.ranks[neighbour];
                (1..=m - 4).contains(&rank) && rank % 2 != last % 2
            };
            [(next, index), (before, before)].into_iter().find(fits).map(|(_, link)| link)
        })
    }

    /// n odd, at least 5: one arm at gaps 2 to n - 2 and one at gaps n - 1 and 0. The second arm needs gap 0 over its
    /// three nodes, so the zigzag leaves it to them.
    fn over_odd_fibre(&self) -> Option<SwitchPlan> {
        let (n, m) = (self.n, self.m);
        let mut zigzag = self.zigzag();
        let (high, high_moved) = if m.is_multiple_of(2) { (m - 3, m - 3) } else { (m - 1, m - 2) };
        if m.is_multiple_of(2) {
            zigzag[m - 2] = 2;
        }
        let first_free = self.first_free();
        let (long, short) = self.near_pair(
            |centre| self.triple(centre),
            |long, short| {
                let apart = |a: &usize| short.ranks.iter().all(|&b| even_link(*a) != even_link(b));
                long.within(first_free, high)
                    && short.within(first_free + 1, high_moved)
                    && long.ranks.iter().all(apart)
            },
        )?;
        for rank in short.ranks {
            zigzag[even_link(rank)] = 2;
        }
        let long = arm(2..n - 1, long.arm_links(ArmStart::Out));
        let short = arm([n - 1, 0].into_iter(), short.arm_links(ArmStart::Back));
        Some(SwitchPlan::new(n, m, &zigzag, long.chain(short).collect()))
    }

    /// n = 3: two links of B whose ends lie crosswise on A, one at gap 1 and one at gap 0; the zigzag moves away to gap 2.
    fn over_three_layers(&self) -> Option<SwitchPlan> {
        let (n, m) = (self.n, self.m);
        let mut zigzag = self.zigzag();
        if m.is_multiple_of(2) {
            zigzag[m - 2] = 2;
        }
        // the first, and the last links, stay where they are: the moved ones must not meet them at gap 2
        let odd_high = if m.is_multiple_of(2) { m - 5 } else { m - 4 };
        let even_high = if m.is_multiple_of(2) { m - 4 } else { m - 3 };
        let odd_links = |[x, y]: [usize; 2]| {
            let links = [odd_link(x)?, odd_link(y)?];
            (links[0] != links[1] && links[1] <= odd_high).then_some(links)
        };
        let even_links = |[x, y]: [usize; 2]| {
            let links = [even_link(x), even_link(y)];
            (links[0] != links[1] && links[0] >= 2 && links[1] <= even_high).then_some(links)
        };
        let moved = |one: &Chord, zero: &Chord| {
            let (odd, even) = (odd_links(one.ranks)?, even_links(zero.ranks)?);
            let meet = odd.iter().any(|o| even.iter().any(|e| o.abs_diff(*e) == 1));
            (one.crosses(zero) && !meet).then_some([odd, even])
        };
        let (one, zero) = self.near_pair(|link| self.chord(link), |one, zero| moved(one, zero).is_some())?;
        for link in moved(&one, &zero)?.concat() {
            zigzag[link] = 2;
        }
        let on_b = vec![Switch { link: one.link, gap: 1 }, Switch { link: zero.link, gap: 0 }];
        Some(SwitchPlan::new(n, m, &zigzag, on_b))
    }

    /// The lowest rank that the arm of A leaves alone.
    fn first_free(&self) -> usize {
        if self.n <= 4 { 0 } else { 3 }
    }

    /// The first place on B, with the first place after it, that fit together.
    fn near_pair<P: Copy>(&self, place: impl Fn(usize) -> Option<P>, fit: impl Fn(&P, &P) -> bool) -> Option<(P, P)> {
        let m = self.m;
        (0..m).find_map(|index| {
            let one = place(index)?;
            let mut others = (1..m).filter_map(|step| place((index + step) % m));
            others.find(|other| fit(&one, other)).map(|other| (one, other))
        })
    }

    fn triple(&self, centre: usize) -> Option<Triple> {
        let (before, after) = ((centre + self.m - 1) % self.m, (centre + 1) % self.m);
        let [r, s, t] = [before, centre, after].map(|index| self.ranks[index]);
        let alternate = r % 2 != s % 2 && s % 2 != t % 2;
        match (r < s, s < t) {
            (true, true) if alternate => Some(Triple { ranks: [r, s, t], links: [before, centre] }),
            (false, false) if alternate => Some(Triple { ranks: [t, s, r], links: [centre, before] }),
            _ => None,
        }
    }

    fn chord(&self, link: usize) -> Option<Chord> {
        let (r, s) = (self.ranks[link], self.ranks[(link + 1) % self.m]);
        (r % 2 != s % 2).then_some(Chord { link, ranks: [r.min(s), r.max(s)] })
    }
}

/// A link of B between nodes of different parity on A.
#[derive(Clone, Copy)]
struct Chord {
    link: usize,
    /// Ranks of its ends in growing order.
    ranks: [usize; 2],
}

impl Chord {
    fn crosses(&self, other: &Self) -> bool {
        let ([a, b], [c, d]) = (self.ranks, other.ranks);
        (a < c && c < b && b < d) || (c < a && a < d && d < b)
    }
}
