//! Memories that several inputs or outputs of a node share: what is done there in the same ticks needs one counter.
//!
//! Words that outputs send in the same ticks lie in one bank if they are the same; words that are kept of several inputs lie side
//! by side. An input may keep what nobody asks for if another keeps something then. No memory gets more words by it.

use std::collections::BTreeSet;

use super::super::node::{Acts, FoundPlace};

/// Groups of outputs or inputs, with units: none for one that has no words.
pub(super) type Groups = Vec<Vec<usize>>;

/// Outputs and units whose words lie in one bank.
pub(super) fn sends(all: &[&Acts], count: usize) -> Groups {
    grouped(count, |group| {
        let mut most = 0;
        for acts in all {
            let mut words = 0;
            let mut sent = BTreeSet::new();
            for tick in &acts.ticks {
                let mut own = group.iter().filter_map(|&output| tick.acts[output].as_ref()?.own);
                let Some(first) = own.next() else { continue };
                // a bank has each word once, so that all send it in one tick
                let is_sent_again = group.len() > 1 && !sent.insert(first);
                if is_sent_again || own.any(|other| other != first) {
                    return None;
                }
                words += 1;
            }
            most = most.max(words);
        }
        Some(most)
    })
}

/// Inputs and units of which words are kept side by side; each alone, if words of one are read while those of another wait.
pub(super) fn keeps(all: &[&Acts], count: usize, are_read_apart: bool) -> Groups {
    grouped(count, |group| {
        if are_read_apart && group.len() > 1 {
            return None;
        }
        let are_kept = |acts: &&Acts| {
            acts.ticks.iter().filter(|tick| tick.keeps.iter().any(|&input| group.contains(&(input as usize)))).count()
        };
        all.iter().map(are_kept).max().map(|words| words as u32)
    })
}

/// Groups that need no more room than their members, which `words` tells if they can be together.
fn grouped(count: usize, words: impl Fn(&[usize]) -> Option<u32>) -> Groups {
    let room = |group: &[usize]| words(group).map(u32::next_power_of_two);
    let mut groups: Vec<(Vec<usize>, u32)> = Vec::new();
    for number in 0..count {
        let Some(own) = words(&[number]).filter(|&words| words > 0) else { continue };
        let own = own.next_power_of_two();
        let joined = groups.iter_mut().filter(|(_, other)| *other == own).find_map(|(group, _)| {
            let both: Vec<usize> = group.iter().copied().chain([number]).collect();
            (room(&both) == Some(own)).then(|| *group = both)
        });
        if joined.is_none() {
            groups.push((vec![number], own));
        }
    }
    groups.into_iter().map(|(group, _)| group).collect()
}

/// Lets all inputs of a group keep something when one of them does.
pub(super) fn keep_together(acts: &mut Acts, groups: &[Vec<usize>]) {
    for group in groups.iter().filter(|group| group.len() > 1) {
        // by member: the places of its words among those of the group
        let mut places: Vec<Vec<u32>> = vec![Vec::new(); group.len()];
        let mut place = 0;
        for tick in &mut acts.ticks {
            let is_kept: Vec<bool> = group.iter().map(|&input| tick.keeps.contains(&(input as u32))).collect();
            if !is_kept.contains(&true) {
                continue;
            }
            for ((places, &input), is_kept) in places.iter_mut().zip(group).zip(is_kept) {
                if is_kept {
                    places.push(place);
                } else {
                    tick.keeps.push(input as u32);
                }
            }
            tick.keeps.sort_unstable();
            place += 1;
        }
        for word in &mut acts.words {
            if let FoundPlace::Kept(input, rank) = word
                && let Some(member) = group.iter().position(|&other| other == *input as usize)
            {
                *rank = places[member][*rank as usize];
            }
        }
    }
}
