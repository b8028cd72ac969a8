#!/bin/sh
# Makes what `cargo xtask bench` measures, in the working directory. Usage: make.sh WHAT ARGUMENT...
# ROOT is the checkout, BUILT the folder of the built helpers, which is also the first on the PATH.
set -eu
what=$1
shift

# Functions of awk. The same seed gives the same files; a digit in a sentence would be one of its numbers, so names are letters.
common='
function letters(n) { return sprintf("%c%c%c", 97 + int(n / 676) % 26, 97 + int(n / 26) % 26, 97 + n % 26) }
function below(limit) { return int(rand() * limit) }
BEGIN { srand(7); q = sprintf("%c", 39) }'

make() {
  awk "$@" "$common$program" </dev/null
}

case $what in
# A paper whose every sentence shows the sum of one group of rows, all 1,000 of them bound, and the data: FILES of BYTES.
claims)
  mkdir -p results .git
  program='BEGIN {
    groups = 1000 / files
    print "\\documentclass{article}\n\\begin{document}" >"main.tex"
    print "version = 1" >"claims.toml"
    for (file = 0; file < files; file++) {
      path = "results/" letters(file) ".csv"
      print "group,value,loss,time,note" >path
      split("", sums)
      for (n = size = 0; size < bytes; n++) {
        cents = below(100000)
        sums[n % groups] += cents
        line = sprintf("%s,%d.%02d,0.%06d,%d,a note of the run", letters(n % groups), cents / 100, cents % 100, below(1000000), n)
        print line >path
        size += length(line) + 1
      }
      close(path)
      for (group = 0; group < groups; group++) {
        name = letters(file * groups + group)
        shown = sprintf("%d.%02d", sums[group] / 100, sums[group] % 100)
        print "The total of series " name " is " shown " in all.\n" >"main.tex"
        print "[[claim]]\nid = \"" name "\"\nin = \"main.tex\"\ntext = \"The total of series " name " is [[" shown "]] in all.\"" >"claims.toml"
        print "value = \"select sum(value) from \\\"" path "\\\" where \\\"group\\\" = " q letters(group) q "\"" >"claims.toml"
      }
    }
    print "\\end{document}" >"main.tex"
  }'
  make -v files="$1" -v bytes="$2"
  ;;
# A project with a paper of ten files, all of them read by each of four honest audits; its text states so many NUMBERS, bound to a result;
# and `check`, what the gate is compared with.
gate)
  mkdir -p paper/data
  # The pipeline that anybody would write first, a part of what the gate does.
  cat >check <<'END'
set -e
cd paper
for audit in *_AUDIT.json KILL_ARGUMENT.json; do
  jq -e '.verdict as $v | ["PASS","WARN","NOT_APPLICABLE"] | index($v) != null' "$audit" >/dev/null
  jq -r '.audited_input_hashes | to_entries[] | (.value | sub("^sha256:"; "")) + "  " + .key' "$audit" | sha256sum --quiet -c -
done
END
  cd paper
  program='BEGIN {
    print "\\documentclass{article}\n\\begin{document}" >"main.tex"
    print "@misc{k, title = {T}, author = {A, B}, year = 2020}" >"refs.bib"
    for (n = 2; n < 10; n++) printf "%-4096d", n >("data/" n ".bin")
    if (numbers) {
      print "run,score" >"data/runs.csv"
      print "version = 1" >"claims.toml"
    }
    for (run = 0; run < numbers; run++) {
      score = (10 + run) "." run % 10
      print run "," score >"data/runs.csv"
      print "Variant " letters(run) " scores " score " points." >"main.tex"
      print "[[claim]]\nin = \"main.tex\"\ntext = \"Variant " letters(run) " scores [[" score "]] points\"" >"claims.toml"
      print "value = \"select score from \\\"data/runs.csv\\\" where run = " run "\"" >"claims.toml"
    }
    print "Nothing to see~\\cite{k}.\n\\bibliography{refs}\n\\end{document}" >"main.tex"
  }'
  make -v numbers="$1"
  hashes=$(sha256sum main.tex refs.bib data/*.bin | jq -Rn '[inputs / "  " | {(.[1]): ("sha256:" + .[0])}] | add')
  for audit in PROOF_AUDIT:proof-checker PAPER_CLAIM_AUDIT:paper-claim-audit CITATION_AUDIT:citation-audit KILL_ARGUMENT:kill-argument; do
    skill=${audit#*:}
    trace=$(cd .. && save_trace --skill "$skill" --purpose audit --model reviewer-1 --thread-id "$skill" --prompt 'read the paper' \
      --response 'nothing found' --files paper/main.tex paper/refs.bib paper/data/*.bin)
    jq -n --arg skill "$skill" --arg trace "$trace" --arg time "$(date -u +%FT%TZ)" --argjson hashes "$hashes" '{
      audit_skill: $skill, verdict: "PASS", reason_code: "nothing_found", summary: "nothing found", audited_input_hashes: $hashes,
      trace_path: $trace, thread_id: $skill, reviewer_model: "reviewer-1", reviewer_reasoning: "high", generated_at: $time,
      details: null}' >"${audit%:*}.json"
  done
  if [ "$1" != 0 ]; then
    paper_claim_audit . >/dev/null
    citation_audit . >/dev/null
  fi
  ;;
# A figure of NODES in rows of 25, each with an edge to the next, and the drawing of it.
figure)
  program='BEGIN {
    printf "{\"canvas\": {\"width\": 5000, \"height\": %d}, \"nodes\": [", count * 4 + 100
    for (n = 0; n < count; n++)
      printf "%s{\"id\": \"n%d\", \"label\": \"Node %d\", \"sublabel\": \"part\", \"x\": %d, \"y\": %d}", n ? ",\n" : "", n, n, n % 25 * 200 + 100, int(n / 25) * 100 + 50
    printf "], \"edges\": ["
    for (n = 1; n < count; n++) printf "%s{\"from\": \"n%d\", \"to\": \"n%d\"}", (n > 1 ? ",\n" : ""), n - 1, n
    printf "]}"
  }'
  make -v count="$1" >f.json
  # The largest has warnings.
  figure_renderer render f.json -q >/dev/null 2>warnings
  ;;
# A wiki of 1,000 pages and 300 MiB of text in 20,000 files, as agents leave it: an identifier in about every second kilobyte.
coverage)
  mkdir -p wiki/papers
  program='BEGIN {
    for (page = 1; page <= 1000; page++) {
      path = "wiki/papers/p" page ".md"
      printf "---\ntype: paper\nexternal_ids:\n  arxiv: \"2401.%05d\"\n---\n\n# Page\n", page >path
      close(path)
    }
    for (number = 0; number < 20000; number++) {
      if (number % 100 == 0) system("mkdir -p scan/" number / 100)
      path = "scan/" int(number / 100) "/" number ".md"
      for (size = 0; size < 15728; size += length(line) + 1) {
        n = below(100000)
        kind = below(24)
        if (kind == 0) line = sprintf("loss %d.%05d after 2026-11-20T10:%02d:00Z", n % 7, n, n % 60)
        else if (kind == 1) line = "\"value\": " n % 5000 "." n ", \"seed\": " n ","
        else if (kind == 2) line = sprintf("see https://example.org/a/b/%d/file.html and src/model/%07d.rs", n, n)
        else if (kind == 3 && n % 3 == 0) line = sprintf("as in arXiv:24%02d.%05d, and more", 1 + n % 12, 1 + n % 3000)
        else line = "The reviewer asks for an ablation of the second term, and for error bars over five seeds."
        print line >path
      }
      close(path)
    }
  }'
  make
  ;;
# Two wikis of PAGES.
wiki)
  for wiki in ours theirs; do
    research_wiki init $wiki -q
    program='BEGIN {
      for (n = 0; n < pages; n++) {
        path = wiki "/papers/author" n ".md"
        printf "---\ntype: paper\nnode_id: paper:author%d\ntitle: \"Study number %d of many\"\nauthors: [\"Author %d\"]\nyear: 2020\n", n, n, n >path
        printf "venue: \"arXiv\"\nexternal_ids:\n  arxiv: \"20%02d.%05d\"\n  doi: null\n  s2: null\n", 1 + n % 12, 1 + n >path
        printf "tags: [\"t%d\", \"u%d\"]\n---\n\n", n % 400, n % 300 >path
        count = split("One-line thesis/Method/Key Results/Open Questions/Claims", headings, "/")
        for (at = 1; at <= count; at++)
          print "## " headings[at] "\nWords about study " n ", enough of them to fill a line.\n" >path
        close(path)
      }
    }'
    make -v wiki=$wiki -v pages="$1"
  done
  research_wiki rebuild_query_pack ours -q
  ;;
# 800 papers for the wiki, others in each ROUND.
records)
  program='BEGIN {
    for (n = 1; n <= 800; n++) {
      id = sprintf("24%02d.%05d", 1 + round % 12, int(round / 12) * 1000 + n)
      printf "{\"title\":\"Synced paper %d %d\",\"authors\":[{\"name\":\"Ann Lee%d\"}],\"year\":2024,\"ids\":{\"arxiv\":\"%s\"},\"links\":{},", round, n, n, id
      printf "\"origins\":[{\"source\":\"arxiv\",\"record\":\"%s\",\"retrieved_at\":\"2026-11-20T10:00:00Z\"}]}\n", id
    }
  }'
  make -v round="$1" >records.json
  ;;
# A new queue of so many JOBS with these SETTINGS, and the COMMAND of each.
jobs)
  # The last one is moved away and not removed: for 5 s after many files were, ext4 is slow to find places for new ones, which a queue in
  # its own folder never sees.
  old=$(mktemp -d old.XXXXXX)
  for part in .queue_state.queue queue_state.json logs .aris; do
    [ ! -e "$part" ] || mv "$part" "$old"
  done
  program='BEGIN {
    printf "{\"project\": \"bench\", \"cwd\": \"%s\", %s, \"phases\": [{\"name\": \"p\", \"jobs\": [", cwd, settings
    for (n = 0; n < jobs; n++) printf "%s{\"id\": \"j%d\", \"cmd\": \"%s\", \"gpus\": %d}", n ? ",\n" : "", n, command, settings ~ /gpus/
    print "]}]}"
  }'
  make -v jobs="$1" -v settings="$2" -v command="${3-true}" -v cwd="$PWD" >manifest.json
  ;;
# Runs 60 jobs of 50 ms on two cards that nobody uses, and prints how long a card waits between two of them.
cards)
  sh "$0" jobs 60 '"gpus": [0, 1]' 'echo $GPU $(date +%s%N); sleep 0.05; echo $GPU $(date +%s%N)'
  cat >nvidia-smi <<'END'
#!/bin/sh
case "$*" in
*query-compute-apps*) ;;
*) printf '0, GPU-bench-0, 1, 24576, [N/A]\n1, GPU-bench-1, 1, 24576, [N/A]\n' ;;
esac
END
  chmod 755 nvidia-smi
  ARIS_QUEUE_LEASES="$PWD/leases" PATH="$PWD:$PATH" queue_manager run --manifest manifest.json -q
  for log in logs/*.1.log; do
    tr '\n' ' ' <"$log"
    echo
  done | sort -k1,1 -k2,2n | awk '$1 == card { print ($2 - end) / 1e6 } { card = $1; end = $4 }' | sort -n |
    awk '{ wait[NR] = $1 }
      END {
        last = wait[int(NR * 0.95) + 1]
        printf "  a card waits between two jobs: median %.1f ms, p95 %.1f ms; limit / p95: %.1f x (limit 250 ms)\n", wait[int(NR / 2) + 1], last, 250 / last
      }'
  ;;
# A recipe of work, decisions, bounded loops and skips, of the shape and density of public ones; four STEPS for each of the GROUPS.
recipe)
  {
    cat <<'END'
name: bench
kitchen_rules: [do what the step says]
ingredients:
  task: {description: what to do, required: true}
  review: {description: whether work is reviewed, default: "true"}
steps:
END
    n=1
    while [ "$n" -le "$1" ]; do
      next=work_$((n + 1))
      [ "$n" != "$1" ] || next=end
      sed "s/@/$n/g; s/NEXT/$next/" <<'END'
  work_@:
    tool: run_skill
    with:
      skill_command: "/bench:work ${{ inputs.task }}"
    capture:
      out_@: "${{ result.path }}"
    on_success: check_@
    on_failure: failed
    on_context_limit: failed
  check_@:
    tool: run_skill
    with:
      skill_command: "/bench:check ${{ context.out_@ }}"
    capture:
      verdict_@: "${{ result.verdict }}"
    skip_when_false: inputs.review
    retries: 2
    on_exhausted: NEXT
    on_failure: NEXT
    on_context_limit: NEXT
    on_result:
      - when: "${{ result.verdict }} == GO"
        route: route_@
      - route: work_@
  route_@:
    action: route
    on_result:
      - when: "${{ context.verdict_@ }} == GO and not ${{ inputs.review }} == off"
        route: keep_@
      - route: NEXT
  keep_@:
    tool: run_cmd
    with:
      cmd: "test -n ${{ context.out_@ | shq }}"
    on_success: NEXT
    on_failure: NEXT
END
      n=$((n + 1))
    done
    printf '  end: {action: stop, message: done}\n  failed: {action: stop, message: failed}\n'
  } >recipe.yaml
  ;;
# A paper with one number in a repository, and 100,000 files in results/, which RUNS have written.
runs)
  mkdir paper made
  printf '\\documentclass{article}\n\\begin{document}\nWe reach 34.2 points.\n\\end{document}\n' >paper/main.tex
  cat >paper/claims.toml <<'END'
version = 1
[[claim]]
id = "ours"
in = "main.tex"
text = "reach [[34.2]] points"
value = 'select points from "../results/50000.csv"'
END
  printf 'made/\nresults/\n.aris/\n' >.gitignore
  git init -q
  git add paper .gitignore
  git -c user.name=a -c user.email=a@b commit -q -m paper
  share=$((100000 / $1))
  write='for file in $(seq -f "$0%0${2}.0f" 0 $(($1 - 1))); do printf "seed,points\n%s,34.2\n" $file >$3/$file.csv; done'
  if [ "$1" = 1 ]; then
    sh -c "$write" '' "$share" 1 made
    queue_manager record -q --name make --expected-output 'results/*.csv' -- sh -ec 'cp -r made results'
  else
    mkdir results
    for run in $(seq 0 $(($1 - 1))); do
      queue_manager record -q --name "$run" --expected-output "results/$run??"'?.csv' -- sh -ec "$write" "$run" "$share" 3 results
    done
  fi
  ;;
# This tree as a source with the programs of this machine.
source)
  mkdir source
  cp -R "$ROOT/skills" source/skills
  rm -rf source/skills/*/scripts/bin
  triple=$(rustc -vV | sed -n 's/^host: //p')
  for contract in source/skills/*/scripts/*.contract.json; do
    name=$(basename "$contract" .contract.json)
    mkdir -p "${contract%/*}/bin"
    cp "$BUILT/$name" "${contract%/*}/bin/$name-$triple"
  done
  ;;
# The same, installed in `project`.
installed)
  sh "$0" source
  mkdir project
  install_aris project --quiet --aris-repo source --mode copy
  ;;
# So many SKILLS of ten files, about 100 KiB each: the page, five references, three scripts and an asset.
skills)
  program='
  function words(form, count,  text, parts, n, at) {
    n = split(form, parts, "@")
    while (count-- > 0) {
      text = text parts[1]
      for (at = 2; at <= n; at++) text = text known[1 + below(many)] parts[at]
    }
    return text
  }
  function file(path, text) {
    printf "%s", text >(folder "/" path)
    close(folder "/" path)
  }
  function reference(  page, part, heading, anchor) {
    for (part = 0; part < 25; part++) {
      anchor = heading = words("@ @ ", 1) part
      gsub(" ", "-", anchor)
      page = page "\n## " heading "\n\n" words("- `@` and **@**, see ", 1) "[it](#" anchor ")\n"
      page = page words("\n```sh\n@ --@ \"$X\"\n```\n\n", 1) words(sentence, 5)
    }
    return page
  }
  BEGIN {
    many = split("the page counts reader with table some every text rule file when result takes plain before section number writes value model paper check", known, " ")
    sentence = "@ @ @ @ @ @ @ @ @ @ @ @ @ @.\n"
    for (skill = 0; skill < skills; skill++) {
      folder = "skills/skill-" skill
      system("mkdir -p " folder "/references " folder "/scripts " folder "/assets")
      page = "---\nname: skill-" skill "\ndescription: Reads pages and counts words. Use when a text must be counted.\n---\n\n# Skill " skill "\n\n"
      page = page "```sh\npython3 scripts/count.py --json FILE\nbash scripts/list.sh\nnode scripts/show.js\n```\n\n"
      for (part = 0; part < 5; part++) {
        page = page "Read [part " part "](references/part-" part ".md) for the details.\n\n"
        file("references/part-" part ".md", reference())
      }
      file("SKILL.md", page words(sentence, 60))
      file("scripts/count.py", "#!/usr/bin/env python3\n\"\"\"Count words.\n\nUsage: count.py FILE\nExamples: count.py a\nExit: 0\n\"\"\"\nimport argparse\n\n" \
        words("def @_@(value):\n    return [value, \"@\"]\n", 150))
      file("scripts/list.sh", "#!/usr/bin/env bash\n# Usage: list.sh\n# Examples: list.sh\n# Exit: 0\nset -uo pipefail\n" \
        words("@=\"${1:-@}\"; printf " q "%s\\n" q " \"$@\" | sort -u\n", 150))
      file("scripts/show.js", "#!/usr/bin/env node\n// Usage: show.js\n" words("const @_@ = (x) => `${x} @`;\n", 150))
      file("assets/table.csv", words("@,@\n", 300))
    }
  }'
  make -v skills="$1"
  ;;
# A prompt of so many BYTES.
prompt)
  head -c "$1" /dev/zero | tr '\0' r >prompt
  ;;
*)
  echo "make.sh: unknown: $what" >&2
  exit 2
  ;;
esac
