//! Checking and drawing large figures, beside what no renderer can do without: reading the same JSON and writing the same SVG.

use std::path::Path;
use std::time::Instant;

use super::Binaries;
use super::measure::{Call, Figures, heading, row};
use crate::fault::Fault;
use crate::figures::grid;

/// Nodes and limit on the time in milliseconds. **Source**: the project's own promise to users.
const SIZES: [(usize, f64); 2] = [(500, 20.0), (5_000, 200.0)];
const RUNS: usize = 11;

pub(super) fn run(binaries: &Binaries) -> Result<(), Fault> {
    for (nodes, limit) in SIZES {
        heading(&format!(
            "figure_renderer: {nodes} nodes and as many edges, {RUNS} runs, min / median / max"
        ));
        let temp = tempfile::tempdir().map_err(Fault::from_error)?;
        let spec = temp.path().join("f.json");
        aris_fs::write_unsynced(&spec, grid(nodes).as_bytes())?;
        let args = ["render", "f.json", "-q"];
        let render = Call::new(binaries.path("figure_renderer"), &args, temp.path());
        render.once()?;
        let svg = temp.path().join("f.svg");
        let (mut ours, mut least) = (Figures::default(), Figures::default());
        for _ in 0..RUNS {
            ours.push(render.once()?);
            least.push(read_and_write(&spec, &svg)?);
        }
        row(
            "figure_renderer render (reads, checks, draws)",
            ours.millis(),
        );
        row("reading the JSON, writing the SVG", least.millis());
        row("render / that, pair by pair", ours.over(&least).ratio());
        row(
            "  limit / median",
            format!("{:.1} x (limit {limit} ms)", limit / (ours.median() * 1e3)),
        );
    }
    Ok(())
}

/// Seconds to read `spec` as JSON and to write the bytes of `svg` durably, in this process.
fn read_and_write(spec: &Path, svg: &Path) -> Result<f64, Fault> {
    let drawn = aris_fs::read(svg, u64::MAX)?;
    let start = Instant::now();
    let bytes = aris_fs::read(spec, u64::MAX)?;
    let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(Fault::from_error)?;
    std::hint::black_box(value);
    aris_fs::write_atomic(&svg.with_extension("copy"), &drawn)?;
    Ok(start.elapsed().as_secs_f64())
}
