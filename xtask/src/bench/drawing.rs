//! Checking and drawing large figures, beside what no renderer can do without: reading the same JSON and writing the same SVG.

use super::Bench;
use super::measure::{Limit::Median, Place, compare, heading, timed};
use crate::fault::Fault;
use crate::figures::grid;

pub(super) fn run(bench: &Bench<'_>) -> Result<(), Fault> {
    for (nodes, limit) in [(500, 20.0), (5_000, 200.0)] {
        heading(format!(
            "figure_renderer: {nodes} nodes and as many edges, 11 runs"
        ));
        let place = Place::new()?;
        place.write("f.json", grid(nodes))?;
        let render = bench.call("figure_renderer render f.json -q", place.path());
        render.once()?;
        let drawn = aris_fs::read(&place.at("f.svg"), u64::MAX)?;
        let least = || {
            timed(|| {
                let text = aris_fs::read(&place.at("f.json"), u64::MAX)?;
                let value: serde_json::Value =
                    serde_json::from_slice(&text).map_err(Fault::from_error)?;
                std::hint::black_box(value);
                Ok(aris_fs::write_atomic(&place.at("f.copy"), &drawn)?)
            })
        };
        compare(
            "render",
            &render,
            "reading the JSON, writing the SVG",
            least,
            11,
            Median(limit),
        )?;
    }
    Ok(())
}
