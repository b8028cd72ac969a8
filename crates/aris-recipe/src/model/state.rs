//! Who may write a variable, and where a run is resumed.

use aris_yaml::{Node, Text};
use schemars::json_schema;
use strum::{Display, EnumString, VariantNames};

use super::keys::{demand, keys, kinds};
use super::kinds::Word;
use crate::near::nearest;

keys! {
    /// Where a run without a journal is resumed: the highest tier whose variable is not blank.
    pub(super) TierKeys, schema TierFile refined by demand("tier present start"), keys of others &[];
    /// Its number; higher ones are tried first.
    tier: TierNumber => Option<i64>,
    /// The variable that must not be blank.
    present: Word => Option<Text>,
    /// The step to go on with.
    start: Word => Option<Text>,
}

kinds! {
    /// A whole number.
    TierNumber: Option<i64>, {"type": "integer"},
    |node, reader| {
        if node.integer().is_none() {
            reader.expect(node, "a whole number");
        }
        node.integer()
    };

    /// A list of tiers.
    Tiers: Vec<Tier>, ("Tiers", |generator| <Vec<TierFile>>::json_schema(generator)),
    |node, reader| {
        if !node.is_list() {
            reader.expect(node, "a list of tiers");
        }
        let tiers = node.items().iter().enumerate().map(|(at, item)| {
            let mut below = reader.below(format!("[{at}]"));
            let keys = TierKeys::read_keys(item, &mut below);
            for key in ["tier", "present", "start"] {
                if item.get(key).is_none_or(Node::is_null) {
                    below.refuse(item, format!("the tier has no `{key}`"));
                }
            }
            let text = |text: Option<Text>| {
                text.unwrap_or_else(|| Text {
                    text: String::new(),
                    line: item.line,
                    column: item.column,
                })
            };
            Tier {
                tier: keys.tier,
                present: text(keys.present),
                start: text(keys.start),
                line: item.line,
            }
        });
        tiers.collect()
    };

    /// A mapping from variables to classes.
    Classes: Vec<Declaration>,
    ("Classes", |_generator| json_schema!({"type": "object", "additionalProperties": {"enum": Class::VARIANTS}})),
    |node, reader| {
        if !node.is_map() {
            reader.expect(node, "a mapping from variables to classes");
        }
        let declarations = node.entries().iter().map(|(variable, value)| {
            let class = value.text().and_then(|word| word.trim().parse().ok());
            if class.is_none() {
                let words = Class::VARIANTS;
                let near = nearest(value.text().unwrap_or_default(), words.iter().copied());
                let what = format!("one of {}{near}", words.join(", "));
                reader.below(&variable.text).expect(value, &what);
            }
            Declaration {
                variable: variable.clone(),
                class,
            }
        });
        declarations.collect()
    };
}

/// Who writes a context variable.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Display, EnumString, VariantNames,
)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum Class {
    /// Nobody after the start of the run.
    InitOnly,
    /// The first capture that is not empty.
    InitPreserve,
    /// Every capture.
    #[default]
    Mutable,
    /// Every capture adds, nothing is taken away.
    AppendOnly,
    /// No capture: its value follows from others.
    Derived,
}

/// One entry of `state`.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The variable.
    pub variable: Text,
    /// The class of that name, if there is one.
    pub class: Option<Class>,
}

/// One entry of `resume`.
#[derive(Clone, Debug)]
pub struct Tier {
    /// Its number; higher ones are tried first. `None` when it is no whole number.
    pub tier: Option<i64>,
    /// The variable that must not be blank.
    pub present: Text,
    /// The step to go on with.
    pub start: Text,
    /// Its line.
    pub line: u32,
}
