//! `extract`: the claims that the rules see in a document or a diff.
