//! Whether the texts of a skill lead to its files: SR106, SR108.

use aris_skills::Skill;

use crate::finding::Sink;

/// Checks the files of a skill against the texts that should mention them.
pub(super) fn check(skill: &Skill, sink: &mut Sink<'_>) {
    let mentions = skill.mentions();
    for (at, file) in skill.files.iter().enumerate() {
        let path = file.path();
        if file.is_resource() && !mentions.is_reachable(at) {
            let message = "no text that SKILL.md leads to mentions this resource";
            sink.found("SR106", path, 1, 1, message);
        }
        if file.is_entry_point() && !mentions.is_reachable(at) {
            let message = "no text that SKILL.md leads to mentions this entry point";
            sink.found("SR108", path, 1, 1, message);
        }
    }
}
