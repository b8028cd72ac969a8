// The search: words, phrases and ranking as `research_wiki search` has them, over postings that are loaded when they are needed.
"use strict";

(() => {
  const LETTER = /[\p{Alphabetic}\p{N}]/u;
  const SINGLE = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]/u;
  const LONGEST = 64;
  const PREFIX_FROM = 3;
  const LEAST = 1e-6;

  /** The words of a text. */
  function words(text) {
    const found = [];
    let word = "";
    const finish = () => {
      if (word && [...word].length <= LONGEST) found.push(word);
      word = "";
    };
    for (const c of text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").normalize("NFC")) {
      if (!LETTER.test(c)) {
        finish();
      } else if (SINGLE.test(c)) {
        finish();
        found.push(c);
      } else {
        word += [...c.toLowerCase()].filter((lower) => LETTER.test(lower)).join("");
      }
    }
    finish();
    return found;
  }

  /** What is looked up for these words: pairs of characters where a script has no spaces, else the words. */
  function terms(list) {
    const single = (word) => word !== undefined && SINGLE.test(word);
    return list.flatMap((word, at) => {
      if (!single(word)) return [word];
      if (single(list[at + 1])) return [word + list[at + 1]];
      return single(list[at - 1]) ? [] : [word];
    });
  }

  /** The phrases of a query: what stands between two spaces. */
  function phrases(query) {
    return query.split(/\s+/u).map(words).filter((list) => list.length > 0).map((list) => {
      const last = list[list.length - 1];
      return { terms: terms(list), prefix: [...last].length >= PREFIX_FROM && !/\p{N}/u.test(last) };
    });
  }

  /** Score by page of everything that is `term`, or begins with it. */
  async function lookup(manifest, term, prefix) {
    const end = prefix ? `${term}\uffff` : term;
    let from = manifest.first.findIndex((first) => first > term);
    from = from < 0 ? manifest.first.length - 1 : Math.max(from - 1, 0);
    const names = [];
    for (let at = from; at < manifest.first.length && manifest.first[at] <= end; at += 1) names.push(`w${at}`);
    const impacts = new Map();
    for (const shard of await Promise.all(names.map(wiki.load))) {
      for (let at = 0; at < shard.length; at += 2) {
        if (shard[at] === term || (prefix && shard[at].startsWith(term))) {
          let page = -1;
          for (const [, gap, impact] of shard[at + 1].matchAll(/([0-9a-z]+)([A-Z])/g)) {
            page += Number.parseInt(gap, 36);
            const value = impact.charCodeAt(0) - 64;
            impacts.set(page, Math.max(impacts.get(page) ?? 0, value));
          }
        }
      }
    }
    const rare = Math.log((manifest.pages - impacts.size + 0.5) / (impacts.size + 0.5));
    const weight = Math.max(rare, LEAST);
    for (const [page, impact] of impacts) impacts.set(page, impact * weight);
    return impacts;
  }

  /** Adds up maps; keeps what all of them have, or with `any` what at least one has. */
  function joined(maps, any) {
    const sums = new Map();
    const counts = new Map();
    for (const map of maps) {
      for (const [page, score] of map) {
        sums.set(page, (sums.get(page) ?? 0) + score);
        counts.set(page, (counts.get(page) ?? 0) + 1);
      }
    }
    if (!any) {
      for (const [page, count] of counts) if (count < maps.length) sums.delete(page);
    }
    return sums;
  }

  /** The numbers of the nodes that a query finds, best first; `any` when no page has all of it. */
  async function search(query) {
    const wanted = phrases(query);
    if (wanted.length === 0) return { numbers: [], any: false };
    const manifest = await wiki.load("words");
    const found = await Promise.all(wanted.map(async (phrase) => {
      const last = phrase.terms.length - 1;
      const maps = phrase.terms.map((term, at) => lookup(manifest, term, phrase.prefix && at === last));
      return joined(await Promise.all(maps), false);
    }));
    let sums = joined(found, false);
    const any = sums.size === 0;
    if (any) sums = joined(found, true);
    const ranked = [...sums].sort(([one, first], [two, second]) => second - first || one - two);
    return { numbers: ranked.map(([number]) => number), any };
  }

  /** The records of nodes: name, address, title, year, what stands below the title. */
  async function records(numbers) {
    const { size } = await wiki.load("nodes");
    const chunks = await Promise.all(numbers.map((number) => wiki.load(`n${Math.floor(number / size)}`)));
    return numbers.map((number, at) => {
      const [name, href, title, year, below] = chunks[at][number % size];
      return { number, name, href, title, year, below, kind: kind(name) };
    });
  }

  const KINDS = { paper: "Paper", papers: "Paper", idea: "Idea", ideas: "Idea", exp: "Experiment", experiments: "Experiment", claim: "Claim", claims: "Claim", gap: "Gap" };
  const kind = (name) => KINDS[name.split(/[:/]/, 1)[0]] ?? "Other";

  /** The number of the node called `name`, or -1. */
  async function numberOf(name) {
    const { size, first } = await wiki.load("nodes");
    let chunk = first.findIndex((start) => start > name);
    chunk = chunk < 0 ? first.length - 1 : chunk - 1;
    if (chunk < 0) return -1;
    const at = (await wiki.load(`n${chunk}`)).findIndex((record) => record[0] === name);
    return at < 0 ? -1 : chunk * size + at;
  }

  /** Calls `show` for what stands in `field`, a moment after the last change, and never with an answer to an older question. */
  function follow(field, show) {
    let latest = 0;
    let timer = 0;
    const ask = async () => {
      latest += 1;
      const mine = latest;
      const query = field.value;
      try {
        const answer = await search(query);
        if (mine === latest) await show(query, answer, () => mine === latest);
      } catch (error) {
        if (mine === latest) await show(query, { numbers: [], any: false, error: error.message }, () => true);
      }
    };
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(ask, 120);
    });
    return ask;
  }

  Object.assign(wiki, { words, search, records, numberOf, follow });
})();
