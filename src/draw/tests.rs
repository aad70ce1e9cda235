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

#[test]
#[ignore = "writes files"]
fn look() {
    let out = std::env::var("LOOK").unwrap();
    for dims in [&[2, 2][..], &[4, 4], &[6, 8], &[16, 16], &[64, 64]] {
        let (program, cover) = staircase_on(dims);
        let name = format!("{out}/{}x{}", dims[0], dims[1]);
        std::fs::write(format!("{name}-cycles.svg"), cycles(&program, Some(&cover)).unwrap()).unwrap();
        std::fs::write(format!("{name}-links.svg"), cycles(&program, None).unwrap()).unwrap();
        std::fs::write(format!("{name}-supply.svg"), supply(&program, Some(&cover)).unwrap()).unwrap();
        std::fs::write(format!("{name}-classes.svg"), classes(&program).unwrap()).unwrap();
        std::fs::write(format!("{name}-spacetime.svg"), spacetime(&program, Some(&cover), 0, 1).unwrap()).unwrap();
        std::fs::write(format!("{name}-row.svg"), spacetime(&program, None, 0, 1).unwrap()).unwrap();
        std::fs::write(format!("{name}-progress.svg"), progress(&program, None).unwrap()).unwrap();
        let tick = Some(program.ticks / 3);
        std::fs::write(format!("{name}-tick.svg"), progress(&program, tick).unwrap()).unwrap();
    }
}
