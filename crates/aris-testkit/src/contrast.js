// Texts whose contrast against what is behind them is below 4.5 : 1 (WCAG 2.2, 1.4.3).
(() => {
  const parse = (color) => color.match(/[\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => {
    const [red, green, blue] = [r, g, b].map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const low = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || element.closest("noscript, option, title, defs") || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const color = parse(element.closest("svg") ? style.fill : style.color);
    const [one, two] = [luminance(color), luminance(behind(element))].sort((a, b) => b - a);
    if ((one + 0.05) / (two + 0.05) < 4.5) low.push(`${element.className} ${walk.currentNode.data.trim().slice(0, 40)}`);
  }
  return low;
})()
