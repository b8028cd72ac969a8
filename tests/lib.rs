//! Cross-helper tests live under `flows/`; cargo runs no tests at a virtual root, so they are a member of their own.
