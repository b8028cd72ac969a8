// The search on the first page.
"use strict";

(() => {
  const PAGE = 30;
  const field = document.querySelector("#search");
  const section = document.querySelector("#results");
  const status = document.querySelector("#status");
  const list = document.querySelector("#hits");
  const more = document.querySelector("#more");
  const overview = document.querySelector("#overview");
  const { element } = wiki;

  function hit({ href, title, year, below, kind, name }) {
    const link = href
      ? element("a", { href: wiki.root + href }, element("bdi", {}, title))
      : element("a", { href: `${wiki.root}graph.html#${encodeURIComponent(name)}` }, element("bdi", {}, title));
    const facts = element("p", { class: "facts" }, element("span", { class: `kind kind-${kind.toLowerCase()}` }, kind));
    if (year) facts.append(` ${year}`);
    const item = element("li", {}, element("h3", {}, link), facts);
    if (below) item.append(element("p", { dir: "auto", class: "below" }, below));
    return item;
  }

  async function show(query, { numbers, any, error }, current) {
    const empty = query.trim() === "";
    const address = new URL(location.href);
    if (empty) address.searchParams.delete("q");
    else address.searchParams.set("q", query);
    history.replaceState(null, "", address);
    if (empty) {
      section.hidden = true;
      overview.hidden = false;
      status.textContent = "";
      return;
    }
    const first = await wiki.records(numbers.slice(0, PAGE));
    if (!current()) return;
    section.hidden = false;
    overview.hidden = true;
    list.replaceChildren(...first.map(hit));
    const pages = `${numbers.length} ${numbers.length === 1 ? "page" : "pages"}`;
    if (error) status.textContent = `The search does not work: ${error}.`;
    else if (numbers.length === 0) status.textContent = "No page has any of these words.";
    else if (any) status.textContent = `No page has all of these words; ${pages} with some of them.`;
    else status.textContent = `${pages} found.`;
    let shown = PAGE;
    more.hidden = numbers.length <= shown;
    more.onclick = async () => {
      const next = await wiki.records(numbers.slice(shown, shown + PAGE));
      const items = next.map(hit);
      list.append(...items);
      shown += PAGE;
      more.hidden = numbers.length <= shown;
      items[0]?.querySelector("a").focus();
      status.textContent = `${Math.min(shown, numbers.length)} of ${pages} shown.`;
    };
  }

  const ask = wiki.follow(field, show);
  field.form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  const asked = new URLSearchParams(location.search).get("q");
  if (asked) {
    field.value = asked;
    ask();
  }
})();
