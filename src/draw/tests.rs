//! Pictures are well formed, of bounded size, and the same bytes every time.

use super::*;
use crate::construct::staircase;
use crate::cover::Cover;
use crate::program::{Program, Title};
use crate::torus::Torus;

fn staircase_on(dims: &[u32]) -> (Program, Cover) {
    let torus = Torus::new(dims).unwrap();
    let title = Title { name: "t".into(), collective: "gossip".into(), scheme: "staircase".into() };
    (staircase::program(&torus, title).unwrap(), staircase::cover(&torus))
}
