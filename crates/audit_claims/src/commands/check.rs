//! `check`: what the rules find in documents, without a pull request.
