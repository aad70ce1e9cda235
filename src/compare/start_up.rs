//! Start-up costs in the comparison of reductions: the model, and the start-up time from which few rounds beat many.

use super::contender::{Contender, ContenderRow};
use crate::study::rounds::Algorithm;

/// Bits of a flit for which cells are counted.
pub const WIDTH: u32 = 32;

/// Meaning of the columns that only reductions have, followed by those of the second table.
pub const LEGEND: [(&str, &str); 3] = [
    ("rounds", "messages that a node sends by a port, one after the other; in a router they are ticks"),
    (
        "LUT, FF",
        "LUTs of four inputs and flip-flops of all routers and the control, for the sum of words of 32 bits and the first L",
    ),
    (
        "A(L=...)",
        "the start-up time of a message, in ticks, from which on it is faster than all of ours, if theirs cost it too",
    ),
];

/// Cost model of the known algorithms, as the page explains it.
pub const MODEL: [&str; 7] = [
    "A node has L words for each of P nodes. All are counted in one model: a link carries a word per direction and tick, a node uses",
    "all of its 2d ports at once, and a word can be sent on in the tick after it came. Ours are the ticks of checked programs. Every",
    "other one splits the vector into 2d parts of V = L P / 2d words and runs a copy on each: copies begin with different axes, and",
    "half of them are mirror images. A round is over when its last message has arrived; messages that share a link take turns; parts",
    "of words are rounded up. An all-gather takes as many rounds as the reduce-scatter before it. A message costs no start-up here, as",
    "in a router. Where software starts each of them, A ticks per round come on top, of ours as well, and few rounds win: the second",
    "table says from which A on. The rounds of a reduce-scatter:",
];

/// Each algorithm with its formula and its source.
pub fn formulas() -> impl Iterator<Item = String> {
    Algorithm::ALL.into_iter().map(|it| format!("{it}: {} ({})", it.formula(), it.source()))
}

/// For each length the start-up time from which on an algorithm is faster than every scheme of ours; none if it never is.
pub fn of(rows: &[ContenderRow], row: &ContenderRow) -> Vec<Option<u64>> {
    let ours = || rows.iter().filter(|row| matches!(row.contender, Contender::Scheme(_)));
    let from = |(at, &ticks): (usize, &Option<u64>)| {
        let theirs = (ticks?, row.rounds);
        ours()
            .filter_map(|our| Some((our.ticks[at]?, our.rounds)))
            .map(|our| least(theirs, our))
            .try_fold(0, |most, one| Some(most.max(one?)))
    };
    row.ticks.iter().enumerate().map(from).collect()
}

/// From which start-up time on so many ticks and rounds take less than others; none if they never do.
fn least((ticks, rounds): (u64, u64), (others, other_rounds): (u64, u64)) -> Option<u64> {
    if ticks < others && rounds <= other_rounds {
        return Some(0);
    }
    let fewer = other_rounds.checked_sub(rounds).filter(|&fewer| fewer > 0)?;
    Some((ticks - others) / fewer + 1)
}

/// The table of these times.
pub fn cells(flits: &[u32], rows: &[ContenderRow]) -> Vec<Vec<String>> {
    let head = flits.iter().map(|flits| format!("A(L={flits})"));
    let mut table = vec![std::iter::once("algorithm".to_owned()).chain(head).collect()];
    for row in rows.iter().filter(|row| matches!(row.contender, Contender::Algorithm(_))) {
        let cells = of(rows, row).into_iter().map(|from| from.map_or("-".to_owned(), |from| from.to_string()));
        table.push(std::iter::once(row.contender.to_string()).chain(cells).collect());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By trying one start-up time after the other.
    #[test]
    fn the_start_up_time_is_the_least_from_which_on_fewer_rounds_win() {
        for ((ticks, rounds), (others, other_rounds)) in
            [((42, 12), (33, 32)), ((33, 12), (33, 32)), ((20, 12), (33, 32)), ((10, 9), (10, 9)), ((50, 40), (33, 32))]
        {
            let wins = |start_up: u64| ticks + start_up * rounds < others + start_up * other_rounds;
            let tried = (0..100).find(|&from| (from..200).all(wins));
            assert_eq!(least((ticks, rounds), (others, other_rounds)), tried, "{ticks} {rounds}");
        }
    }
}
