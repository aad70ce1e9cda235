//! Writes a source file anew with all its mutants in it, each asleep behind `crate::mutation::on(number)`.
//!
//! An operator's two sides are computed once, then each mutant has a line of its own that ends in a mark, so that an error of
//! the compiler tells which mutant does not compile. Where a mutant cannot stand - in a constant, in a `const fn`, in a chain of
//! `let`, in place of some `impl Iterator` - it is left out.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

use proc_macro2::{LineColumn, Span};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::list::{Genre, Mutant, Place};
use crate::marks::Mark;

/// The mutants of a file, by number, that are to be written.
pub type Numbered<'m> = Vec<(usize, &'m Mutant)>;

/// The file with its mutants.
pub fn rewritten(text: &str, mutants: &Numbered) -> Result<String, String> {
    let file = syn::parse_file(text).map_err(|error| error.to_string())?;
    let mut at: HashMap<(Genre, Place), Vec<(usize, String)>> = HashMap::new();
    for (number, mutant) in mutants {
        at.entry((mutant.genre, mutant.span.start)).or_default().push((*number, mutant.replacement.clone()));
    }
    let mut lines = vec![0];
    lines.extend(text.match_indices('\n').map(|(at, _)| at + 1));
    let mut rewriter = Rewriter { text, lines, at, edits: Vec::new(), closings: 0 };
    rewriter.visit_file(&file);
    Ok(rewriter.rendered(0..text.len(), &rewriter.edits))
}

/// Text that takes the place of a range, mostly an empty one.
struct Edit {
    range: Range<usize>,
    order: Order,
    text: String,
}

/// Order of edits at one place: inner closings, outer closings, outer openings, inner openings, replaced operator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    Closes(usize),
    Opens(usize),
    Replaces,
}

struct Rewriter<'t> {
    text: &'t str,
    lines: Vec<usize>,
    at: HashMap<(Genre, Place), Vec<(usize, String)>>,
    edits: Vec<Edit>,
    closings: usize,
}

/// An operator with mutants, their marks, and where it stands in its expression.
struct Operator {
    mutants: Vec<(usize, String)>,
    opens: String,
    closes: String,
    whole: Range<usize>,
    at: Range<usize>,
    own: String,
}

impl Rewriter<'_> {
    fn offset(&self, at: LineColumn) -> usize {
        let line = self.lines[at.line - 1];
        line + self.text[line..].chars().take(at.column).map(char::len_utf8).sum::<usize>()
    }

    fn range(&self, span: Span) -> Range<usize> {
        self.offset(span.start())..self.offset(span.end())
    }

    /// The mutants of a genre at a place, which are taken.
    fn take(&mut self, genre: Genre, span: Span) -> Vec<(usize, String)> {
        let LineColumn { line, column } = span.start();
        self.at.remove(&(genre, Place { line, column: column + 1 })).unwrap_or_default()
    }

    fn edit(&mut self, range: Range<usize>, order: Order, text: String) {
        self.edits.push(Edit { range, order, text });
    }

    /// Puts text around an expression.
    fn around(&mut self, range: &Range<usize>, before: String, after: String) {
        // an outer expression is written after those in it
        self.closings += 1;
        self.edit(range.start..range.start, Order::Opens(usize::MAX - self.closings), before);
        self.edit(range.end..range.end, Order::Closes(self.closings), after);
    }

    fn rendered(&self, range: Range<usize>, edits: &[Edit]) -> String {
        let mut edits: Vec<&Edit> = edits.iter().collect();
        edits.sort_by_key(|edit| (edit.range.start, edit.order));
        let mut text = String::new();
        let mut at = range.start;
        for edit in edits {
            text += &self.text[at..edit.range.start];
            text += &edit.text;
            at = edit.range.end;
        }
        text + &self.text[at..range.end]
    }

    /// An operator, where it stands and in what, if it has mutants.
    fn operator(&mut self, genre: Genre, whole: Span, operator: Span) -> Option<Operator> {
        let mutants = self.take(genre, operator);
        let (opens, closes) = (Mark::Opens.of(&mutants), Mark::Closes.of(&mutants));
        let (whole, at) = (self.range(whole), self.range(operator));
        let own = self.text[at.clone()].to_owned();
        (!mutants.is_empty()).then_some(Operator { mutants, opens, closes, whole, at, own })
    }

    fn binary(&mut self, expression: &syn::ExprBinary) {
        let found = self.operator(Genre::BinaryOperator, expression.span(), expression.op.span());
        let Some(Operator { mutants, opens, closes, whole, at, own }) = found else { return };
        let compares = matches!(own.as_str(), "==" | "!=" | "<" | "<=" | ">" | ">=");
        match own.as_str() {
            "&&" | "||" => {
                if has_let(&expression.left) || has_let(&expression.right) {
                    return;
                }
                // the other operator asks for the right side where this one does not
                let (then, other) = if own == "&&" { ("", "} else { left_ }") } else { ("left_ } else {", "}") };
                let on = alive(&mutants);
                self.around(&whole, format!("({{ let left_ = \n{opens}("), format!("{other} }}){closes}\n"));
                self.edit(at, Order::Replaces, format!(");\nif left_ ^ ({on}) {{ {then}"));
            }
            assigns if assigns.ends_with('=') && !compares => {
                let place = self.range(expression.left.span());
                let (inside, others) = std::mem::take(&mut self.edits)
                    .into_iter()
                    .partition(|edit| place.start <= edit.range.start && edit.range.end <= place.end);
                self.edits = others;
                let left = self.rendered(place, &inside);
                let arms =
                    arms(&mutants, |operator| format!("{left} {operator} right_"), &format!("{left} {own} right_"));
                self.edit(whole.start..at.end, Order::Replaces, format!("match (\n{opens}"));
                self.closings += 1;
                let order = Order::Closes(self.closings);
                self.edit(whole.end..whole.end, order, format!("\n) {{ right_ => {{\n{arms}}} }}{closes}\n"));
            }
            _ => {
                // compared expressions stay where they are
                let (lent, read) = if compares { ("&", "*") } else { ("", "") };
                let computed = |operator: &str| format!("{read}left_ {operator} {read}right_");
                let arms = arms(&mutants, computed, &computed(&own));
                self.around(
                    &whole,
                    format!("(match (\n{opens}{lent}("),
                    format!("\n)) {{ (left_, right_) => {{\n{arms}}} }}){closes}\n"),
                );
                self.edit(at, Order::Replaces, format!("), {lent}("));
            }
        }
    }

    fn unary(&mut self, expression: &syn::ExprUnary) {
        let found = self.operator(Genre::UnaryOperator, expression.span(), expression.op.span());
        let Some(Operator { mutants, opens, closes, whole, at, own }) = found else { return };
        let arms = arms(&mutants, |_| "value".to_owned(), &format!("{own}value"));
        self.around(&whole, format!("(match (\n{opens}"), format!("\n) {{ value => {{\n{arms}}} }}){closes}\n"));
        self.edit(at, Order::Replaces, String::new());
    }

    fn body(&mut self, signature: &syn::Signature, block: &syn::Block) {
        // two things of one trait are two types, of which a function cannot return now one and now the other
        if matches!(&signature.output, syn::ReturnType::Type(_, returned) if matches!(**returned, syn::Type::ImplTrait(_)))
        {
            return;
        }
        let Some(first) = block.stmts.first() else { return };
        let mutants = self.take(Genre::FnValue, first.span());
        let mut returns = String::from("\n");
        for (number, value) in &mutants {
            let _ = writeln!(returns, "if crate::mutation::on({number}) {{ return {value}; }}/*@{number}*/");
        }
        let start = self.range(first.span()).start;
        if !mutants.is_empty() {
            self.edit(start..start, Order::Opens(0), returns);
        }
    }

    fn arm(&mut self, arm: &syn::Arm) {
        let dead = self.take(Genre::MatchArm, arm.span());
        if let Some((_, guard)) = &arm.guard {
            let mutants = self.take(Genre::MatchArmGuard, guard.span());
            if (mutants.is_empty() && dead.is_empty()) || has_let(guard) {
                return;
            }
            let (always, never): (Vec<_>, Vec<_>) = mutants.into_iter().partition(|(_, value)| value == "true");
            let never: Vec<_> = never.into_iter().chain(dead).collect();
            let (opens, closes, stands) = (Mark::Opens.of(&always), Mark::Closes.of(&always), Mark::Stands.of(&never));
            self.around(
                &self.range(guard.span()),
                format!("(\n{opens}{} || (", alive(&always)),
                format!(")){closes} && \n{stands}!({})\n", alive(&never)),
            );
        } else if !dead.is_empty() {
            let end = self.range(arm.pat.span()).end;
            self.closings += 1;
            let text = format!(" if \n{}!({})\n", Mark::Stands.of(&dead), alive(&dead));
            self.edit(end..end, Order::Closes(self.closings), text);
        }
    }
}

fn alive(mutants: &[(usize, String)]) -> String {
    let asked: Vec<String> = mutants.iter().map(|(number, _)| format!("crate::mutation::on({number})")).collect();
    if asked.is_empty() { "false".to_owned() } else { asked.join(" | ") }
}

/// One line per mutant that computes its replacement, and the original as the last.
fn arms(mutants: &[(usize, String)], with: impl Fn(&str) -> String, own: &str) -> String {
    let mut arms = String::new();
    for (number, replacement) in mutants {
        let _ = writeln!(arms, "if crate::mutation::on({number}) {{ {} }} else /*@{number}*/", with(replacement));
    }
    arms + &format!("{{ {own} }}\n")
}

/// Returns true if an expression is a chain with `let`.
fn has_let(expression: &syn::Expr) -> bool {
    match expression {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Rewriter<'_> {
    fn visit_expr_binary(&mut self, expression: &'ast syn::ExprBinary) {
        visit::visit_expr_binary(self, expression);
        self.binary(expression);
    }

    fn visit_expr_unary(&mut self, expression: &'ast syn::ExprUnary) {
        visit::visit_expr_unary(self, expression);
        self.unary(expression);
    }

    fn visit_expr_match(&mut self, expression: &'ast syn::ExprMatch) {
        let catches_all = |arm: &syn::Arm| arm.guard.is_none() && matches!(arm.pat, syn::Pat::Wild(_));
        if !expression.arms.iter().any(catches_all) {
            // without one of its arms it says nothing of some values, and does not compile
            for arm in &expression.arms {
                self.take(Genre::MatchArm, arm.span());
            }
        }
        visit::visit_expr_match(self, expression);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        visit::visit_arm(self, arm);
        self.arm(arm);
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if function.sig.constness.is_none() {
            visit::visit_item_fn(self, function);
            self.body(&function.sig, &function.block);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if function.sig.constness.is_none() {
            visit::visit_impl_item_fn(self, function);
            self.body(&function.sig, &function.block);
        }
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        visit::visit_trait_item_fn(self, function);
        if let Some(block) = &function.default {
            self.body(&function.sig, block);
        }
    }

    // constants are computed by the compiler
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::list::Span;
    use crate::marks;

    /// One mutant for every operator of a text, by what it becomes.
    fn all(text: &str, operators: &[(&str, Genre, &str)]) -> Vec<Mutant> {
        let mut mutants = Vec::new();
        for (line, written) in (1..).zip(text.lines()) {
            for &(operator, genre, replacement) in operators {
                for (at, _) in written.match_indices(operator) {
                    let start = Place { line, column: written[..at].chars().count() + 1 };
                    let span = Span { start, end: start };
                    let (file, replacement) = ("f.rs".to_owned(), replacement.to_owned());
                    mutants.push(Mutant { file, function: None, genre, replacement, span });
                }
            }
        }
        mutants
    }

    fn written(text: &str, mutants: &[Mutant]) -> String {
        rewritten(text, &mutants.iter().enumerate().collect()).unwrap()
    }

    #[test]
    fn operators_inside_one_another_stand_around_one_another() {
        let text = "fn f(a: u32, b: u32) -> bool { !(a + b == b) && a - b < 3 }";
        let binary = |operator, replacement| (operator, Genre::BinaryOperator, replacement);
        let operators =
            [binary("+", "*"), binary("==", "!="), binary("&&", "||"), binary("- ", "+"), binary("< ", ">")];
        let mut mutants = all(text, &operators);
        mutants.extend(all(text, &[("!(", Genre::UnaryOperator, "")]));
        let written = written(text, &mutants);
        syn::parse_file(&written).unwrap();
        assert_eq!(self::written_numbers(&written), (0..6).collect());
    }

    fn written_numbers(text: &str) -> BTreeSet<usize> {
        marks::written(text).collect()
    }

    #[test]
    fn assignment_targets_are_written_for_every_mutant() {
        let text = "fn f(a: &mut [u32], i: usize) { a[i + 1] += 2; }";
        let mutants = all(text, &[("+ ", Genre::BinaryOperator, "-"), ("+=", Genre::BinaryOperator, "-=")]);
        let written = written(text, &mutants);
        syn::parse_file(&written).unwrap();
        assert_eq!(written_numbers(&written), (0..2).collect());
        assert!(!written.contains("a[i"), "the mutant of its index is in every place: {written}");
    }

    #[test]
    fn constants_and_chains_of_let_stay_as_they_are() {
        let text = "const A: u32 = 1 + 2;\nconst fn f() -> u32 { 1 + 2 }\nfn g(a: Option<u32>) -> bool { if let Some(a) = a && a > 1 { true } else { false } }";
        let mutants = all(text, &[("+ ", Genre::BinaryOperator, "-"), ("&&", Genre::BinaryOperator, "||")]);
        assert_eq!(written(text, &mutants), text);
    }

    #[test]
    fn a_body_an_arm_and_a_guard_have_their_mutants() {
        let text = "fn f(a: u32) -> u32 {\n    match a {\n        0 => 1,\n        1 if a > 0 => 2,\n        _ => 3,\n    }\n}";
        let mut mutants = all(text, &[("match", Genre::FnValue, "7"), ("0 =>", Genre::MatchArm, "")]);
        mutants.retain(|mutant| mutant.genre != Genre::MatchArm || mutant.span.start.line == 3);
        mutants.extend(all(text, &[("a > 0", Genre::MatchArmGuard, "true"), ("a > 0", Genre::MatchArmGuard, "false")]));
        let written = written(text, &mutants);
        syn::parse_file(&written).unwrap();
        assert_eq!(written_numbers(&written), (0..4).collect());
    }

    #[test]
    fn an_arm_of_a_match_that_needs_it_is_not_taken_away() {
        let text = "fn f(a: bool) -> u32 {\n    match a {\n        true => 1,\n        _ if a => 2,\n        false => 3,\n    }\n}";
        let mutants = all(text, &[("true", Genre::MatchArm, "")]);
        assert_eq!(written(text, &mutants), text);
    }
}
