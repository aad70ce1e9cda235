//! Reports of Yosys and nextpnr, as JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::emit::fpga::Resources;

/// Speed of a placed design.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlacedClock {
    /// The placer's seed.
    pub seed: u32,
    /// The fastest clock.
    pub mhz: f64,
    /// The path that limits it.
    pub limit: Option<SlowestPath>,
}

/// The slowest path from a register to another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SlowestPath {
    /// The register it leaves.
    pub from: String,
    /// The register it enters, or what stands before it.
    pub to: String,
    /// Nanoseconds in cells, set-up included.
    pub logic_ns: f64,
    /// Nanoseconds on wires.
    pub wire_ns: f64,
    /// Cells on the way after the first: look-up tables, carries, buffers of nets that are global, and the last register's.
    pub cells: usize,
}

#[derive(Deserialize)]
struct Statistics {
    design: Totals,
}

#[derive(Deserialize)]
struct Totals {
    num_cells_by_type: BTreeMap<String, u64>,
}

/// The cells of `stat -json`, of any family.
pub fn cells(json: &[u8]) -> serde_json::Result<Resources> {
    let statistics: Statistics = serde_json::from_slice(json)?;
    let mut cells = Resources::default();
    for (kind, count) in statistics.design.num_cells_by_type {
        match kind.as_str() {
            // a table of fewer inputs takes one of four in Gowin's devices, and so does a bit of a carry chain
            "SB_LUT4" | "LUT4" | "LUT3" | "LUT2" | "LUT1" | "ALU" | "RAM16SDP1" => cells.lut += count,
            // a carry chain of two bits is two tables, a memory of 16 words of 4 bits four
            "CCU2C" | "RAM16SDP2" => cells.lut += 2 * count,
            "TRELLIS_DPR16X4" | "RAM16SDP4" => cells.lut += 4 * count,
            "TRELLIS_FF" => cells.ff += count,
            "SB_RAM40_4K" | "DP16KD" | "PDPW16KD" => cells.bram += count,
            "SP" | "SPX9" | "SDP" | "SDPX9" | "SDPB" | "SDPX9B" | "DPB" | "DPX9B" | "pROM" | "pROMX9" => {
                cells.bram += count;
            }
            kind if kind.starts_with("SB_DFF") || kind.starts_with("DFF") => cells.ff += count,
            _ => {}
        }
    }
    Ok(cells)
}

#[derive(Deserialize)]
struct TimingReport {
    fmax: BTreeMap<String, ReportedClock>,
    #[serde(default)]
    critical_paths: Vec<CriticalPath>,
}

#[derive(Deserialize)]
struct ReportedClock {
    achieved: f64,
}

#[derive(Deserialize)]
struct CriticalPath {
    from: String,
    to: String,
    path: Vec<PathLeg>,
}

#[derive(Deserialize)]
struct PathLeg {
    #[serde(rename = "type")]
    kind: String,
    delay: f64,
    to: PathEnd,
}

#[derive(Deserialize)]
struct PathEnd {
    cell: String,
}

/// The clock of `nextpnr --report`, and the path that limits it.
pub fn timing(seed: u32, json: &[u8]) -> serde_json::Result<PlacedClock> {
    let report: TimingReport = serde_json::from_slice(json)?;
    // the only clock is the slowest one
    let mhz = report.fmax.values().map(|clock| clock.achieved).fold(f64::INFINITY, f64::min);
    let mhz = if mhz.is_finite() { mhz } else { 0.0 };
    // from one edge of a clock to the next, not from or to a pin
    let inside = |path: &&CriticalPath| path.from.starts_with("posedge") && path.to.starts_with("posedge");
    let total = |path: &CriticalPath| path.path.iter().map(|leg| leg.delay).sum::<f64>();
    let slowest = report.critical_paths.iter().filter(inside).max_by(|one, other| total(one).total_cmp(&total(other)));
    Ok(PlacedClock { seed, mhz, limit: slowest.and_then(limit) })
}

fn limit(path: &CriticalPath) -> Option<SlowestPath> {
    let time = |wire: bool| path.path.iter().filter(|leg| (leg.kind == "routing") == wire).map(|leg| leg.delay).sum();
    Some(SlowestPath {
        // the first leg goes through the register that is left; nextpnr gives it the name of the last as where it comes from
        from: named(&path.path.first()?.to.cell),
        to: named(&path.path.last()?.to.cell),
        logic_ns: time(false),
        wire_ns: time(true),
        cells: path.path.iter().filter(|leg| leg.kind == "routing").count(),
    })
}

/// A cell's name without what the tools added to the register's: `fabric.node_0_1.t_out_valid`.
fn named(cell: &str) -> String {
    let end =
        ["_SB_", "_TRELLIS_", "_LUT4", "_PFUMX", "_L6MUX", "_CCU2C", "$"].iter().filter_map(|mark| cell.find(mark));
    cell[..end.min().unwrap_or(cell.len())].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_both_families_are_counted() {
        let stat = |types: &str| format!("{{\"design\": {{\"num_cells_by_type\": {{{types}}}}}}}");
        let ice =
            cells(stat(r#""SB_LUT4": 7, "SB_DFF": 3, "SB_DFFESR": 2, "SB_CARRY": 9, "SB_RAM40_4K": 1"#).as_bytes());
        assert_eq!(ice.unwrap(), Resources { lut: 7, ff: 5, bram: 1 });
        let ecp =
            cells(stat(r#""LUT4": 7, "CCU2C": 2, "TRELLIS_DPR16X4": 1, "TRELLIS_FF": 3, "DP16KD": 1"#).as_bytes());
        assert_eq!(ecp.unwrap(), Resources { lut: 15, ff: 3, bram: 1 });
    }

    #[test]
    fn the_slowest_path_inside_is_told_by_its_registers() {
        let report = r#"{"fmax": {"clk": {"achieved": 250.0, "constraint": 12.0}}, "critical_paths": [
            {"from": "<async>", "to": "posedge clk", "path": []},
            {"from": "posedge clk", "to": "posedge clk", "path": [
                {"type": "clk-to-q", "delay": 0.5, "from": {"cell": "b_SB_LUT4_O"}, "to": {"cell": "a.x_SB_DFF_Q"}},
                {"type": "routing", "delay": 2.5, "from": {"cell": "a.x_SB_DFF_Q"}, "to": {"cell": "b_SB_LUT4_O"}},
                {"type": "setup", "delay": 1.0, "from": {"cell": "b_SB_LUT4_O"}, "to": {"cell": "b_SB_LUT4_O"}}]}]}"#;
        let timing = timing(3, report.as_bytes()).unwrap();
        let limit = SlowestPath { from: "a.x".into(), to: "b".into(), logic_ns: 1.5, wire_ns: 2.5, cells: 1 };
        assert_eq!(timing, PlacedClock { seed: 3, mhz: 250.0, limit: Some(limit) });
    }
}
