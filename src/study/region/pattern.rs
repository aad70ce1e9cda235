//! Sets of coordinates along one axis, described so that the description fits other sides too.

use std::fmt::Write as _;

use crate::program::joined;

/// A coordinate, counted from the end of the side it is near to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Start(u32),
    /// 1 is the last coordinate.
    End(u32),
}

impl Edge {
    /// Counted from the end only within the last third: there a pattern of a small side goes on at a large one.
    fn of(x: u32, side: u32) -> Self {
        if side - x <= (side / 3).max(1) { Self::End(side - x) } else { Self::Start(x) }
    }

    /// The coordinate on this side; `None` if the side is too short for it.
    fn at(self, side: u32) -> Option<u32> {
        match self {
            Self::Start(x) => (x < side).then_some(x),
            Self::End(back) => side.checked_sub(back),
        }
    }

    fn show(self, side: &str) -> String {
        match self {
            Self::Start(x) => x.to_string(),
            Self::End(back) => format!("{side}-{back}"),
        }
    }
}

/// Consecutive coordinates, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Band {
    from: Edge,
    to: Edge,
}

impl Band {
    const WHOLE: Self = Self { from: Edge::Start(0), to: Edge::End(1) };

    fn of((first, last): (u32, u32), side: u32) -> Self {
        let to = Edge::of(last, side);
        // a single coordinate has one name
        let from = if first == last { to } else { Edge::Start(first) };
        Self { from, to }
    }

    fn contains(self, x: u32, side: u32) -> bool {
        matches!((self.from.at(side), self.to.at(side)), (Some(from), Some(to)) if (from..=to).contains(&x))
    }

    fn show(self, side: &str) -> String {
        match (self.from, self.to) {
            (from, to) if from == to => from.show(side),
            (from, Edge::End(1)) => format!("{}..", from.show(side)),
            (from, to) => format!("{}..{}", from.show(side), to.show(side)),
        }
    }
}

/// A set of coordinates along one axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    All,
    Bands(Vec<Band>),
    Except(Vec<Band>),
    /// Coordinates within a band that leave one of these residues, then a few more, then a few less.
    Residues {
        modulus: u32,
        residues: Vec<u32>,
        within: Band,
        plus: Vec<Edge>,
        minus: Vec<Edge>,
    },
}

impl Pattern {
    /// The cheapest pattern for a set that is not empty.
    pub(super) fn fit(members: &[bool], moduli: &[u32]) -> Self {
        let moduli = moduli.iter().filter(|&&modulus| 2 * modulus as usize <= members.len());
        let periodic = moduli.flat_map(|&modulus| residues(members, modulus));
        let mut candidates = Self::runs(members);
        candidates.extend(periodic);
        Self::cheapest(members, candidates)
    }

    /// The cheapest pattern for a set of sums of coordinates, which are known only modulo the side: residues are
    /// those of the sum itself only if the modulus divides the side.
    pub(super) fn fit_sum(members: &[bool], moduli: &[u32]) -> Self {
        /// On longer sides a single sum is named by itself, from the end if it is near: the residue would change
        /// with the side.
        const SHORT_SIDE: u32 = 4;
        let side = members.len() as u32;
        let moduli =
            moduli.iter().filter(|&&modulus| side.is_multiple_of(modulus) && (modulus < side || side <= SHORT_SIDE));
        let mut candidates: Vec<Self> =
            moduli.flat_map(|&modulus| residues(members, modulus)).filter(Self::is_pure).collect();
        candidates.extend(Self::runs(members));
        Self::cheapest(members, candidates)
    }

    /// The set by its runs, or by those of its complement.
    fn runs(members: &[bool]) -> Vec<Self> {
        let of = |wanted| bands(members, wanted).into_iter().map(|run| Band::of(run, members.len() as u32)).collect();
        vec![Self::Bands(of(true)), Self::Except(of(false))]
    }

    /// The first of the cheapest.
    fn cheapest(members: &[bool], candidates: Vec<Self>) -> Self {
        if members.iter().all(|&member| member) {
            return Self::All;
        }
        candidates.into_iter().min_by_key(Self::cost).expect("runs always fit")
    }

    fn is_pure(&self) -> bool {
        matches!(self, Self::Residues { within, plus, minus, .. }
            if *within == Band::WHOLE && plus.is_empty() && minus.is_empty())
    }

    /// Number of parts that a reader has to take in.
    pub(super) fn cost(&self) -> usize {
        match self {
            Self::All => 0,
            Self::Bands(bands) => 2 * bands.len(),
            Self::Except(bands) => 1 + 2 * bands.len(),
            Self::Residues { residues, within, plus, minus, .. } => {
                let trimmed = usize::from(within.from != Edge::Start(0)) + usize::from(within.to != Edge::End(1));
                1 + residues.len() + trimmed + plus.len() + minus.len()
            }
        }
    }

    /// Returns true if coordinate `x` of a side belongs to the set.
    pub(super) fn contains(&self, x: u32, side: u32) -> bool {
        let any = |bands: &[Band]| bands.iter().any(|band| band.contains(x, side));
        match self {
            Self::All => true,
            Self::Bands(bands) => any(bands),
            Self::Except(bands) => !any(bands),
            Self::Residues { modulus, residues, within, plus, minus } => {
                let names = |edges: &[Edge]| edges.iter().any(|edge| edge.at(side) == Some(x));
                let regular = within.contains(x, side) && residues.contains(&(x % modulus));
                names(plus) || (regular && !names(minus))
            }
        }
    }

    /// The only coordinate, by its name, if the pattern names just one.
    pub(super) fn single(&self, side: &str) -> Option<String> {
        match self {
            Self::Bands(bands) if bands.len() == 1 && bands[0].from == bands[0].to => Some(bands[0].show(side)),
            _ => None,
        }
    }

    /// Phrase about rows or columns: `rows 0..1`, `even columns and the last`.
    pub(super) fn lines(&self, noun: &str, side: &str) -> String {
        let last = |band: &Band| *band == Band { from: Edge::End(1), to: Edge::End(1) };
        let names = |bands: &[Band]| joined(&bands.iter().map(|band| band.show(side)).collect::<Vec<_>>(), "and");
        match self {
            Self::All => format!("every {noun}"),
            Self::Bands(bands) if bands.len() == 1 && last(&bands[0]) => format!("the last {noun}"),
            Self::Bands(bands) => {
                let plural = if bands.len() > 1 || bands[0].from != bands[0].to { "s" } else { "" };
                format!("{noun}{plural} {}", names(bands))
            }
            Self::Except(bands) => format!("{noun}s but {}", names(bands)),
            Self::Residues { modulus, residues, within, plus, minus } => {
                let mut text = match (modulus, residues.as_slice()) {
                    (2, [0]) => format!("even {noun}s"),
                    (2, _) => format!("odd {noun}s"),
                    _ => format!("{noun}s {} mod {modulus}", numbers(residues, "and")),
                };
                exceptions(&mut text, *within, plus, minus, side);
                text
            }
        }
    }

    /// Condition on a coordinate: `x3 in 0..2`, `x3 = n3-1`, `x3 even`.
    pub(super) fn condition(&self, name: &str, side: &str) -> String {
        let names = |bands: &[Band]| joined(&bands.iter().map(|band| band.show(side)).collect::<Vec<_>>(), "or");
        let singles = |bands: &[Band]| bands.iter().all(|band| band.from == band.to);
        match self {
            Self::All => format!("any {name}"),
            Self::Bands(bands) if singles(bands) => format!("{name} = {}", names(bands)),
            Self::Bands(bands) => format!("{name} in {}", names(bands)),
            Self::Except(bands) => format!("{name} not {}", names(bands)),
            Self::Residues { modulus, residues, within, plus, minus } => {
                let mut text = match (modulus, residues.as_slice()) {
                    (2, [0]) => format!("{name} even"),
                    (2, _) => format!("{name} odd"),
                    _ => format!("{name} mod {modulus} = {}", numbers(residues, "or")),
                };
                exceptions(&mut text, *within, plus, minus, side);
                text
            }
        }
    }

    /// The modulus of a pattern of residues and nothing else.
    pub(super) fn pure_residues(&self) -> Option<(u32, &[u32])> {
        match self {
            Self::Residues { modulus, residues, .. } => Some((*modulus, residues)),
            _ => None,
        }
    }
}

/// `, within 4.., and n2-1, but not 0`, each part only where there is something to say.
fn exceptions(text: &mut String, within: Band, plus: &[Edge], minus: &[Edge], side: &str) {
    let names = |edges: &[Edge]| {
        let names = edges.iter().map(|&edge| if edge == Edge::End(1) { "the last".into() } else { edge.show(side) });
        joined(&names.collect::<Vec<_>>(), "and")
    };
    if within != Band::WHOLE {
        let _ = write!(text, " within {}", within.show(side));
    }
    if !minus.is_empty() {
        let _ = write!(text, " but {}", names(minus));
    }
    if !plus.is_empty() {
        let joint = if minus.is_empty() { " and" } else { ", plus" };
        let _ = write!(text, "{joint} {}", names(plus));
    }
}

/// Maximal runs of coordinates that are members (or are not).
fn bands(members: &[bool], wanted: bool) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for (x, _) in members.iter().enumerate().filter(|&(_, &member)| member == wanted) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == x as u32 => *last = x as u32,
            _ => runs.push((x as u32, x as u32)),
        }
    }
    runs
}

/// The set as residues of one modulus: the residues are read off the middle, where no border disturbs.
fn residues(members: &[bool], modulus: u32) -> Vec<Pattern> {
    const MOST_EXCEPTIONS: usize = 3;
    /// Two members within bounds of their own are no pattern.
    const FEWEST_WITHIN: usize = 3;
    let side = members.len() as u32;
    let middle = (side - modulus) / 2;
    let mut residues: Vec<u32> =
        (middle..middle + modulus).filter(|&x| members[x as usize]).map(|x| x % modulus).collect();
    residues.sort_unstable();
    if residues.is_empty() || residues.len() as u32 == modulus {
        return Vec::new();
    }
    let first = members.iter().position(|&member| member).expect("some residue occurs") as u32;
    let last = members.iter().rposition(|&member| member).expect("some residue occurs") as u32;
    let trimmed = Band { from: Edge::Start(first), to: Edge::of(last, side) };
    let fit = |within: Band| {
        let regular = |x: u32| within.contains(x, side) && residues.contains(&(x % modulus));
        let differing = |member: bool| {
            let differs = move |&x: &u32| members[x as usize] == member && regular(x) != member;
            (0..side).filter(differs).map(|x| Edge::of(x, side)).take(MOST_EXCEPTIONS + 1).collect::<Vec<_>>()
        };
        let (plus, minus) = (differing(true), differing(false));
        let few = plus.len() + minus.len() <= MOST_EXCEPTIONS;
        few.then(|| Pattern::Residues { modulus, residues: residues.clone(), within, plus, minus })
    };
    let many = members.iter().filter(|&&member| member).count() >= FEWEST_WITHIN;
    fit(Band::WHOLE).into_iter().chain(fit(trimmed).filter(|_| many)).collect()
}

/// Coordinates as they are: `0, 2, 4, 6 and 7`, `0..4`, `0, 2, 4, ..., 62 and 63`.
pub(super) fn coordinates(members: &[bool], word: &str) -> String {
    const SHORT: usize = 8;
    let mut parts = Vec::new();
    for (first, last) in bands(members, true) {
        match last - first {
            0 => parts.push(first.to_string()),
            1 => parts.extend([first.to_string(), last.to_string()]),
            _ => parts.push(format!("{first}..{last}")),
        }
    }
    if parts.len() > SHORT {
        parts.splice(3..parts.len() - 2, ["...".to_owned()]);
    }
    joined(&parts, word)
}

/// `0 and 2`, for numbers.
pub(super) fn numbers(numbers: &[u32], word: &str) -> String {
    joined(&numbers.iter().map(u32::to_string).collect::<Vec<_>>(), word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_that_is_too_short_for_a_coordinate_has_none() {
        let at = |edge: Edge| [3, 4, 5].map(|side| edge.at(side));
        assert_eq!(at(Edge::Start(4)), [None, None, Some(4)]);
        assert_eq!(at(Edge::End(4)), [None, Some(0), Some(1)]);
    }
}
