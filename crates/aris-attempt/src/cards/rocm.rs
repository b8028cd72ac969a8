//! Parser of rocm-smi's answer. It accepts only the expected form.
//!
//! **Source**: `rocm-smi --help`: with `--json` it prints one object per card, `card<number>`, whose values are texts. It reports memory in
//! bytes, and not which process uses which card.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::nvidia::{is_name, shown};
use super::{Card, CardId, Maker, Memory};

/// Arguments of rocm-smi.
pub(super) const QUESTION: [&str; 5] = [
    "--showuniqueid",
    "--showbus",
    "--showmeminfo",
    "vram",
    "--json",
];

/// The cards, and what is wrong with the answer as a whole.
pub(super) fn cards(bytes: &[u8]) -> (BTreeMap<CardId, Card>, Option<String>) {
    let text = String::from_utf8_lossy(bytes);
    // Warnings may precede the object.
    let object = text.find('{').and_then(|at| text.get(at..));
    let read = object.and_then(|text| {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<Map<String, Value>>();
        values.next()?.ok()
    });
    let Some(answer) = read else {
        let problem = format!("rocm-smi says \"{}\"", shown(&text));
        return (BTreeMap::new(), Some(problem));
    };
    let card = |(name, facts): (String, Value)| {
        let number = name.strip_prefix("card")?.parse().ok()?;
        Some((CardId::whole(number), of(&facts)))
    };
    (answer.into_iter().filter_map(card).collect(), None)
}

fn of(facts: &Value) -> Card {
    let text = |name| facts.get(name).and_then(Value::as_str).map(str::trim);
    let mib = |name| text(name)?.parse::<u64>().ok().map(|bytes| bytes >> 20);
    let memory = ["VRAM Total Used Memory (B)", "VRAM Total Memory (B)"].map(mib);
    let memory = match memory {
        [Some(used), Some(total)] if used <= total && total > 0 => Memory::Known { used, total },
        _ => Memory::Unknown(String::from("rocm-smi does not tell its memory")),
    };
    // Consumer cards have no unique id. Their place on the PCI bus does not change while the machine runs.
    let unique = text("Unique ID").and_then(|id| id.strip_prefix("0x"));
    let name = unique.map(|id| format!("GPU-{id}"));
    let name = name.or_else(|| Some(format!("PCI-{}", text("PCI Bus")?.replace([':', '.'], "-"))));
    Card {
        uuid: name.filter(|name| is_name(name)),
        memory,
        of: None,
        maker: Maker::Amd,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_read_and_what_is_no_number_is_unknown() {
        let text = "WARNING: AMD GPU device(s) is/are in a low-power state\n\
            {\"card0\": {\"Unique ID\": \"0x7e4b1c\", \"PCI Bus\": \"0000:C1:00.0\", \"VRAM Total Memory (B)\": \"17163091968\", \
            \"VRAM Total Used Memory (B)\": \"10854400\"}, \"card1\": {\"Unique ID\": \"N/A\", \"PCI Bus\": \"0000:C2:00.0\", \
            \"VRAM Total Memory (B)\": \"N/A\"}, \"system\": {\"Driver version\": \"6.1\"}}\n";
        let (cards, problem) = cards(text.as_bytes());
        assert_eq!((cards.len(), problem), (2, None));
        let (first, second) = (&cards[&CardId::whole(0)], &cards[&CardId::whole(1)]);
        assert_eq!(
            first.memory,
            Memory::Known {
                used: 10,
                total: 16368
            }
        );
        assert_eq!(first.uuid.as_deref(), Some("GPU-7e4b1c"));
        assert_eq!(second.uuid.as_deref(), Some("PCI-0000-C2-00-0"));
        assert!(matches!(second.memory, Memory::Unknown(_)));
        for wrong in ["", "ERROR: GPU[0]: not supported", "[1]", "{\"card0\": "] {
            let (cards, problem) = super::cards(wrong.as_bytes());
            assert!(cards.is_empty() && problem.is_some(), "{wrong}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([{}\":,0-9]|card|VRAM Total Memory \\(B\\)|\\PC){0,60}") {
            cards(text.as_bytes());
        }
    }
}
