//! Rules for tools, skills and packs: those that a recipe names exist.

use super::super::scope::argument;
use crate::model::Kind;
use crate::near::nearest;
use crate::rules::{Findings, Id, Scope};

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let manifest = scope.data.manifest.as_ref();
    if let Some(packs) = manifest.and_then(|manifest| manifest.packs.as_ref()) {
        let mut told: Vec<&str> = Vec::new();
        for pack in &scope.recipe.requires_packs {
            if !packs.contains(&pack.text) && !told.contains(&pack.text.as_str()) {
                let near = nearest(&pack.text, packs.iter().map(String::as_str));
                let message = format!("there is no pack `{}`{near}", pack.text);
                out.file(Id::UnknownRequiredPack, pack.line, message).field =
                    Some(String::from("requires_packs"));
                told.push(&pack.text);
            }
        }
    }
    for (_, facts) in scope.steps() {
        let step = facts.step;
        let command = argument(step, "skill_command").filter(|_| step.kind() == Kind::Agent);
        if command.is_some_and(|command| !command.trim_start().starts_with('/')) {
            let message = "the skill command is prose; begin it with /SKILL, so that a skill with a contract runs";
            out.step(Id::SkillCommandMissingPrefix, step, message);
        }
        if let (Some(skill), Some(skills)) = (&facts.skill, &scope.data.skills)
            && !skills.contains_key(skill.name)
        {
            let near = nearest(skill.name, skills.keys().map(String::as_str));
            let message = format!(
                "there is no skill `{}` in the folders of skills{near}",
                skill.name
            );
            out.step(Id::UnknownSkillCommand, step, message);
        }
        let (Some(name), Some(tools)) = (&step.tool, &scope.data.tools) else {
            continue;
        };
        let Some(parameters) = tools.get(&name.text) else {
            let near = nearest(name, tools.keys().map(String::as_str));
            let message = format!("there is no tool `{}`{near}", name.text);
            out.step(Id::UnknownTool, step, message)
                .place("tool", name.line);
            continue;
        };
        let Some(parameters) = parameters else {
            continue;
        };
        let keys = step.with.iter().map(|(key, _)| key);
        for key in keys.filter(|key| !parameters.contains(&key.text)) {
            let near = nearest(key, parameters.iter().map(String::as_str));
            let message = format!("tool `{}` has no parameter `{}`{near}", name.text, key.text);
            out.step(Id::DeadWithParam, step, message).at_argument(key);
        }
    }
}
