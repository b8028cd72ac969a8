//! nvidia-smi's answers, read strictly.
//!
//! **Source**: `nvidia-smi --help-query-gpu`; the words in brackets are those that its manual page and users' reports show in the place
//! of numbers.

use std::collections::BTreeMap;

use super::{Card, Memory, Process};

/// Longest piece of an answer that is shown to people.
const SHOWN: usize = 200;

/// Rows of `index,uuid,memory.used,memory.total[,mig.mode.current]` with the numbers of cards that are divided, and what is wrong with
/// the answer as a whole. A row that cannot be read belongs to no card.
pub(super) fn cards(bytes: &[u8]) -> (BTreeMap<u32, Card>, Vec<u32>, Option<String>) {
    let text = String::from_utf8_lossy(bytes);
    let mut cards: BTreeMap<u32, Card> = BTreeMap::new();
    let mut divided = Vec::new();
    let mut problem = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let (Some(Ok(index)), Some(uuid), Some(used), Some(total), mode, None) = (
            fields.first().map(|index| index.parse::<u32>()),
            fields.get(1),
            fields.get(2),
            fields.get(3),
            fields.get(4),
            fields.get(5),
        ) else {
            problem.get_or_insert_with(|| format!("nvidia-smi says \"{}\"", shown(line)));
            continue;
        };
        let card = Card {
            uuid: plain(uuid).then(|| String::from(*uuid)),
            memory: memory(used, total),
            slices: Vec::new(),
        };
        if mode == Some(&"Enabled") {
            divided.push(index);
        }
        if cards.insert(index, card).is_some() {
            cards.insert(index, Card::unknown("nvidia-smi lists it twice"));
        }
    }
    (cards, divided, problem)
}

fn memory(used: &str, total: &str) -> Memory {
    match (used.parse::<u64>(), total.parse::<u64>()) {
        (Ok(used), Ok(total)) if used <= total && total > 0 => Memory::Known { used, total },
        _ => Memory::Unknown(format!(
            "nvidia-smi says \"{}\" of \"{}\" MiB",
            shown(used),
            shown(total)
        )),
    }
}

/// Whether this can be the name of a card.
fn plain(uuid: &str) -> bool {
    uuid.starts_with("GPU-")
        && uuid
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Rows of `gpu_uuid,pid,used_memory`; `None` when one of them cannot be read.
pub(super) fn processes(bytes: &[u8]) -> Option<Vec<Process>> {
    let text = str::from_utf8(bytes).ok()?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let mut fields = line.split(',').map(str::trim);
            let (uuid, pid, used) = (fields.next()?, fields.next()?, fields.next()?);
            Some(Process {
                uuid: String::from(uuid),
                pid: pid.parse().ok()?,
                used: used.parse().ok(),
            })
        })
        .collect()
}

/// Slices by the number of their card, from `nvidia-smi -L`: below the line of a card, one for each slice.
pub(super) fn slices(bytes: &[u8]) -> BTreeMap<u32, Vec<String>> {
    let text = String::from_utf8_lossy(bytes);
    let mut slices: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let mut card = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("GPU ") {
            card = rest
                .split_once(':')
                .and_then(|(index, _)| index.parse::<u32>().ok());
        } else if let (Some(card), true) = (card, line.trim_start().starts_with("MIG "))
            && let Some((_, uuid)) = line.rsplit_once("(UUID: ")
        {
            let uuid = uuid.trim_end().trim_end_matches(')');
            slices.entry(card).or_default().push(String::from(uuid));
        }
    }
    slices
}

/// The first line that says something, bounded and without control characters.
pub(super) fn shown(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty());
    let line = line.unwrap_or_default().trim().chars();
    line.filter(|char| !char.is_control()).take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(used: u64, total: u64) -> Memory {
        Memory::Known { used, total }
    }

    #[test]
    fn rows_are_read_and_what_is_no_number_is_unknown() {
        let text = "0, GPU-5c1c2e3a-0000-1111-2222-333344445555, 3, 24576, Disabled\n\
                    1, GPU-aaaa, [N/A], 24576, [N/A]\n\
                    2, GPU-bbbb, 10, 81559, Enabled\n\
                    3, [Unknown Error], 10, 81559, [N/A]\n\
                    5, GPU-cccc, 90000, 81559\n\
                    6, GPU-dddd, ERR!, ERR!, [N/A]\n\
                    7, GPU-eeee, 1, 2\n\
                    7, GPU-ffff, 1, 2\n";
        let (cards, divided, problem) = text_cards(text);
        assert_eq!((divided, problem), (vec![2], None));
        assert_eq!(cards[&0].memory, known(3, 24576));
        assert_eq!(
            cards[&0].uuid.as_deref(),
            Some("GPU-5c1c2e3a-0000-1111-2222-333344445555")
        );
        assert_eq!(cards[&2].memory, known(10, 81559));
        assert_eq!(
            (cards[&3].uuid.as_ref(), &cards[&3].memory),
            (None, &known(10, 81559))
        );
        for index in [1, 5, 6, 7] {
            assert!(
                matches!(cards[&index].memory, Memory::Unknown(_)),
                "{index}"
            );
        }
        assert_eq!(cards.len(), 7);
    }

    fn text_cards(text: &str) -> (BTreeMap<u32, Card>, Vec<u32>, Option<String>) {
        cards(text.as_bytes())
    }

    #[test]
    fn an_answer_that_is_no_table_gives_no_card() {
        for text in [
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n",
            "No devices were found\n",
            "0, GPU-1\n",
            "0, GPU-1, 1, 2, Disabled, more\n",
            "-1, GPU-1, 1, 2, Disabled\n",
            "index, uuid, memory.used [MiB], memory.total [MiB]\n",
        ] {
            let (cards, divided, problem) = text_cards(text);
            assert!(cards.is_empty() && divided.is_empty(), "{text}");
            assert!(problem.is_some(), "{text}");
        }
        assert_eq!(text_cards(""), (BTreeMap::new(), vec![], None));
    }

    #[test]
    fn processes_are_all_read_or_none() {
        let text = b"GPU-1, 4242, 1024\nGPU-1, 4243, [N/A]\n";
        let processes = processes(text).expect("read");
        assert_eq!(processes.len(), 2);
        assert_eq!((processes[0].pid, processes[0].used), (4242, Some(1024)));
        assert_eq!(processes[1].used, None);
        assert_eq!(
            super::processes(b"GPU-1, 4242, 1\nNo running processes\n"),
            None
        );
        assert_eq!(super::processes(b""), Some(vec![]));
    }

    #[test]
    fn slices_belong_to_the_card_above_them() {
        let text = "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-aaaa)\n\
                    GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-bbbb)\n  \
                    MIG 3g.20gb     Device  0: (UUID: MIG-1111)\n  \
                    MIG 1g.5gb      Device  1: (UUID: MIG-2222)\n";
        assert_eq!(
            slices(text.as_bytes()),
            BTreeMap::from([(1, vec![String::from("MIG-1111"), String::from("MIG-2222")])])
        );
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300)) {
            cards(&bytes);
            processes(&bytes);
            slices(&bytes);
        }

        #[test]
        fn no_text_makes_a_reader_panic(text in "([0-9]{1,3}|GPU|MIG|UUID: |[,:()\\n ]|\\PC){0,60}") {
            cards(text.as_bytes());
            processes(text.as_bytes());
            slices(text.as_bytes());
        }
    }
}
