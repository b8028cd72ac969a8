"use strict";
{
  const root = document.documentElement;
  const all = (selector) => [...document.querySelectorAll(selector)];
  const gap = 8;
  let open = null;
  let at = -1;
  root.classList.add("js");

  // The number whose card is to be seen: the one under the pointer, else the one with the focus.
  const wanted = () =>
    document.querySelector(".n:hover")
    ?? document.querySelector(".statement:hover > .own")
    ?? document.activeElement?.closest(".n");
  // Puts the card beside its number, inside the window.
  const place = () => {
    const next = wanted() ?? null;
    if (open !== next) {
      open?.classList.remove("shut");
      open = next;
    }
    const card = open?.querySelector(":scope > .card");
    if (!card) return;
    const number = open.querySelector(":scope > a").getBoundingClientRect();
    const { clientWidth, clientHeight } = root;
    const { offsetWidth, offsetHeight } = card;
    const below = number.bottom + 1;
    const above = number.top - offsetHeight - 1;
    const top = below + offsetHeight + gap > clientHeight && above > gap ? above : below;
    const inside = (value, most) => `${Math.max(gap, Math.min(value, most - gap))}px`;
    card.style.bottom = "auto";
    card.style.left = inside(number.left, clientWidth - offsetWidth);
    card.style.top = inside(top, clientHeight - offsetHeight);
  };
  for (const event of ["mouseover", "focusin", "focusout", "click"]) document.addEventListener(event, () => requestAnimationFrame(place));
  document.addEventListener("focusin", place);
  document.addEventListener("scroll", place, { capture: true, passive: true });
  window.addEventListener("resize", place);

  const only = (status) => {
    for (const link of all("[data-only]")) {
      if (link.dataset.only === status) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    for (const number of all(".paper .n")) number.classList.toggle("dim", Boolean(status) && !number.classList.contains(status));
    for (const block of all(".paper > :not(h3, h4, h5, h6), .problem")) {
      const has = !status || block.classList.contains(status) || block.querySelector(`.n.${status}`);
      block.classList.toggle("off", !has);
    }
    document.getElementById("showing").textContent = status ? "Only one status is shown." : "";
  };
  const go = (target) => {
    if (target?.closest(".off")) only("");
    target?.focus({ preventScroll: true });
    target?.scrollIntoView({ block: "center" });
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (link?.dataset.only) {
      const clear = link.hasAttribute("aria-current");
      only(clear ? "" : link.dataset.only);
      if (clear) event.preventDefault();
    } else if (link?.hash) {
      const target = document.getElementById(link.hash.slice(1));
      if (target?.closest(".off")) only("");
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const step = { n: 1, j: 1, p: -1, k: -1 }[event.key];
    const problems = all(".problem");
    if (event.key === "Escape") open?.classList.add("shut");
    else if (event.key === "Enter" || event.key === " ") {
      if (!document.activeElement?.closest(".n")) return;
      open?.classList.toggle("shut");
      event.preventDefault();
    } else if (step && problems.length) {
      const targets = problems.map((one) => document.getElementById(one.dataset.at) ?? one);
      const here = targets.indexOf(document.activeElement);
      if (here >= 0) at = here;
      at = at < 0 && step < 0 ? targets.length - 1 : (at + step + targets.length) % targets.length;
      go(targets[at]);
    }
  });
}
