//! Words of one program of a call.

use std::collections::HashMap;

use crate::emit::shared::call_words::rows::BankWord;
use crate::emit::shared::call_words::{EndPlaces, MessageOut, MovedSchedule, StreamMessage, WayOut, first_arrivals};
use crate::netlist::BlockOrder;

/// Words of one program of a call, by node.
pub struct ProgramWords {
    pub taken: Vec<u64>,
    pub ends: Vec<Vec<bool>>,
    /// Words of each block that goes out.
    pub given: Vec<Vec<Vec<BankWord>>>,
    /// True if its words move, and are not combined.
    moves: bool,
}

impl ProgramWords {
    pub fn of(called: &MovedSchedule<'_>, way: WayOut) -> Self {
        let program = called.program();
        let topology = &program.topology;
        let streams: Vec<Vec<StreamMessage>> = topology.live_ids().map(|node| called.taken(node)).collect();
        let length = |messages: &Vec<StreamMessage>| messages.iter().map(|message| message.words).sum();
        let taken: Vec<u64> = streams.iter().map(length).collect();
        let is_by_arrival = way.order == Some(BlockOrder::Arrival);
        let arrivals = if is_by_arrival { first_arrivals(program) } else { HashMap::new() };
        let places = EndPlaces { arrivals, passed: program.outputs() + way.units };
        let given = topology.live_ids().map(|node| {
            let mut blocks: Vec<MessageOut> = Vec::new();
            let mut first = 0;
            for (sender, (messages, taken)) in topology.live_ids().zip(streams.iter().zip(&taken)) {
                if program.reduction.is_none() {
                    blocks.extend(called.given(node, sender, messages, first, &places));
                } else if sender == node {
                    // the n-th word of every stream is for the same result
                    blocks.extend(called.results(node, messages, &places));
                }
                first += taken;
            }
            if !way.by_message {
                blocks = joined(blocks);
            }
            if is_by_arrival {
                blocks.sort_by_key(|block| block.arrival);
            }
            blocks.into_iter().map(|block| block.words).collect()
        });
        let given = given.collect();
        let ends = streams.iter().map(|stream| ends(stream, way.by_message)).collect();
        Self { taken, ends, given, moves: program.reduction.is_none() }
    }

    /// Numbers words as they stand in the streams of all programs, where those of this one begin, node by node, at `begins`.
    pub fn numbered(&mut self, begins: &[u64]) {
        let starts: Vec<u64> =
            self.taken.iter().scan(0, |next, taken| Some(std::mem::replace(next, *next + taken))).collect();
        let moves = self.moves;
        for BankWord { word, .. } in self.given.iter_mut().flatten().flatten().filter(|_| moves) {
            // nodes that take nothing begin where the next one does
            let node = starts.partition_point(|&start| start <= word.number) - 1;
            word.number = begins[node] + word.number - starts[node];
        }
    }
}

/// Ends of blocks in a stream in: of messages, or of all messages for one node.
fn ends(stream: &[StreamMessage], by_message: bool) -> Vec<bool> {
    let full: Vec<&StreamMessage> = stream.iter().filter(|message| message.words > 0).collect();
    let is_end = |at: usize| by_message || full.get(at + 1).is_none_or(|next| next.to != full[at].to);
    let of_message = |(at, message): (usize, &&StreamMessage)| {
        (1..=message.words).map(|word| word == message.words && is_end(at)).collect::<Vec<_>>()
    };
    full.iter().enumerate().flat_map(of_message).collect()
}

/// Messages of one node as one block, which begins with the first of them that arrives.
fn joined(messages: Vec<MessageOut>) -> Vec<MessageOut> {
    let mut blocks: Vec<MessageOut> = Vec::new();
    for message in messages {
        match blocks.last_mut().filter(|block| block.words[0].word.origin == message.words[0].word.origin) {
            Some(block) => {
                block.words.last_mut().expect("blocks have words").word.is_last = false;
                block.arrival = block.arrival.min(message.arrival);
                block.words.extend(message.words);
            }
            None => blocks.push(message),
        }
    }
    for word in blocks.iter_mut().flat_map(|block| &mut block.words) {
        word.word.block = 0;
    }
    blocks
}
