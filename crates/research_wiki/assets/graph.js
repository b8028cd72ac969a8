// The graph around one node: what leads to it on the left, what it leads to on the right; on a narrow screen above and below.
"use strict";

(() => {
  const { element } = wiki;
  const SIDE = { wide: 12, narrow: 8 };
  const CHILDREN = 4;
  const LISTED = 200;
  const ROW = 44;
  const NARROW = 640;

  const pen = document.createElement("canvas").getContext("2d");
  const drawing = document.querySelector("#drawing");
  const status = document.querySelector("#status");
  const panel = document.querySelector("#panel");
  const depth = document.querySelector("#depth");
  const types = document.querySelector("#types");
  const hidden = new Set();
  let focus = -1;
  let latest = 0;

  const chosen = () => decodeURIComponent(location.hash.slice(1));
  const spaced = (type) => type.replaceAll("_", " ");
  const address = (name) => `#${encodeURIComponent(name)}`;

  /** Neighbours of a node: number, type of the relation, whether it leads away from the node. */
  async function neighbours(number) {
    const { size } = await wiki.load("nodes");
    const { types: names } = await wiki.load("graph");
    const chunk = await wiki.load(`g${Math.floor(number / size)}`);
    return chunk[number % size].map(([other, type, out]) => ({ other, type: names[type], out: out === 1 }));
  }

  const visible = (list) => list.filter(({ type }) => !hidden.has(type));

  /** Which nodes are drawn: rows of each side with their children. */
  async function around(centre, limit, deep) {
    const all = visible(await neighbours(centre)).filter(({ other }) => other !== centre);
    const drawn = new Set([centre]);
    const sides = { in: [], out: [] };
    for (const relation of all) {
      const side = sides[relation.out ? "out" : "in"];
      if (!drawn.has(relation.other) && side.length < limit) {
        drawn.add(relation.other);
        side.push({ ...relation, children: [] });
      }
    }
    if (deep) {
      for (const row of [...sides.in, ...sides.out]) {
        for (const relation of visible(await neighbours(row.other))) {
          if (!drawn.has(relation.other) && row.children.length < CHILDREN) {
            drawn.add(relation.other);
            row.children.push(relation);
          }
        }
      }
    }
    return { all, sides, drawn: [...drawn] };
  }

  /** Where everything goes. Rows never share a height, so that no label covers another. */
  function places({ sides }, width) {
    const narrow = width < NARROW;
    const at = new Map();
    const lines = [];
    const rows = (side) => sides[side].reduce((sum, row) => sum + 1 + row.children.length, 0);
    if (narrow) {
      let y = ROW / 2;
      const put = (side, from) => {
        for (const row of sides[side]) {
          at.set(row.other, { x: 60, y, room: width - 78, start: true, type: row.type });
          lines.push({ from, to: row.other, out: row.out });
          y += ROW;
          for (const child of row.children) {
            at.set(child.other, { x: 92, y, room: width - 110, start: true, type: child.type });
            lines.push({ from: row.other, to: child.other, out: child.out });
            y += ROW;
          }
        }
      };
      put("in", focus);
      at.set(focus, { x: 22, y: y + 4, room: width - 42, start: true });
      y += ROW + 8;
      put("out", focus);
      return { at, lines, height: y + 4 };
    }
    const deep = [...sides.in, ...sides.out].some((row) => row.children.length > 0);
    const height = Math.max(rows("in"), rows("out"), 5) * ROW + 24;
    const middle = { x: width / 2, y: height / 2 };
    at.set(focus, { ...middle, room: width * 0.34, start: null });
    const column = deep ? width * 0.17 : width * 0.2;
    for (const [side, sign] of [["in", -1], ["out", 1]]) {
      let y = middle.y - ((rows(side) - 1) * ROW) / 2;
      for (const row of sides[side]) {
        const bend = Math.abs(y - middle.y) / height;
        const x = middle.x + sign * (column + (deep ? 0 : 0.08) * width * (1 - 2 * bend));
        const edge = sign < 0 ? x : width - x;
        at.set(row.other, { x, y, room: deep ? width * 0.15 : edge - 16, start: sign > 0, type: row.type });
        lines.push({ from: focus, to: row.other, out: row.out });
        y += ROW;
        for (const child of row.children) {
          const outer = middle.x + sign * width * 0.31;
          at.set(child.other, { x: outer, y, room: width * 0.19 - 20, start: sign > 0, type: child.type });
          lines.push({ from: row.other, to: child.other, out: child.out });
          y += ROW;
        }
      }
    }
    return { at, lines, height };
  }

  const SHAPES = {
    Paper: "M-7-7h14v14h-14z",
    Idea: "M0-9 9 0 0 9-9 0z",
    Experiment: "M0-8.5 8.5 7h-17z",
    Claim: "M-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0z",
    Gap: "M-4.5-8h9l4.5 8-4.5 8h-9l-4.5-8z",
    Other: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
  };

  /** As much of a text as fits into `room`. It is measured in the font of `site.css`, because no average letter fits every title. */
  function cut(text, room, weight = 400) {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    pen.font = `${weight} ${0.8125 * rem}px ${getComputedStyle(drawing).fontFamily}`;
    const letters = [...text];
    const start = (count) => (count < letters.length ? `${letters.slice(0, count).join("").trimEnd()}…` : text);
    let [least, most] = [1, letters.length];
    while (least < most) {
      const middle = Math.ceil((least + most) / 2);
      [least, most] = pen.measureText(start(middle)).width <= room - 4 ? [middle, most] : [least, middle - 1];
    }
    return start(least);
  }

  function nodeElement(record, place) {
    const centre = record.number === focus;
    const link = element("svg:a", {
      href: address(record.name),
      class: `node kind-${record.kind.toLowerCase()}${centre ? " centre" : ""}`,
      transform: `translate(${place.x.toFixed(1)} ${place.y.toFixed(1)})`,
      "data-number": record.number,
      "aria-label": `${record.kind}: ${record.title}${place.type ? `, ${spaced(place.type)}` : ""}${centre ? ", centre" : ""}`,
      "aria-current": centre ? "true" : null,
    });
    const label = cut(record.title, place.room, centre ? 600 : 400);
    const x = place.start === null ? 0 : place.start ? 15 : -15;
    const anchor = place.start === null ? "middle" : place.start ? "start" : "end";
    const y = place.start === null ? 27 : place.type ? -1 : 5;
    link.append(
      element("svg:title", {}, `${record.title} (${record.name})`),
      element("svg:rect", { class: "touch", x: place.start === false ? -place.room : -16, y: -20, width: place.room + 16, height: 40, rx: 6 }),
      element("svg:path", { class: "shape", d: SHAPES[record.kind] }),
      element("svg:text", { x, y, "text-anchor": anchor }, label),
    );
    if (place.type) link.append(element("svg:text", { x, y: 14, "text-anchor": anchor, class: "type" }, cut(spaced(place.type), place.room)));
    return link;
  }

  function lineElement({ from, to, out }, at) {
    const [start, end] = out ? [at.get(from), at.get(to)] : [at.get(to), at.get(from)];
    const narrow = drawing.clientWidth < NARROW;
    const bend = narrow ? 0 : (end.x - start.x) / 2;
    // The arrow ends before the shape.
    const step = narrow ? { x: 0, y: Math.sign(end.y - start.y) * 11 } : { x: Math.sign(end.x - start.x) * 12, y: 0 };
    const path = narrow
      ? `M${start.x} ${start.y}Q${start.x < end.x ? start.x : end.x} ${start.x < end.x ? end.y : start.y} ${end.x - (start.x < end.x ? 12 : 0)} ${start.x < end.x ? end.y : end.y - step.y}`
      : `M${start.x} ${start.y}C${start.x + bend} ${start.y} ${end.x - bend} ${end.y} ${end.x - step.x} ${end.y}`;
    return element("svg:path", { class: "line", d: path, "marker-end": "url(#arrow)", "data-ends": `${from} ${to}` });
  }

  function describe(centre, all, records) {
    const byNumber = new Map(records.map((record) => [record.number, record]));
    const heading = element("h2", {}, element("bdi", {}, centre.title));
    const facts = element("p", { class: "facts" }, element("span", { class: `kind kind-${centre.kind.toLowerCase()}` }, centre.kind), ` ${centre.name}`);
    panel.replaceChildren(heading, facts);
    if (centre.below) panel.append(element("p", { dir: "auto" }, centre.below));
    if (centre.href) panel.append(element("p", {}, element("a", { class: "button", href: wiki.root + centre.href }, "Open the page")));
    const groups = new Map();
    for (const relation of all) {
      const key = relation.out ? `This ${spaced(relation.type)} →` : `← ${spaced(relation.type)} this`;
      if (!groups.has(key)) groups.set(key, { count: 0, listed: [] });
      const group = groups.get(key);
      group.count += 1;
      const other = byNumber.get(relation.other);
      if (other) group.listed.push(other);
    }
    for (const [key, { count, listed }] of groups) {
      panel.append(
        element("h3", {}, `${key} (${count})`),
        element("ul", { class: "plain" }, ...listed.map((other) => element("li", {}, element("a", { href: address(other.name) }, element("bdi", {}, other.title))))),
      );
    }
    if (all.length > LISTED) panel.append(element("p", {}, `Only the first ${LISTED} are listed here; the page has more.`));
    if (all.length === 0) panel.append(element("p", {}, "No relation to show."));
  }

  async function draw(moved) {
    latest += 1;
    const mine = latest;
    const width = Math.max(drawing.clientWidth, 280);
    const narrow = width < NARROW;
    try {
      const scene = await around(focus, narrow ? SIDE.narrow : SIDE.wide, depth.value === "2");
      const listed = [...new Set(scene.all.slice(0, LISTED).map(({ other }) => other))];
      const numbers = [...new Set([...scene.drawn, ...listed])];
      const records = await wiki.records(numbers);
      if (mine !== latest) return;
      const byNumber = new Map(records.map((record) => [record.number, record]));
      const { at, lines, height } = places(scene, width);
      const svg = element("svg:svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": "Graph" });
      const marker = element("svg:marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" }, element("svg:path", { d: "M0 0 8 4 0 8z", class: "arrow" }));
      svg.append(element("svg:defs", {}, marker));
      svg.append(element("svg:g", { "aria-hidden": "true" }, ...lines.map((line) => lineElement(line, at))));
      // Read in the order of the rows, the centre first.
      svg.append(...[...at].sort(([one, a], [two, b]) => (two === focus) - (one === focus) || a.y - b.y || a.x - b.x).map(([number, place]) => nodeElement(byNumber.get(number), place)));
      drawing.replaceChildren(svg);
      const centre = byNumber.get(focus);
      describe(centre, scene.all, records);
      const left = new Set(scene.all.map(({ other }) => other)).size - scene.sides.in.length - scene.sides.out.length;
      const counts = `${scene.all.filter(({ out }) => !out).length} relations lead here, ${scene.all.filter(({ out }) => out).length} lead away`;
      status.textContent = `${centre.title}: ${counts}${left > 0 ? `; ${left} neighbours are not drawn` : ""}.`;
      document.title = `${centre.title} – graph`;
      if (moved) svg.querySelector(".centre").focus();
    } catch (error) {
      status.textContent = `The graph cannot be drawn: ${error.message}.`;
    }
  }

  async function go(moved) {
    const manifest = await wiki.load("graph");
    const name = chosen();
    const number = name ? await wiki.numberOf(name) : manifest.start;
    if (number < 0) {
      status.textContent = name ? `There is no node called ${name}.` : "This wiki has no nodes yet.";
      drawing.replaceChildren();
      panel.replaceChildren();
      return;
    }
    focus = number;
    await draw(moved);
  }

  /** Arrow keys go to the next node in that direction. */
  drawing.addEventListener("keydown", (event) => {
    const direction = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
    const here = event.target.closest(".node");
    if (!direction || !here) return;
    event.preventDefault();
    const centre = (node) => {
      const box = node.querySelector(".shape").getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    const from = centre(here);
    let best = null;
    for (const node of drawing.querySelectorAll(".node")) {
      const to = centre(node);
      const [dx, dy] = [to.x - from.x, to.y - from.y];
      const along = dx * direction[0] + dy * direction[1];
      const across = Math.abs(dx * direction[1]) + Math.abs(dy * direction[0]);
      if (along > 1 && (best === null || along + 2 * across < best.cost)) best = { node, cost: along + 2 * across };
    }
    best?.node.focus();
  });

  /** What belongs to the node under the pointer or the focus stands out. */
  function mark(event, on) {
    const node = event.target.closest?.(".node");
    if (!node) return;
    for (const line of drawing.querySelectorAll(".line")) {
      const ends = line.dataset.ends.split(" ");
      line.classList.toggle("strong", on && ends.includes(node.dataset.number));
    }
  }
  for (const [name, on] of [["pointerover", true], ["pointerout", false], ["focusin", true], ["focusout", false]]) {
    drawing.addEventListener(name, (event) => mark(event, on));
  }

  depth.addEventListener("change", () => draw(false));
  window.addEventListener("hashchange", () => go(true));
  let width = 0;
  new ResizeObserver(() => {
    if (focus >= 0 && drawing.clientWidth !== width) draw(false);
    width = drawing.clientWidth;
  }).observe(drawing);

  const field = document.querySelector("#search");
  const found = document.querySelector("#found");
  wiki.follow(field, async (query, { numbers, any }, current) => {
    const records = await wiki.records(numbers.slice(0, 8));
    if (!current()) return;
    found.replaceChildren(...records.map((record) => element("li", {}, element("a", { href: address(record.name) }, element("bdi", {}, record.title)), ` ${record.kind}`)));
    found.hidden = records.length === 0;
    if (query.trim()) status.textContent = numbers.length === 0 ? "No node found." : `${numbers.length} found${any ? " with some of the words" : ""}.`;
  });
  field.form.addEventListener("submit", (event) => {
    event.preventDefault();
    found.querySelector("a")?.focus();
  });

  wiki.load("graph").then((manifest) => {
    for (const type of manifest.types) {
      const box = element("input", { type: "checkbox", checked: "" });
      box.addEventListener("change", () => {
        if (box.checked) hidden.delete(type);
        else hidden.add(type);
        draw(false);
      });
      types.append(element("label", {}, box, ` ${spaced(type)}`));
    }
    return go(false);
  }).catch((error) => {
    status.textContent = `The graph cannot be drawn: ${error.message}.`;
  });
})();
