// Shared by all pages: loading data on demand, and the shortcut to the search.
//
// Data lies in scripts, because a page opened from a folder may not read files in any other way. Each of them calls
// `wiki.put(name, value)`.
"use strict";

window.wiki = (() => {
  const root = document.documentElement.dataset.root;
  const promises = new Map();
  const values = new Map();

  /** Loads `data/<name>.js` once and gives what it holds. */
  function load(name) {
    if (!promises.has(name)) {
      promises.set(name, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = `${root}data/${name}.js`;
        script.onload = () => (values.has(name) ? resolve(values.get(name)) : script.onerror());
        script.onerror = () => {
          promises.delete(name);
          script.remove();
          reject(new Error(`data/${name}.js could not be loaded`));
        };
        document.head.append(script);
      }));
    }
    return promises.get(name);
  }

  /** An element with attributes and children; strings become text, never markup. */
  function element(tag, attributes = {}, ...children) {
    const made = tag.startsWith("svg:")
      ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
      : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined) made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const field = document.querySelector("#search");
      if (field) {
        event.preventDefault();
        field.focus();
        field.select();
      }
    }
  });

  return { root, load, element, put: (name, value) => values.set(name, value) };
})();
