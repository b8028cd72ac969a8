use proptest::prelude::*;

use crate::is_name;
use crate::message::{Answer, Request, find, framed};

fn answer(text: &str) -> Answer {
    Answer {
        code: 3,
        stdout: text.to_owned(),
        stderr: String::new(),
    }
}

#[test]
fn each_request_has_a_nonce_of_its_own() {
    let nonce = |folder: &str| {
        let mut request = Request::default();
        folder.clone_into(&mut request.folder);
        request.sealed().expect("sealed").0
    };
    assert_eq!(nonce("a").len(), 32);
    assert_eq!(nonce("a"), nonce("a"), "a repetition is the same request");
    assert_ne!(nonce("a"), nonce("b"));
}

proptest! {
    #[test]
    fn an_answer_is_found_behind_any_noise(before in prop::collection::vec(any::<u8>(), 0..200), text in "\\PC{0,40}", after in "\\PC{0,20}") {
        let nonce = "0123456789abcdef0123456789abcdef";
        let mut printed = before;
        printed.extend(b"aris-agent ");
        printed.extend(framed(nonce, &answer(&text)).unwrap());
        let whole = printed.len() - 1;
        printed.extend(after.as_bytes());
        prop_assert_eq!(find(&printed, nonce), Some(answer(&text)));
        prop_assert_eq!(find(&printed[..whole - 1], nonce), None, "not whole");
        prop_assert_eq!(find(&printed, "0123456789abcdef0123456789abcdee"), None, "of another call");
    }

    #[test]
    fn no_bytes_make_it_panic(pieces in prop::collection::vec(prop::sample::select(vec!["aris-agent ", "00", " ", "5", "99999999999999999999", "\n", "{", "\"code\":1}"]), 0..30)) {
        find(pieces.concat().as_bytes(), "00");
    }

    #[test]
    fn a_name_has_no_meaning_in_a_path_or_a_shell(name in "\\PC{0,20}") {
        if is_name(&name) {
            prop_assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)));
            prop_assert!(!name.starts_with('.') && !name.starts_with('-') && !name.is_empty());
        }
    }
}
