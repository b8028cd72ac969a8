//! Permissions of questions: to read the data tables, and to call functions whose results do not change from day to day.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, Result};

use super::guard::{ALIKE, FIXED, NUMBER};

/// Functions of SQLite and of this crate that a question may call. Left out: random numbers, functions about the machine, the
/// connection or the disk, functions of extensions, and those whose time is not limited by the length of their arguments.
const FUNCTIONS: &str = "-> ->> abs avg ceil ceiling char coalesce concat concat_ws corr count cume_dist date datetime dense_rank exp \
    first_value floor format geomean glob group_concat hex if ifnull iif instr json json_array json_array_length json_extract \
    json_group_array json_group_object json_object json_quote json_type json_valid julianday lag last_value lead length like likelihood \
    likely ln log10 log2 lower ltrim mae max median min nth_value ntile nullif percent_rank pow power printf quantile quote rank replace \
    rmse round row_number rtrim sem sign sqrt stddev stddev_pop strftime string_agg substr substring sum time timediff total trim typeof \
    unicode unixepoch unlikely upper";

/// Records what SQLite reads while it prepares a query, and refuses what is not allowed.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Data tables and views that may be read: their names in lower case, with the original spelling.
    known: BTreeMap<String, String>,
    /// Columns that were read, by table.
    pub(crate) reads: BTreeMap<String, BTreeSet<String>>,
    /// Why the query was refused.
    pub(crate) refused: Option<String>,
    /// Whether everything is allowed, for statements of this crate itself.
    pub(crate) open: bool,
}

/// Shared between a connection and its owner.
pub(crate) type Shared<T> = Arc<Mutex<T>>;

/// Runs `work` on the shared value.
pub(crate) fn with<T, R>(shared: &Shared<T>, work: impl FnOnce(&mut T) -> R) -> R {
    work(&mut shared.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Restricts the connection to what questions may do.
pub(crate) fn restrict(connection: &mut Connection, watch: &Shared<Watch>) -> Result<()> {
    let watch = Arc::clone(watch);
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        with(&watch, |watch| match watch.allows(&context.action) {
            Ok(()) => Authorization::Allow,
            Err(reason) => {
                watch.refused.get_or_insert(reason);
                Authorization::Deny
            }
        })
    }))
}

/// Settings of every connection that runs questions: double quotes are for names only, and limits on statements.
pub(crate) fn configure(connection: &Connection, length: usize) -> Result<()> {
    for (switch, on) in [
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    ] {
        connection.set_db_config(switch, on)?;
    }
    let length = i32::try_from(length).unwrap_or(i32::MAX);
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, length),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, most)?;
    }
    Ok(())
}

impl Watch {
    /// Allows reading a data table or a view.
    pub(crate) fn knows(&mut self, name: &str) {
        self.known
            .insert(name.to_ascii_lowercase(), name.to_owned());
    }

    /// The tables and views with one of these lower-case names.
    pub(crate) fn named(&self, names: &BTreeSet<String>) -> BTreeSet<String> {
        let known = names.iter().filter_map(|name| self.known.get(name));
        known.cloned().collect()
    }

    fn allows(&mut self, action: &AuthAction<'_>) -> Result<(), String> {
        match action {
            _ if self.open => Ok(()),
            AuthAction::Select | AuthAction::Recursive => Ok(()),
            AuthAction::Read {
                table_name,
                column_name,
            } => {
                // SQLite reports subqueries and common table expressions without a column if only their rows matter.
                let mut internal =
                    "sqlite_ pragma_ dbstat bytecode tables_used fts rtree".split(' ');
                let lower = table_name.to_ascii_lowercase();
                if let Some(name) = self.known.get(&lower) {
                    let columns = self.reads.entry(name.clone()).or_default();
                    if !column_name.is_empty() {
                        columns.insert((*column_name).to_owned());
                    }
                    Ok(())
                } else if matches!(*table_name, "json_each" | "json_tree")
                    || (column_name.is_empty() && !internal.any(|name| lower.starts_with(name)))
                {
                    Ok(())
                } else {
                    Err(format!("`{table_name}` is no data"))
                }
            }
            AuthAction::Function { function_name } => {
                let name = function_name.to_ascii_lowercase();
                let checks = [NUMBER, ALIKE, FIXED];
                if FUNCTIONS
                    .split(' ')
                    .chain(checks)
                    .any(|known| known == name)
                {
                    return Ok(());
                }
                Err(match name.as_str() {
                    "random" | "randomblob" => format!("{name}() gives another answer each time"),
                    "current_date" | "current_time" | "current_timestamp" => {
                        format!("{name} gives another answer each time; write the date")
                    }
                    _ => format!("{name}() is not among the functions of questions"),
                })
            }
            other => {
                let name = format!("{other:?}");
                let name = name.split([' ', '{', '(']).next().unwrap_or_default();
                Err(format!("a question only reads ({name} is refused)"))
            }
        }
    }
}
