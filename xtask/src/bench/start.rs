//! Start-up of every helper, and one trace record beside the durable writes it consists of.

use std::path::Path;

use super::Bench;
use super::measure::{
    Limit::Beyond, Limit::Median, Limit::Unlimited, Place, compare, heading, timed,
};
use crate::fault::Fault;

pub(super) fn startup(bench: &Bench<'_>) -> Result<(), Fault> {
    heading("start-up: --version, 200 runs");
    let nothing = bench.call("true", Path::new("/"));
    for row in &bench.workspace.rows {
        let call = bench.call(&format!("{} --version", row.name), Path::new("/"));
        compare(&row.name, &call, "true", &nothing, 200, Median(1.5))?;
    }
    Ok(())
}

pub(super) fn trace(bench: &Bench<'_>) -> Result<(), Fault> {
    heading("save_trace: one record of 4 KiB, 60 runs");
    let (place, writes) = (Place::new()?, Place::new()?);
    let text = "r".repeat(4096);
    let words =
        format!("save_trace --skill bench --purpose bench --prompt {text} --response {text} -q");
    let call = bench.call(&words, place.path());
    let mut n = 0;
    // The syncs of one record: three files, their folder, a line of the chain, a line of the log.
    let mut durable_writes = || {
        n += 1;
        timed(|| {
            for file in ["request", "response", "meta"] {
                aris_fs::write_new(&writes.at(&format!("{n}.{file}")), text.as_bytes())?;
            }
            aris_fs::sync_dir(writes.path())?;
            aris_fs::append_line(&writes.at("chain"), "line")?;
            Ok(aris_fs::append_line(&writes.at("events"), "line")?)
        })
    };
    compare(
        "save_trace",
        &call,
        "its durable writes, no process",
        &mut durable_writes,
        60,
        Beyond(3.0),
    )?;
    let nothing = bench.call("true", place.path());
    compare(
        "an empty process",
        &nothing,
        "its durable writes",
        durable_writes,
        60,
        Unlimited,
    )
}
