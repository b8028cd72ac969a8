//! Each rule with the smallest change of a clean recipe that makes it fire, and with a similar change that does not.

use std::collections::BTreeSet;

use aris_recipe::rules::RULES;

use crate::bench::{Base, Change, File, found, project_rules, report};
use Base::{Compat, Core, Notes};
use File::{Budgets, Manifest, Recipe as R, Skill, SubRecipes};

/// A rule, the step it names, and the two changes.
struct Row(
    &'static str,
    Base,
    &'static str,
    &'static [Change],
    &'static [Change],
);

/// The end of the branches of the step `review`.
const REVIEW_DEFAULT: &str = "        route: failed\n      - route: number\n";

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // Structure
    Row("schema", Core, "", &[(R, "name: base", "name: \"\"")], &[(R, "name: base", "name: other")]),
    Row("schema", Core, "", &[(R, "steps:\n", "steps: {}\nold_steps:\n")], &[(R, "  stopped:\n", "  stopped_too: {action: stop, message: m}\n  stopped:\n")]),
    Row("schema", Core, "", &[(R, "  - \"Follow the routes.\"", "  []")], &[(R, "Follow the routes.", "Be quick.")]),
    Row("schema", Core, "measure", &[(R, "    python: tools.measure.run\n", "")], &[(R, "    python: tools.measure.run\n", "    tool: push_to_remote\n")]),
    Row("schema", Core, "measure", &[(R, "    python: tools.measure.run\n", "    python: tools.measure.run\n    tool: publish\n")], &[(R, "    python: tools.measure.run\n", "    python: tools.measure.run\n    tool:\n")]),
    Row("schema", Core, "measure", &[(R, "tools.measure.run", "run")], &[(R, "tools.measure.run", "measure.run")]),
    Row("schema", Core, "failed", &[(R, "    message: A step failed.\n", "")], &[(R, "A step failed.", "It failed.")]),
    Row("schema", Core, "ask", &[(R, "    message: \"Publish run ${{ context.run_id }} of ${{ inputs.task }}?\"\n", "")], &[(R, "Publish run", "Print run")]),
    Row("schema", Core, "ask", &[(R, "    on_success: publish\n    on_failure: stopped\n", "    on_failure: stopped\n")], &[(R, "    on_success: publish\n", "    on_success: finished\n")]),
    Row("schema", Core, "ask", &[(R, "    on_failure: stopped\n", "")], &[(R, "    on_failure: stopped\n", "    on_failure: done\n")]),
    Row("schema", Core, "prelude", &[(R, "    sub_recipe: prelude\n", "    sub_recipe: prelude\n    tool: publish\n")], &[(R, "    sub_recipe: prelude\n", "    sub_recipe: prelude\n    note: first\n")]),
    Row("schema", Core, "prelude", &[(R, "    gate: with_prelude\n", "")], &[(R, "    gate: with_prelude\n", "    gate: with_review\n")]),
    Row("sub-recipe-unknown-gate", Core, "prelude", &[(R, "    gate: with_prelude\n", "    gate: with_preludes\n")], &[(R, "    gate: with_prelude\n", "    gate: with_review\n")]),
    Row("schema", Core, "prelude", &[(R, "    gate: with_prelude\n    on_success: plan\n", "    gate: with_prelude\n")], &[(R, "    gate: with_prelude\n    on_success: plan\n", "    gate: with_prelude\n    on_success: start\n")]),
    Row("unknown-route-target", Core, "start", &[(R, "    on_success: review\n", "    on_success: reviews\n")], &[(R, "    on_success: review\n", "    on_success: number\n")]),
    Row("unknown-route-target", Core, "start", &[(R, "    on_success: review\n    on_failure: failed\n", "    on_success: review\n    on_failure: escalate\n")], &[(R, "    on_success: review\n    on_failure: failed\n", "    on_success: review\n    on_failure: done\n")]),
    Row("unknown-route-target", Core, "plan", &[(R, "    on_context_limit: failed\n", "    on_context_limit: fail\n")], &[(R, "    on_context_limit: failed\n", "    on_context_limit: start\n")]),
    Row("unknown-route-target", Core, "plan", &[(R, "    on_exhausted: failed\n", "    on_exhausted: fail\n")], &[(R, "    on_exhausted: failed\n", "    on_exhausted: escalate\n")]),
    Row("schema", Core, "review", &[(R, "    on_skip: number\n", "    on_skip: [number]\n")], &[(R, "    on_skip: number\n", "    on_skip: done\n")]),
    Row("unknown-route-target", Core, "review", &[(R, REVIEW_DEFAULT, "        route: failed\n      - route: nowhere\n")], &[(R, REVIEW_DEFAULT, "        route: failed\n      - route: done\n")]),
    Row("unknown-route-target", Core, "publish", &[(R, "late: decide", "late: decides")], &[(R, "late: decide", "late: done")]),
    Row("schema", Core, "review", &[(R, "    retries: 2\n", "    retries: -1\n")], &[(R, "    retries: 2\n", "    retries: 0\n")]),
    Row("schema", Core, "review", &[(R, "    retries: 2\n", "    retries: two\n")], &[(R, "    retries: 2\n", "    retries: 7\n")]),
    Row("schema", Core, "review", &[(R, "    retries: 2\n", "    retries: true\n")], &[(R, "    retries: 2\n", "    max_visits: 1\n")]),
    Row("schema", Core, "plan", &[(R, "stale_threshold: 60", "stale_threshold: 0")], &[(R, "stale_threshold: 60", "stale_threshold: 1")]),
    Row("schema", Core, "plan", &[(R, "idle_output_timeout: 0", "idle_output_timeout: -1")], &[(R, "idle_output_timeout: 0", "idle_output_timeout: 9")]),
    Row("schema", Core, "review", &[(R, "    on_result:\n      - when: \"${{ result.verdict }} == revise\"", "    on_success: number\n    on_result:\n      - when: \"${{ result.verdict }} == revise\"")], &[(R, "    on_skip: number\n", "    on_skip: failed\n")]),
    Row("schema", Core, "review", &[(R, REVIEW_DEFAULT, "        route: failed\n      - route: \"\"\n")], &[(R, REVIEW_DEFAULT, "        route: failed\n      - route: failed\n")]),
    Row("schema", Core, "publish", &[(R, "late: decide", "late: ")], &[(R, "late: decide", "late: failed")]),
    Row("schema", Core, "publish", &[(R, "      field: state\n", "")], &[(R, "      field: state\n", "      field: status\n")]),
    Row("schema", Core, "publish", &[(R, "      routes: {ok: finished, late: decide}\n", "      routes: {}\n")], &[(R, "{ok: finished, late: decide}", "{late: decide}")]),
    Row("schema", Core, "decide", &[(R, "      - when: \"${{ context.verdict }} == go\"\n        route: announce\n      - route: failed\n", "      []\n")], &[(R, "      - when: \"${{ context.verdict }} == go\"\n        route: announce\n", "")]),
    Row("capture-no-result-ref", Core, "start", &[(R, "\"${{ result.run_id }}\"", "run_id")], &[(R, "\"${{ result.run_id }}\"", "\"run ${{ result.run_id }}\"")]),
    Row("capture-wrong-namespace", Core, "start", &[(R, "\"${{ result.run_id }}\"", "\"${{ inputs.task }}\"")], &[(R, "\"${{ result.run_id }}\"", "\"${{ result.stdout | trim }}\"")]),
    Row("capture-wrong-namespace", Core, "start", &[(R, "\"${{ result.run_id }}\"", "\"${{ results.run_id }}\"")], &[(R, "\"${{ result.run_id }}\"", "\"${{result.run_id}}\"")]),
    Row("undeclared-input-ref", Core, "plan", &[(R, "style=${{ inputs.style }}", "style=${{ inputs.styel }}")], &[(R, "style=${{ inputs.style }}", "style=${{ inputs.with_review }}")]),
    Row("undeclared-context-ref", Core, "publish", &[(R, "    capture:\n      count: three\n", "")], &[(R, "    capture:\n      count: three\n", ""), (R, "    on_result:\n      field: state", "    optional_context_refs: [count]\n    on_result:\n      field: state")]),
    Row("undeclared-context-ref", Core, "plan", &[(R, "style=${{ inputs.style }}", "style=${{ context.verdict }}")], &[(R, "style=${{ inputs.style }}", "style=${{ context.verdict }}"), (R, "    model: fast\n", "    optional_context_refs: [verdict]\n    model: fast\n")]),
    // Routing
    Row("unreachable-step", Core, "orphan", &[(R, "  stopped:\n", "  orphan: {action: stop, message: m}\n  stopped:\n")], &[(R, "  stopped:\n", "  orphan: {action: stop, message: m}\n  stopped:\n"), (R, "late: decide", "late: decide, odd: orphan")]),
    Row("unreachable-step", Core, "ring", &[(R, "  stopped:\n", "  ring: {tool: publish, on_success: other, on_failure: other}\n  other: {tool: publish, on_success: ring, on_failure: failed}\n  stopped:\n")], &[(R, "  stopped:\n", "  ring: {tool: publish, on_success: other, on_failure: other}\n  other: {tool: publish, on_success: ring, on_failure: failed}\n  stopped:\n"), (R, "late: decide", "late: decide, odd: ring")]),
    Row("unbounded-cycle", Core, "measure", &[(R, "    python: tools.measure.run\n    on_success: ask\n    on_failure: failed\n", "    python: tools.measure.run\n    on_success: measure\n    on_failure: measure\n")], &[(R, "    python: tools.measure.run\n    on_success: ask\n    on_failure: failed\n", "    python: tools.measure.run\n    on_success: ask\n    max_visits: 2\n    on_failure: measure\n")]),
    Row("unbounded-cycle", Core, "plan", &[(R, "    retries: 2\n", ""), (R, "    retries: 1\n", "")], &[(R, "    retries: 2\n", "")]),
    Row("on-result-missing-failure-route", Core, "publish", &[(R, "      routes: {ok: finished, late: decide}\n    on_failure: failed\n", "      routes: {ok: finished, late: decide}\n")], &[(R, "      routes: {ok: finished, late: decide}\n    on_failure: failed\n", "      routes: {ok: finished, late: decide}\n    on_failure: done\n")]),
    Row("schema", Core, "review", &[(R, "    skip_when_false: inputs.with_review\n", "")], &[(R, "    optional: true\n    skip_when_false: inputs.with_review\n", "")]),
    Row("skip-when-false-undeclared", Core, "review", &[(R, "skip_when_false: inputs.with_review", "skip_when_false: inputs.review")], &[(R, "skip_when_false: inputs.with_review", "skip_when_false: inputs.style")]),
    Row("skip-when-false-undeclared", Core, "review", &[(R, "skip_when_false: inputs.with_review", "skip_when_false: with_review")], &[(R, "skip_when_false: inputs.with_review", "skip_when_false: \" inputs.with_review\"")]),
    Row("advisory-step-missing-context-limit", Core, "review", &[(R, "    on_context_limit: number\n", "")], &[(R, "    on_context_limit: number\n", "    on_context_limit: failed\n")]),
    Row("capture-inversion-detection", Core, "announce", &[(R, "late: decide", "late: decide, slow: announce")], &[(R, "late: decide", "late: decide, slow: failed")]),
    Row("capture-inversion-detection", Core, "announce", &[(R, " == go\"\n        route: announce\n", " == gone\"\n        route: failed\n      - when: \"${{ context.verdict }} > 3\"\n        route: announce\n"), (R, "late: decide", "late: decide, slow: announce")], &[(R, " == go\"\n        route: announce\n", " == gone\"\n        route: failed\n      - when: \"${{ context.verdict }} > 3\"\n        route: announce\n")]),
    Row("unknown-sub-recipe", Core, "prelude", &[(SubRecipes, "prelude:", "other:")], &[(SubRecipes, "prelude:", "prelude:\nother:")]),
    Row("circular-sub-recipe", Core, "prelude", &[(SubRecipes, "prelude:", "prelude: other\nother: prelude")], &[(SubRecipes, "prelude:", "prelude: other\nother: third\nthird:")]),
    // Data flow and commands
    Row("dead-output", Core, "plan", &[(R, "      plan_path: \"${{ result.plan_path }}\"\n", "      plan_path: \"${{ result.plan_path }}\"\n      kept: \"${{ result.plan_path }}\"\n")], &[(R, "      plan_path: \"${{ result.plan_path }}\"\n", "      plan_path: \"${{ result.plan_path }}\"\n      kept: \"${{ result.plan_path }}\"\n    observability: [kept]\n")]),
    Row("dead-output", Core, "publish", &[(R, "    on_result:\n      field: state", "    capture: {kept: \"${{ result.x }}\"}\n    on_result:\n      field: state")], &[(R, "    on_result:\n      field: state", "    capture: {kept: \"${{ result.x }}\"}\n    on_result:\n      field: kept")]),
    Row("dead-output", Core, "number", &[(R, "      count: three\n", "      count: three\n      kept: 1\n")], &[(R, "      count: three\n", "      count: three\n      kept: 1\n"), (R, "message: A step failed.", "message: A step failed, see context.kept.")]),
    Row("schema", Core, "number", &[(R, "    constant: \"3\"\n", "    constant: \"3\"\n    with: {x: 1}\n")], &[(R, "    constant: \"3\"\n", "    constant: \"3\"\n    with: {}\n")]),
    Row("model-on-non-skill-step", Core, "start", &[(R, "    tool: run_cmd\n", "    tool: run_cmd\n    model: fast\n")], &[(R, "    model: fast\n", "    model: slow\n")]),
    Row("run-cmd-emit-alignment", Core, "start", &[(R, "echo \"run_id=", "echo \"runid=")], &[(R, "echo \"run_id=$(date +%s)\"", "printf 'run_id=%s' 3")]),
    Row("run-cmd-emit-alignment", Core, "start", &[(R, "        echo \"run_id=$(date +%s)\"\n", "")], &[(R, "        echo \"run_id=$(date +%s)\"\n", ""), (R, "${{ result.run_id }}", "${{ result.stdout }}")]),
    Row("run-cmd-find-rediscovery", Core, "start", &[(R, "        echo \"run_id=", "        find . -name x | sort | tail -1\n        echo \"run_id=")], &[(R, "        echo \"run_id=", "        find . -name x | wc -l\n        echo \"run_id=")]),
    Row("stale-ref-after-merge", Compat, "report", &[(R, "{cmd: \"date\"}", "{cmd: \"date\", cwd: \"${{ context.work_dir }}\"}")], &[(R, "{cmd: \"date\"}", "{cmd: \"date\", cwd: \"${{ context.base }}\"}")]),
    Row("pipeline-internal-not-hidden", Compat, "", &[(R, "description: What to do", "description: Set by the caller")], &[(R, "description: What to do", "description: Set by the caller\n    hidden: true")]),
    Row("required-ingredient-no-default", Compat, "", &[(R, "    default: \"nothing\"\n", "")], &[(R, "    default: \"nothing\"\n", "    hidden: true\n")]),
    Row("outdated-recipe-version", Compat, "", &[(R, "\"0.9.0\"", "\"0.8.38\"")], &[(R, "\"0.9.0\"", "\"0.10\"")]),
    Row("outdated-recipe-version", Compat, "", &[(R, "autoskillit_version: \"0.9.0\"", "autoskillit_version: latest")], &[(R, "autoskillit_version: \"0.9.0\"", "autoskillit_version: 1.5")]),
    Row("outdated-recipe-version", Compat, "", &[(R, "autoskillit_version: \"0.9.0\"\n", "")], &[(R, "\"0.9.0\"", "\"v0.9\"")]),
    Row("research-output-mode-enum", Compat, "", &[(R, "default: \"pr\"", "default: \"mail\"")], &[(R, "default: \"pr\"", "default: local")]),
    Row("weak-constraint-text", Compat, "", &[(R, "WebSearch, ", "")], &[(R, "Never use", "Do not use")]),
    Row("unknown-required-pack", Core, "", &[(R, "[research]", "[reserach]")], &[(R, "[research]", "[writing]")]),
    // Skills and tools
    Row("unknown-skill-command", Core, "review", &[(R, "/x:review ", "/x:revew ")], &[(R, "/x:review ", "/x:{name} ")]),
    Row("undeclared-capture-key", Core, "review", &[(R, "\"${{ result.verdict }}\"\n    retries", "\"${{ result.verdit }}\"\n    retries")], &[(R, "\"${{ result.verdict }}\"\n    retries", "\"${{ result.verdict | trim }}\"\n    retries")]),
    Row("undeclared-capture-key", Core, "review", &[(Manifest, "  review:\n", "  reviews:\n")], &[(Manifest, "name: verdict,", "name: verdict, note: x,")]),
    Row("implicit-handoff", Core, "plan", &[(R, "    capture:\n      plan_path: \"${{ result.plan_path }}\"\n", "")], &[(R, "    capture:\n      plan_path:", "    capture_list:\n      plan_path:")]),
    Row("uncaptured-handoff-consumer", Core, "plan", &[(R, "/x:make-plan ${{ inputs.task }} style=${{ inputs.style }}", "/x:tidy"), (R, "    on_success: start\n", "    on_success: review\n"), (R, "/x:review", "/x:read")], &[(R, "/x:make-plan ${{ inputs.task }} style=${{ inputs.style }}", "/x:tidy"), (R, "    on_success: start\n", "    on_success: review\n")]),
    Row("missing-ingredient", Core, "review", &[(R, "/x:review ${{ context.plan_path }}", "/x:review")], &[(R, "/x:review ${{ context.plan_path }}", "/x:review ${{ context.run_id }}")]),
    Row("missing-recommended-input", Core, "plan", &[(R, " style=${{ inputs.style }}", "")], &[(R, " style=${{ inputs.style }}", " style=short")]),
    Row("shadowed-required-input", Core, "review", &[(R, "/x:review ${{ context.plan_path }}", "/x:review the plan")], &[(R, "/x:review ${{ context.plan_path }}", "/x:review the plan ${{ context.plan_path }}")]),
    Row("unrouted-verdict-value", Core, "review", &[(R, "      - when: \"${{ result.verdict }} == stop\"\n        route: failed\n", "")], &[(Manifest, "[go, revise, stop]", "[stop, revise]")]),
    Row("missing-output-patterns", Core, "plan", &[(Manifest, "    expected_output_patterns: ['plan_path\\s*=\\s*/.+']\n", "")], &[(Manifest, "    expected_output_patterns: ['plan_path\\s*=\\s*/.+']\n", ""), (Manifest, "type: file_path}\n    pattern", "type: string}\n    pattern")]),
    Row("missing-pattern-examples", Core, "plan", &[(Manifest, "    pattern_examples: [\"plan_path = /tmp/plan.md\"]\n", "")], &[(Manifest, "plan_path = /tmp/plan.md", "plan_path=/p")]),
    Row("pattern-examples-match", Core, "plan", &[(Manifest, "'plan_path\\s*=\\s*/.+'", "'plan_path('")], &[(Manifest, "'plan_path\\s*=\\s*/.+'", "'plan_path'")]),
    Row("pattern-examples-match", Core, "plan", &[(Manifest, "plan_path = /tmp/plan.md", "plan_path: x")], &[(Manifest, "[\"plan_path = /tmp/plan.md\"]", "[\"x\", \"plan_path = /a\"]")]),
    Row("write-behavior-consistency", Core, "plan", &[(Manifest, "write_behavior: always", "write_behavior: sometimes")], &[(Manifest, "    write_behavior: always\n", "")]),
    Row("write-behavior-consistency", Core, "plan", &[(Manifest, "write_behavior: always", "write_behavior: conditional")], &[(Manifest, "write_behavior: always", "write_behavior: conditional\n    write_expected_when: [wrote]")]),
    Row("write-behavior-consistency", Core, "plan", &[(Manifest, "write_behavior: always", "write_behavior: always\n    write_expected_when: [wrote]")], &[(Manifest, "write_behavior: always", "write_behavior: always\n    write_expected_when: []")]),
    Row("write-behavior-consistency", Core, "plan", &[(Manifest, "write_behavior: always", "write_behavior: conditional\n    write_expected_when: ['(']")], &[(Manifest, "write_behavior: always", "write_behavior: conditional\n    write_expected_when: ['x']")]),
    Row("file-writing-skill-missing-context-limit", Core, "plan", &[(R, "    on_context_limit: failed\n", "")], &[(R, "    on_context_limit: failed\n", ""), (Manifest, "    write_behavior: always\n", "")]),
    Row("conditional-skill-ungated-push", Core, "plan", &[(R, "/x:make-plan ${{ inputs.task }} style=${{ inputs.style }}", "/x:fix"), (R, "    tool: run_cmd\n", "    tool: push_to_remote\n")], &[(R, "/x:make-plan ${{ inputs.task }} style=${{ inputs.style }}", "/x:fix"), (R, "    tool: run_cmd\n", "    tool: push_to_remote\n"), (R, "    retries: 1\n    on_success: start\n", "    retries: 1\n    on_result: [{when: result.fixed, route: start}, {route: failed}]\n")]),
    Row("conditional-skill-ungated-push", Core, "plan", &[(R, "/x:make-plan ${{ inputs.task }} style=${{ inputs.style }}", "/x:fix"), (R, "    tool: run_cmd\n", "    tool: push_to_remote\n")], &[(R, "/x:make-plan ${{ inputs.task }} style=${{ inputs.style }}", "/x:fix"), (R, "    tool: run_cmd\n", "    tool: push_to_remote\n"), (R, "    retries: 1\n    on_success: start\n", "    retries: 1\n    on_result: {field: ' fixed ', routes: {'true': start, 'false': failed}}\n")]),
    Row("skill-command-missing-prefix", Core, "review", &[(R, "\"/x:review ${{", "\"Review ${{")], &[(R, "\"/x:review ${{", "\" /x:review ${{")]),
    Row("unknown-tool", Core, "announce", &[(R, "  announce:\n    tool: publish", "  announce:\n    tool: publsh")], &[(R, "  announce:\n    tool: publish", "  announce:\n    tool: push_to_remote")]),
    Row("dead-with-param", Core, "publish", &[(R, "      count: \"${{", "      cuont: \"${{")], &[(R, "  publish:\n    tool: publish\n", "  publish:\n    tool: push_to_remote\n"), (R, "      count: \"${{", "      cuont: \"${{")]),
    // Blocks
    Row("block-run-cmd-budget", Core, "plan", &[(Budgets, "run_cmd: 1", "run_cmd: 0")], &[(Budgets, "run_cmd: 1", "run_cmd: 2")]),
    Row("block-mcp-tool-budget", Core, "plan", &[(Budgets, "mcp_tools: 1", "mcp_tools: 0")], &[(Budgets, ", mcp_tools: 1", "")]),
    Row("block-gh-api-forbidden", Core, "plan", &[(R, "        cat ${{", "        gh api /x; cat ${{")], &[(R, "        cat ${{", "        gh api /x; cat ${{"), (Budgets, "front: {run_cmd: 1, mcp_tools: 1, forbid_gh_api: true}", "front: {}\nDEFAULT: {forbid_gh_api: true}")]),
    Row("block-single-producer", Core, "plan", &[(R, "      run_id: \"${{ result.run_id }}\"\n", "      run_id: \"${{ result.run_id }}\"\n      plan_path: \"${{ result.stdout }}\"\n")], &[(R, "      run_id: \"${{ result.run_id }}\"\n", "      run_id: \"${{ result.run_id }}\"\n      plan_text: \"${{ result.stdout }}\"\n")]),
    Row("block-entry-exit-reachable", Core, "plan", &[(R, "  announce:\n", "  announce:\n    block: front\n")], &[(R, "  announce:\n", "  announce:\n    block: back\n")]),
    // Worktrees and git
    Row("retries-on-worktree-modifying-skill", Compat, "implement", &[(R, "    retries: 0\n", "    retries: 1\n")], &[(R, "/autoskillit:implement-worktree ${{", "/autoskillit:walk ${{"), (R, "    retries: 0\n", "    retries: 1\n")]),
    Row("missing-context-limit-on-worktree", Compat, "implement", &[(R, "    on_context_limit: again\n", "")], &[(R, "    on_context_limit: again\n", "    on_context_limit: failed\n")]),
    Row("retry-worktree-cwd", Compat, "again", &[(R, "/autoskillit:retry-worktree ${{ context.plan_parts }}\", cwd: \"${{ context.worktree }}\"", "/autoskillit:retry-worktree ${{ context.plan_parts }}\", cwd: \"${{ inputs.source_dir }}\"")], &[(R, "/autoskillit:retry-worktree ${{ context.plan_parts }}\", cwd: \"${{ context.worktree }}\"", "/autoskillit:retry-worktree ${{ context.plan_parts }}\", cwd: \"${{ context.work_dir }}\"")]),
    Row("clone-root-as-worktree", Compat, "test", &[(R, "tool: test_check\n    with: {worktree_path: \"${{ context.worktree }}\"}", "tool: test_check\n    with: {worktree_path: \"${{ context.work_dir }}\"}")], &[(R, "tool: test_check\n    with: {worktree_path: \"${{ context.worktree }}\"}", "tool: test_check\n    with: {worktree_path: \"${{ context.base }}\"}")]),
    Row("merge-base-unpublished", Compat, "merge", &[(R, "with: {branch: \"${{ context.base }}\"", "with: {branch: main")], &[(R, "base_branch: \"${{ context.base }}\"", "base_branch: main")]),
    Row("merge-without-commit-guard", Compat, "merge", &[(R, "git commit -m work", "git status")], &[(R, "git commit -m work", "true"), (R, "  keep:\n", "  commit_guard:\n"), (R, "on_success: keep", "on_success: commit_guard")]),
    Row("merge-routing-incomplete", Compat, "merge", &[(R, "      - {when: \"result.failed_step == 'rebase'\", route: failed}\n", "")], &[(R, "result.failed_step == 'rebase'", "${{ result.failed_step }} == rebase")]),
    Row("merge-cleanup-uncaptured", Compat, "merge", &[(R, "    capture: {clean: \"${{ result.cleanup_succeeded }}\"}\n", "")], &[(R, "{clean: \"${{ result.cleanup_succeeded }}\"}", "{tidy: \"${{ result.cleanup_succeeded }}\"}")]),
    Row("push-before-audit", Compat, "publish_base", &[(R, "/autoskillit:audit-impl", "/autoskillit:walk")], &[(R, "/autoskillit:audit-impl", "/autoskillit:audit-impl now")]),
    Row("push-missing-explicit-remote-url", Compat, "publish_base", &[(R, ", remote_url: \"${{ context.remote_url }}\"}", "}")], &[(R, ", remote_url: \"${{ context.remote_url }}\"}", ", remote_url: x}")]),
    Row("rebase-then-push-requires-force", Compat, "push_again", &[(R, ", force: \"true\"", "")], &[(R, "force: \"true\"", "force: True")]),
    Row("clone-local-strategy-with-remote-url-capture", Compat, "address", &[(R, "strategy: proceed", "strategy: clone_local")], &[(R, "with: {strategy: proceed}", "with: {}")]),
    Row("clone-local-strategy-with-remote-url-capture", Compat, "address", &[(R, "strategy: proceed", "strategy: \"${{ inputs.task }}\"")], &[(R, "strategy: proceed", "strategy: clone_local"), (R, "result.remote_url", "result.url")]),
    Row("source-isolation-violation", Compat, "branch", &[(R, "with: {cwd: \"${{ context.work_dir }}\"}", "with: {cwd: \"${{ inputs.source_dir }}\"}")], &[(R, "{cmd: \"date\"}", "{cmd: date, cwd: \"${{ inputs.source_dir }}\"}")]),
    Row("source-isolation-violation", Compat, "plan", &[(R, "tool: clone_repo", "tool: copy_repo"), (R, "inputs.task }}\", cwd: \"${{ context.work_dir }}\"", "inputs.task }}\", cwd: \"${{ inputs.source_dir }}\"")], &[(R, "inputs.task }}\", cwd: \"${{ context.work_dir }}\"", "inputs.task }}\", cwd: \"${{ inputs.source_dir }}\"")]),
    Row("git-mutation-on-source", Compat, "keep", &[(R, "git commit -m work\", cwd: \"${{ context.worktree }}\"", "git commit -m work\", cwd: \"${{ inputs.source_dir }}\"")], &[(R, "git commit -m work\", cwd: \"${{ context.worktree }}\"", "git status\", cwd: \"${{ inputs.source_dir }}\"")]),
    // Continuous integration
    Row("ci-polling-inline-shell", Compat, "report", &[(R, "cmd: \"date\"", "cmd: \"gh run watch 1\"")], &[(R, "cmd: \"date\"", "cmd: \"gh run view 1\"")]),
    Row("ci-missing-event-scope", Compat, "watch", &[(R, ", event: \"${{ context.merge_group_trigger }}\"", "")], &[(R, "tool: wait_for_ci", "tool: wait_for_queue"), (R, ", event: \"${{ context.merge_group_trigger }}\"", "")]),
    Row("ci-hardcoded-workflow", Compat, "watch", &[(R, "with: {branch: \"${{ context.base }}\", event", "with: {workflow: tests.yml, branch: \"${{ context.base }}\", event")], &[(R, "with: {branch: \"${{ context.base }}\", event", "with: {workflow: \"${{ inputs.task }}\", branch: \"${{ context.base }}\", event")]),
    Row("event-scope-requires-upstream-capture", Compat, "watch", &[(R, "event: \"${{ context.merge_group_trigger }}\"", "event: push"), (R, "capture: {merge_group_trigger:", "capture: {trigger:")], &[(R, "event: \"${{ context.merge_group_trigger }}\"", "event: push")]),
    Row("ci-failure-missing-conflict-gate", Compat, "watch", &[(R, "git merge-base --is-ancestor a b", "git status")], &[(R, "git merge-base --is-ancestor a b", "git merge-base a b")]),
    Row("wait-for-merge-queue-routing-covers-all-pr-states", Compat, "queue", &[(R, "      - {when: \"${{ result.pr_state }} == stalled\", route: failed}\n", "")], &[(R, "      - {when: \"${{ result.pr_state }} == stalled\", route: failed}\n", ""), (R, "      - {when: \"${{ result.pr_state }} == ejected\", route: failed}\n", "      - {when: \"${{ result.pr_state }} == stalled\", route: failed}\n      - {when: \"${{ result.pr_state }} == ejected\", route: failed}\n")]),
    Row("wait-for-merge-queue-routing-conforms-to-expected-targets", Compat, "queue", &[(R, "      - {route: release_issue_timeout}\n", "      - {route: cleanup}\n")], &[(R, "timeout\", route: release_issue_timeout}", "timeout\", route: failed}")]),
    Row("wait-for-merge-queue-routing-conforms-to-expected-targets", Compat, "queue", &[(R, "    on_failure: release_issue_timeout\n", "    on_failure: failed\n")], &[(R, "  release_issue_timeout:\n", "  queue_timeout:\n")]),
    // Plans in several parts
    Row("multipart-glob-note", Compat, "plan", &[(R, "Look for *_part_*.md.", "Look.")], &[(R, "Look for *_part_*.md.", "All of *_part_*.md")]),
    Row("multipart-sequential-kitchen-rule", Compat, "", &[(R, "SEQUENTIAL EXECUTION: one", "One")], &[(R, "SEQUENTIAL EXECUTION: one part", "A full cycle for a part")]),
    Row("multipart-route-back", Compat, "next_or_done", &[(R, "== more_parts\", route: verify}", "== more_parts\", route: plan}")], &[(R, "${{ result.next }} == more_parts", "result.next == 'more_parts'")]),
    Row("multipart-plan-parts-not-captured", Compat, "plan", &[(R, "capture_list: {plan_parts:", "capture: {plan_parts:")], &[(R, "/autoskillit:make-plan", "/autoskillit:walk"), (R, "capture_list: {plan_parts:", "capture: {plan_parts:")]),
    Row("IMPLICIT_HANDOFF", Notes, "plan", &[(R, "    capture:\n      plan_path:", "    capture_list:\n      plan_path:")], &[(R, "      plan_path: \"${{ result.plan_path }}\"", "      plan_path: \"${{ result.path }}\"")]),
    Row("REF_INVALIDATED", Compat, "report", &[(R, "{cmd: \"date\"}", "{cmd: \"ls ${{ context.work_dir }}\"}")], &[(R, "{cmd: \"date\"}", "{cmd: \"ls ${{ context.worktree }}\"}")]),
    // Beyond the reference
    Row("duplicate-key", Core, "review", &[(R, "    retries: 2\n", "    retries: 2\n    retries: 3\n")], &[(R, "    retries: 2\n", "    retries: 3\n")]),
    Row("duplicate-key", Core, "", &[(R, "name: base\n", "name: base\nname: base\n")], &[(R, "  stopped:\n", "  base: {action: stop, message: m}\n  stopped:\n")]),
    Row("duplicate-key", Core, "stopped", &[(R, "  stopped:\n", "  stopped: {action: stop, message: m}\n  stopped:\n")], &[(R, "  stopped:\n", "  stopped2: {action: stop, message: m}\n  stopped:\n")]),
    Row("schema", Core, "odd", &[(R, "  stopped:\n", "  odd: stop\n  stopped:\n")], &[(R, "  stopped:\n", "  odd: {action: stop, message: m}\n  stopped:\n")]),
    Row("unknown-key", Core, "start", &[(R, "    on_success: review\n", "    on_sucess: review\n")], &[(R, "    on_success: review\n", "    note: on_sucess\n    on_success: review\n")]),
    Row("unknown-key", Core, "decide", &[(R, "      - when: \"${{ context.verdict }} == go\"", "      - wen: \"${{ context.verdict }} == go\"")], &[(R, "      - when: \"${{ context.verdict }} == go\"", "      - when: \"${{ context.verdict }} == stop\"")]),
    Row("unknown-key", Core, "", &[(R, "kitchen_rules:", "summery: x\nkitchen_rules:")], &[(R, "kitchen_rules:", "summary: x\nkitchen_rules:")]),
    Row("bad-when-expression", Core, "decide", &[(R, "${{ context.verdict }} == go", "${{ context.verdict }} ==")], &[(R, "${{ context.verdict }} == go", "${{ context.verdict }} == stop")]),
    Row("schema", Core, "decide", &[(R, "\"${{ context.verdict }} == go\"", "[go]")], &[(R, "\"${{ context.verdict }} == go\"", "context.verdict")]),
    Row("bad-when-expression", Core, "publish", &[(R, "run: \"${{ context.run_id }}\"", "run: \"${{ contxt.run_id }}\"")], &[(R, "run: \"${{ context.run_id }}\"", "run: \"${ contxt.run_id }\"")]),
    Row("unknown-filter", Core, "publish", &[(R, "run: \"${{ context.run_id }}\"", "run: \"${{ context.run_id | trimm }}\"")], &[(R, "run: \"${{ context.run_id }}\"", "run: \"${{ context.run_id | trim }}\"")]),
    Row("undeclared-ref-in-when", Core, "decide", &[(R, "${{ context.verdict }} == go", "context.verdit == go")], &[(R, "${{ context.verdict }} == go", "context.run_id == go")]),
    Row("undeclared-ref-in-when", Core, "decide", &[(R, "${{ context.verdict }} == go", "${{ inputs.go }} == go")], &[(R, "${{ context.verdict }} == go", "${{ inputs.style }} == go")]),
    Row("undeclared-ref-in-message", Core, "finished", &[(R, "Done with ${{ inputs.task }}.", "Done with ${{ inputs.taks }}.")], &[(R, "Done with ${{ inputs.task }}.", "Done with inputs.taks.")]),
    Row("no-terminal-path", Core, "announce", &[(R, "    optional_context_refs: [verdict]\n    on_success: finished\n    on_failure: failed\n", "    optional_context_refs: [verdict]\n    on_success: announce\n    on_failure: announce\n")], &[(R, "    optional_context_refs: [verdict]\n    on_success: finished\n    on_failure: failed\n", "    optional_context_refs: [verdict]\n    on_success: announce\n    on_failure: done\n")]),
    Row("ambiguous-skip-route", Core, "review", &[(R, "    on_skip: number\n", "")], &[(R, "    on_skip: number\n", "    on_skip: failed\n")]),
    Row("on-result-no-default", Core, "decide", &[(R, "        route: announce\n      - route: failed\n", "        route: announce\n")], &[(R, "        route: announce\n      - route: failed\n", "        route: announce\n      - {when: \"true\", route: failed}\n")]),
    Row("open-default", Core, "decide", &[(Manifest, ", allowed_values: [go, revise, stop]", "")], &[(Manifest, "[go, revise, stop]", "[go, revise, stop, wait]")]),
    Row("open-failure", Core, "review", &[(R, "  failed:\n    action: stop\n", "  failed:\n    action: stop\n    failed: true\n")], &[(R, "  failed:\n    action: stop\n", "  failed:\n    action: stop\n    failed: true\n"), (R, "    on_failure: number\n    on_context_limit: number\n    on_exhausted: number\n", "    on_failure: failed\n    on_context_limit: failed\n    on_exhausted: failed\n")]),
    Row("shadowed-condition", Core, "decide", &[(R, "        route: announce\n      - route: failed\n", "        route: announce\n      - route: failed\n      - {when: result.x, route: failed}\n")], &[(R, "        route: announce\n      - route: failed\n", "        route: announce\n      - {when: result.x, route: failed}\n      - route: failed\n")]),
    Row("shadowed-condition", Core, "review", &[(R, "${{ result.verdict }} == stop", "${{result.verdict}} == 'revise'")], &[(R, "${{ result.verdict }} == stop", "${{ result.verdict }} == go")]),
    Row("impossible-comparison", Core, "review", &[(R, "${{ result.verdict }} == stop", "${{ result.verdict }} == stopp")], &[(R, "${{ result.verdict }} == stop", "${{ result.verdict }} == ''")]),
    Row("impossible-comparison", Core, "decide", &[(R, "${{ context.verdict }} == go", "${{ context.verdict }} == GO")], &[(R, "${{ context.verdict }} == go", "${{ context.run_id }} == GO")]),
    Row("misspelt-route", Core, "measure", &[(R, "    on_success: ask\n", "    on_succes: ask\n")], &[(R, "    on_success: ask\n", "    on_succes: ask\n    on_success: ask\n")]),
    Row("misspelt-route", Core, "measure", &[(R, "    on_success: ask\n", "    next: ask\n")], &[(R, "    on_success: ask\n", "    color: red\n")]),
    Row("no-success-route", Core, "measure", &[(R, "    on_success: ask\n", "")], &[(R, "    on_success: ask\n", "    on_success: done\n")]),
    Row("no-success-route", Core, "decide", &[(R, "    on_result:\n      - when: \"${{ context.verdict }} == go\"\n        route: announce\n      - route: failed\n", "")], &[(R, "    on_result:\n      - when: \"${{ context.verdict }} == go\"\n        route: announce\n      - route: failed\n", "    on_success: announce\n")]),
    Row("no-failure-route", Core, "measure", &[(R, "    on_success: ask\n    on_failure: failed\n", "    on_success: ask\n")], &[(R, "    on_success: ask\n    on_failure: failed\n", "    on_success: ask\n    on_failure: done\n")]),
    Row("maybe-absent-context", Core, "start", &[(R, "    on_context_limit: failed\n", "    on_context_limit: start\n")], &[(R, "    on_context_limit: failed\n", "    on_context_limit: start\n    capture_partial: [plan_path]\n")]),
    Row("maybe-absent-context", Core, "announce", &[(R, "    optional_context_refs: [verdict]\n", ""), (R, "${{ context.verdict }} == go", "${{ context.verdict }} != go")], &[(R, "    optional_context_refs: [verdict]\n", ""), (R, "${{ context.verdict }} == go", "context.verdict and inputs.task")]),
    Row("class-conflict", Core, "plan", &[(R, "plan_path: INIT_PRESERVE", "plan_path: INIT_ONLY")], &[(R, "plan_path: INIT_PRESERVE", "plan_path: APPEND_ONLY")]),
    Row("schema", Core, "", &[(R, "plan_path: INIT_PRESERVE", "plan_path: INIT_PRESRVE")], &[(R, "plan_path: INIT_PRESERVE", "plan_path: MUTABLE")]),
    Row("class-conflict", Core, "", &[(R, "plan_path: INIT_PRESERVE", "plan_paht: INIT_PRESERVE")], &[(R, "plan_path: INIT_PRESERVE", "ready: DERIVED")]),
    Row("resume-target-unknown", Core, "", &[(R, "present: verdict, start: number", "present: verdict, start: numbr")], &[(R, "present: verdict, start: number", "present: verdict, start: ask")]),
    Row("resume-target-unknown", Core, "", &[(R, "tier: 2", "tier: 1")], &[(R, "tier: 2", "tier: 3")]),
    Row("resume-variable-uncaptured", Core, "", &[(R, "present: verdict", "present: verdcit")], &[(R, "present: verdict", "present: count")]),
    Row("shell-interpolation", Core, "start", &[(R, "cat ${{ context.plan_path | shq }}", "cat \"${{ context.plan_path }}\"")], &[(R, "cat ${{ context.plan_path | shq }}", "cat ${{ context.plan_path | trim | shq }}")]),
    Row("shell-interpolation", Core, "start", &[(R, "cat ${{ context.plan_path | shq }}", "cat '${{ context.plan_path | shq }}'")], &[(R, "cat ${{ context.plan_path | shq }}", "cat ''${{ context.plan_path | shq }}")]),
    Row("bad-when-expression", Core, "plan", &[(R, "style=${{ inputs.style }}", "style=${{ inputs.style }")], &[(R, "style=${{ inputs.style }}", "style={{ inputs.style }")]),
    Row("shell-interpolation", Core, "start", &[(R, "cat ${{ context.plan_path | shq }}", "cat ${{ inputs.task }}")], &[(R, "cat ${{ context.plan_path | shq }}", "cat ${{ inputs.task | shq }}")]),
    Row("gate-not-hidden", Core, "prelude", &[(R, "    hidden: true\n", "")], &[(R, "    hidden: true\n", "    hidden: yes\n")]),
    Row("ingredient-default-type", Core, "", &[(R, "default: \"false\"", "default: false")], &[(R, "default: \"false\"", "default: off")]),
    Row("secret-default", Core, "", &[(R, "default: \"short\"", "default: \"short\"\n    secret: true")], &[(R, "default: \"short\"", "default: \"short\"\n    secret: false")]),
    Row("ingredient-enum", Core, "", &[(R, "default: \"short\"", "default: \"brief\"")], &[(R, "default: \"short\"", "default: \"long\"")]),
    Row("inert-exhaust-route", Core, "measure", &[(R, "    python: tools.measure.run\n", "    python: tools.measure.run\n    retries: 0\n    on_exhausted: failed\n")], &[(R, "    python: tools.measure.run\n", "    python: tools.measure.run\n    retries: 1\n    on_exhausted: failed\n")]),
    // Texts of skills
    Row("always-has-no-write-exit", Notes, "plan", &[(R, "/x:make-plan ${{ inputs.task }} style=${{ inputs.style }}", "/x:make-plan now"), (Skill, "## Output", "With no plan there is nothing to do.\n\n## Output")], &[(R, "/x:make-plan ${{ inputs.task }} style=${{ inputs.style }}", "/x:make-plan now"), (Skill, "## Output", "With no plan there is much to do.\n\n## Output")]),
    Row("undefined-bash-placeholder", Notes, "plan", &[(Skill, "echo {task} >", "echo {plan} >")], &[(Skill, "echo {task} >", "echo {out} >")]),
    Row("output-section-no-markdown-directive", Notes, "plan", &[(Skill, "Emit the result line as literal plain text.", "Emit the result line.")], &[(Skill, "## Output", "## Result")]),
    Row("hardcoded-origin-remote", Notes, "plan", &[(Skill, "git fetch \"$REMOTE\" main", "git fetch origin main")], &[(Skill, "git fetch \"$REMOTE\" main", "git fetch ${REMOTE:-origin} main")]),
    Row("no-autoskillit-import-in-skill-python-block", Notes, "plan", &[(Skill, "python3 -c 'import json'", "python3 - <<'X'\nimport autoskillit.core\nX")], &[(Skill, "import json", "import autoskill")]),
];

#[test]
fn the_bases_are_clean() {
    for base in [Core, Compat] {
        // It is a note and not a fault that agents hand files on without captures.
        let mut findings = report(base, &[]).findings;
        findings.retain(|finding| finding.rule != "IMPLICIT_HANDOFF" || base == Core);
        assert!(findings.is_empty(), "{base:?}: {findings:#?}");
    }
    // The rules of the general recipe do not name the reference's tools; nothing else is wrong with it.
    let rules: BTreeSet<_> = report(Notes, &[])
        .findings
        .into_iter()
        .map(|finding| finding.rule.into_owned())
        .collect();
    assert_eq!(
        rules.iter().map(String::as_str).collect::<Vec<_>>(),
        ["required-ingredient-no-default", "weak-constraint-text"]
    );
}

#[test]
fn each_rule_fires_on_its_mutant_and_not_on_the_twin() {
    let mut wrong = Vec::new();
    for Row(rule, base, step, mutant, twin) in ROWS {
        let found_there = found(*base, mutant, rule);
        if !found_there.iter().any(|finding| finding.step == *step) {
            wrong.push(format!(
                "{rule}: {mutant:?} does not fire it in step {step:?}: {found_there:?}"
            ));
        }
        let declared = RULES.iter().find(|known| known.id == *rule);
        let differs = |finding: &&aris_recipe::Finding| {
            declared.is_some_and(|rule| {
                finding.severity != rule.severity_in(base.profile()) && !rule.or_warning
            })
        };
        if let Some(finding) = found_there.iter().find(differs) {
            wrong.push(format!(
                "{rule}: another severity than the table says: {finding:?}"
            ));
        }
        let not_there = found(*base, twin, rule);
        if !not_there.is_empty() {
            wrong.push(format!("{rule}: the twin {twin:?} fires it: {not_there:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_mutant() {
    let mut known: BTreeSet<&str> = RULES.iter().map(|rule| rule.id).collect();
    let covered: BTreeSet<&str> = ROWS.iter().map(|row| row.0).collect();
    assert_eq!(
        known.len(),
        RULES.len(),
        "an id is given twice in the table"
    );
    let project = project_rules();
    known.extend(project.iter().map(|rule| rule.rule.as_str()));
    assert_eq!(covered, known);
}
