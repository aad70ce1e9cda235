//! Lines of the operations of a plan: a JSON reader keeps none.

/// By rank, thread block and operation, the line in which it begins.
#[derive(Debug)]
pub(super) struct OpLines(Vec<Vec<Vec<u32>>>);

/// Depth of an operation: the plan, `gpus`, a rank, `threadblocks`, a block, `ops`, the operation.
const DEPTH: usize = 7;
/// Lists above an operation, with the depths of their brackets.
const LISTS: [(usize, &str); 3] = [(2, "gpus"), (4, "threadblocks"), (6, "ops")];

impl OpLines {
    /// Finds the operations in a text that is JSON.
    pub fn of(text: &str) -> Self {
        let mut lines = Self(Vec::new());
        let (mut line, mut open) = (1, Vec::<&str>::new());
        let (mut key, mut string) = ("", None);
        let mut is_escaped = false;
        for (at, byte) in text.bytes().enumerate() {
            line += u32::from(byte == b'\n');
            if let Some(start) = string {
                match byte {
                    _ if is_escaped => is_escaped = false,
                    b'\\' => is_escaped = true,
                    b'"' => {
                        (key, string) = (&text[start..at], None);
                    }
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => string = Some(at + 1),
                b'{' | b'[' => {
                    open.push(key);
                    key = "";
                    if byte == b'{' {
                        lines.begin(&open, line);
                    }
                }
                b'}' | b']' => {
                    open.pop();
                    key = "";
                }
                _ => {}
            }
        }
        lines
    }

    /// Notes an object; `open` are the keys of all that it lies in, and its own.
    fn begin(&mut self, open: &[&str], line: u32) {
        let is_in = LISTS.iter().all(|&(depth, key)| depth > open.len() || open[depth - 1] == key);
        match (is_in, open.len()) {
            (true, 3) => self.0.push(Vec::new()),
            (true, 5) => {
                if let Some(blocks) = self.0.last_mut() {
                    blocks.push(Vec::new());
                }
            }
            (true, DEPTH) => {
                if let Some(ops) = self.0.last_mut().and_then(|blocks| blocks.last_mut()) {
                    ops.push(line);
                }
            }
            _ => {}
        }
    }

    /// Line of an operation; 0 if it is not known.
    pub fn line(&self, rank: usize, block: usize, op: usize) -> u32 {
        let ops = self.0.get(rank).and_then(|blocks| blocks.get(block));
        ops.and_then(|ops| ops.get(op)).copied().unwrap_or(0)
    }
}
