"use strict";
(() => {
  const told = JSON.parse(document.getElementById("details").textContent);
  const list = document.getElementById("list");
  const rows = [...list.children];
  const search = document.getElementById("search");
  const order = document.getElementById("order");
  const tiles = [...document.querySelectorAll(".tiles button")];
  const root = document.documentElement;

  // Names and logs of repositories are only ever text.
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };

  const shown = () => rows.filter((row) => !row.hidden);
  const toggleOf = (row) => row.querySelector("h2 button");

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = tiles.filter((tile) => tile.ariaPressed === "true").map((tile) => tile.dataset.standing);
    for (const row of rows) {
      const stands = !wanted.length || wanted.includes(row.dataset.standing);
      row.hidden = !(stands && words.every((word) => row.dataset.words.includes(word)));
    }
    const count = shown().length;
    document.getElementById("shown").value = count === rows.length ? "" : `${count} of ${rows.length}`;
    document.getElementById("none").hidden = count > 0;
  }

  function sort() {
    const key = order.value;
    const sorted = [...rows];
    if (key === "name") sorted.sort((a, b) => a.dataset.name.localeCompare(b.dataset.name));
    else if (key) sorted.sort((a, b) => b.dataset[key] - a.dataset[key]);
    list.append(...sorted);
  }

  function reset() {
    search.value = "";
    for (const tile of tiles) tile.ariaPressed = "false";
    filter();
  }

  function toggle(row, open = !row.classList.contains("open")) {
    row.classList.toggle("open", open);
    toggleOf(row).ariaExpanded = String(open);
    if (open && !row.querySelector(".details")) row.append(describe(told[row.dataset.key]));
    const details = row.querySelector(".details");
    if (details) details.hidden = !open;
  }

  function describe(data) {
    const box = make("div", { className: "details" });
    const part = (title, ...content) => box.append(make("h3", { textContent: title }), ...content);
    if (data.base) box.append(make("p", {}, "from ", code(data.base), ...(data.commit ? [" to ", code(data.commit)] : [])));
    if (data.diff.length) part(data.commit ? "Changes" : "Changes that were not committed", ...data.diff.map(file));
    if (data.fixed.length) part(`${data.commit ? "Fixed" : "Would be fixed"}: ${data.counts[0]}`, findings(data.fixed, data.counts[0]));
    if (data.left.length) part(`Left: ${data.counts[1]}`, findings(data.left, data.counts[1]));
    if (data.unread.length) part("Not read", listOf(data.unread));
    if (data.crashes.length) part("devfix crashed on", listOf(data.crashes));
    if (data.verify.length) part("Verified", ...data.verify.map(run));
    if (data.ours.length) part("Fails only after the change", listOf(data.ours));
    if (data.proofs.programs.length || data.proofs.note) part("Proven", ...proofs(data.proofs));
    if (data.steps.length) part("Steps", steps(data.steps));
    if (data.log) part("Log", make("pre", { textContent: data.log, tabIndex: 0 }));
    return box;
  }

  const code = (text) => make("code", { textContent: text });
  const listOf = (texts) => make("ul", {}, ...texts.map((text) => make("li", { textContent: text })));

  function table(head, lines) {
    const top = make("tr", {}, ...head.map((text) => make("th", { textContent: text, scope: "col" })));
    const body = lines.map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, cell))));
    return make("div", { className: "wide" }, make("table", {}, make("thead", {}, top), make("tbody", {}, ...body)));
  }

  function findings(found, count) {
    const lines = found.map((each) => [code(each.where), each.rule, each.message, each.fix, each.trust]);
    const made = table(["where", "rule", "what", "fix", ""], lines);
    if (count > found.length) made.append(make("p", { textContent: `and ${count - found.length} more` }));
    return made;
  }

  function run(each) {
    const how = each.limit ? `exceeded: ${each.limit}` : each.passes ? "passes" : `exit status ${each.status}`;
    const failing = each.failing.length ? make("p", {}, "failing:", listOf(each.failing)) : null;
    return make(
      "details", { open: !each.passes },
      make("summary", {}, `${each.when}: `, code(each.command), " ",
        make("span", { className: each.passes ? "good" : "bad", textContent: how }), ` (${each.seconds} s)`),
      failing, make("pre", { textContent: each.log || "(no output)", tabIndex: 0 }));
  }

  function proofs(data) {
    const lines = data.programs.map((each) => [code(each.program), each.verdict, each.reason]);
    return [data.note ? make("p", { textContent: data.note }) : table(["program", "verdict", ""], lines)];
  }

  function steps(made) {
    const lines = made.map((each) => [
      each.step, each.outcome, `${each.seconds} s`, each.attempts > 1 ? `${each.attempts} tries` : "", each.reason]);
    return table(["step", "outcome", "took", "", ""], lines);
  }

  function file(each, index) {
    const grid = make("div", { className: "side code" });
    for (const hunk of each.hunks) {
      grid.append(make("div", { className: "heading", textContent: `… ${hunk.heading}` }));
      for (const row of hunk.rows) grid.append(...sides(row));
    }
    if (each.cut) grid.append(make("div", { className: "heading", textContent: "… the patch has the rest" }));
    return make("details", { className: "file", open: index < 10 }, make("summary", {}, code(each.path)), grid);
  }

  function sides([oldNumber, oldText, newNumber, newText]) {
    if (oldText === newText) return [
      ...side("before same", oldNumber, [oldText]), ...side("after", newNumber, [newText])];
    const [before, after] = marked(oldText, newText);
    return [
      ...side(oldText === null ? "void" : "before gone", oldNumber, before),
      ...side(newText === null ? "void" : "after come", newNumber, after)];
  }

  function side(kind, number, content) {
    return [
      make("div", { className: `number ${kind}`, textContent: number ?? "" }),
      make("div", { className: kind }, ...content)];
  }

  // What lies between the common beginning and the common end of two lines is marked.
  function marked(a, b) {
    if (a === null || b === null) return [[a ?? ""], [b ?? ""]];
    let start = 0;
    while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
    let end = 0;
    while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
    const parts = (text) => {
      const middle = text.slice(start, text.length - end);
      const mark = middle ? make("mark", { textContent: middle }) : "";
      return [text.slice(0, start), mark, text.slice(text.length - end)];
    };
    // Lines with little in common are better read whole.
    return start + end < 4 ? [[a], [b]] : [parts(a), parts(b)];
  }

  function move(by) {
    const visible = shown();
    if (!visible.length) return;
    const now = visible.findIndex((row) => row.contains(document.activeElement));
    const next = now < 0 ? (by > 0 ? 0 : visible.length - 1) : Math.min(Math.max(now + by, 0), visible.length - 1);
    toggleOf(visible[next]).focus();
  }

  function turn() {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }

  const KEYS = { "/": () => search.focus(), j: () => move(1), k: () => move(-1), t: turn };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = document.activeElement.closest?.(".repository");
    if (event.key === "Escape") {
      if (document.activeElement === search) { reset(); search.blur(); }
      else if (row) { toggle(row, false); toggleOf(row).focus(); }
      return;
    }
    if (["INPUT", "SELECT"].includes(document.activeElement.tagName) || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  list.addEventListener("click", (event) => {
    const button = event.target.closest("h2 button");
    if (button) toggle(button.closest(".repository"));
  });
  for (const tile of tiles) tile.addEventListener("click", () => {
    tile.ariaPressed = String(tile.ariaPressed !== "true");
    filter();
  });
  for (const button of document.querySelectorAll("[data-find]")) button.addEventListener("click", () => {
    search.value = button.dataset.find;
    filter();
    search.focus();
  });
  search.addEventListener("input", filter);
  order.addEventListener("change", sort);
  document.getElementById("all").addEventListener("click", reset);
  document.getElementById("theme").addEventListener("click", turn);
  if (location.hash.length > 1) {
    const row = rows.find((each) => each.dataset.key === decodeURIComponent(location.hash.slice(1)));
    if (row) { toggle(row, true); row.scrollIntoView(); }
  }
})();
