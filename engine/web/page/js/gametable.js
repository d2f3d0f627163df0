/** The table of the games of a file, and the buttons to go from game to game. */
import { button, checkbox, dialog, h, icon } from "./dom.js";
import { locale, number, plural, t, translate } from "./i18n.js";
import { dateText } from "./tags.js";
import { resultText } from "./words.js";

/** Fields of a game, and how they are headed. */
const COLUMNS = [["number", t("No.")], ["white", t("White")], ["black", t("Black")], ["result", t("Result")], ["date", t("Date")], ["event", t("Event")], ["moves", t("Moves")]];

/** The height of a row in pixels, as in the style sheet. */
const ROW = 36;

/** The rows that are made above and below what is seen. */
const MARGIN = 6;

const collator = new Intl.Collator(locale, { numeric: true, sensitivity: "base" });

const isDamaged = (game) => !!game.warnings;

/** Only the rows that can be seen are in the page, so that thousands of games are fast. */
class GameTable {
  constructor(file, onOpen) {
    Object.assign(this, { file, onOpen, active: 0 });
    const { view } = file;
    this.count = h("p", { class: "hint", role: "status" });
    this.filter = h("input", {
      type: "text", id: "game-filter", value: view.filter, placeholder: t("Name, event, date or result"), "aria-label": t("Filter"), spellcheck: "false",
      oninput: () => this.change({ filter: this.filter.value }), onkeydown: (event) => this.filterKey(event),
    });
    this.heads = COLUMNS.map(([name, title]) => h("th", { scope: "col", role: "columnheader", class: `col-${name}`, "data-column": name },
      h("button", { type: "button", onclick: () => this.sortBy(name) }, title)));
    this.body = h("tbody", { role: "rowgroup" });
    this.table = h("table", { class: "games", role: "grid", "aria-label": t("Games of the file") }, h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, this.heads)), this.body);
    this.scroller = h("div", { class: "games-scroll", tabindex: -1, onscroll: () => this.draw(), onkeydown: (event) => this.keyDown(event) }, this.table);
    const damaged = file.games.some(isDamaged) && checkbox(t("Only damaged games"), view.damaged, (value) => this.change({ damaged: value }));
    this.element = h("div", { class: "stack" }, h("div", { class: "row-of games-head" }, this.filter, damaged), this.count, this.scroller);
  }

  /** To be called when the table is on the page. */
  start() {
    this.arrange();
    const at = this.file.order.indexOf(this.file.current);
    this.moveTo(Math.max(0, at), false);
    this.filter.focus();
  }

  change(view) {
    Object.assign(this.file.view, view);
    this.arrange();
    this.moveTo(0, false);
  }

  sortBy(column) {
    const { view } = this.file;
    this.change({ column, descending: view.column === column && !view.descending });
  }

  /** Filters and sorts the games. */
  arrange() {
    const { games, view } = this.file;
    const words = view.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (game) => {
      game.text ??= `${game.white}\n${game.black}\n${game.result}\n${resultText(game.result)}\n${game.date}\n${dateText(game.date)}\n${game.event}`.toLowerCase();
      return words.every((word) => game.text.includes(word)) && !(view.damaged && !isDamaged(game));
    };
    const shown = games.filter(matches);
    const { column } = view;
    if (column === "moves") shown.sort((a, b) => a.moves - b.moves);
    else if (column !== "number") shown.sort((a, b) => collator.compare(a[column], b[column]));
    if (view.descending) shown.reverse();
    this.file.order = shown.map(({ number }) => number - 1);
    const damaged = shown.filter(isDamaged).length;
    const { length: all } = games;
    const count = shown.length === all ? plural("{count} game", "{count} games", { count: all }) : t("{count} of {all} games", { count: shown.length, all });
    this.count.textContent = [count, damaged ? t("{count} damaged", { count: damaged }) : "", ...this.file.warnings].filter(Boolean).join(" · ");
    this.table.setAttribute("aria-rowcount", shown.length + 1);
    for (const head of this.heads) {
      const order = view.descending ? "descending" : "ascending";
      if (head.dataset.column === column) head.setAttribute("aria-sort", order);
      else head.removeAttribute("aria-sort");
    }
  }

  get rows() {
    return this.file.order.length;
  }

  /** Makes the rows that can be seen. */
  draw() {
    const { scroller, table, body } = this;
    const first = Math.max(0, Math.floor(scroller.scrollTop / ROW) - MARGIN);
    const last = Math.min(this.rows, first + Math.ceil(scroller.clientHeight / ROW) + 2 * MARGIN);
    const hadFocus = body.contains(document.activeElement);
    table.style.marginTop = `${first * ROW}px`;
    table.style.marginBottom = `${(this.rows - last) * ROW}px`;
    body.replaceChildren(...this.file.order.slice(first, last).map((index, offset) => this.row(index, first + offset)));
    if (hadFocus) (body.querySelector("[tabindex='0']") ?? scroller).focus({ preventScroll: true });
  }

  row(index, at) {
    const game = this.file.games[index];
    const damage = game.warnings?.map(translate).join("\n");
    const text = { ...game, result: resultText(game.result) || game.result, date: dateText(game.date) };
    const cells = COLUMNS.map(([name]) => h("td", { role: "gridcell", class: `col-${name}` }, String(text[name] ?? "") || "?",
      name === "number" && damage && h("span", { class: "damaged", role: "img", "aria-label": t("damaged: {damage}", { damage }) }, "⚠")));
    return h("tr", {
      role: "row", tabindex: at === this.active ? 0 : -1, "aria-rowindex": at + 2, "aria-selected": index === this.file.current ? "true" : "false",
      title: damage, onclick: () => this.onOpen(index),
    }, cells);
  }

  /** Makes a row the one of the keyboard, and shows it. */
  moveTo(at, focus = true) {
    const { scroller } = this;
    this.active = Math.max(0, Math.min(this.rows - 1, at));
    const [top, height] = [this.active * ROW, scroller.clientHeight - ROW];
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top + ROW > scroller.scrollTop + height) scroller.scrollTop = top + ROW - height;
    this.draw();
    if (focus) this.body.querySelector("[tabindex='0']")?.focus({ preventScroll: true });
  }

  keyDown(event) {
    if (!this.body.contains(event.target)) return;
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW) - 2);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) this.moveTo(this.active + steps[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.onOpen(this.file.order[this.active]);
    else return;
    event.preventDefault();
  }

  filterKey(event) {
    if (event.key === "ArrowDown") this.moveTo(this.active);
    else if (event.key === "Enter" && this.rows) this.onOpen(this.file.order[this.active]);
    else return;
    event.preventDefault();
  }
}

/** Shows the games of a file; `onOpen` gets the index of the one that the user chooses. */
export function showGames(file, onOpen) {
  const table = new GameTable(file, (index) => {
    element.close();
    onOpen(index);
  });
  const element = dialog(t("Games of the file"), table.element);
  element.classList.add("wide");
  table.start();
}

/** The buttons in the panel while a file of games is loaded. */
export class GameButtons {
  /** `onShow` shows the table, `onOpen` opens a game by its index. */
  constructor(onShow, onOpen) {
    const step = (by, name, label) => button("", () => onOpen(this.file.neighbour(by)), { id: `game-${name}`, "aria-label": label, title: label });
    this.previous = step(-1, "previous", t("Previous game of the file"));
    this.next = step(1, "next", t("Next game of the file"));
    this.previous.append(icon("previous"));
    this.next.append(icon("next"));
    this.list = button("", onShow, { id: "game-list" });
    this.element = h("div", { class: "row-of game-buttons", role: "group", "aria-label": t("Games of the file"), hidden: true }, this.previous, this.list, this.next);
  }

  update(file) {
    this.file = file;
    this.element.hidden = !file;
    if (!file) return;
    const { current, games } = file;
    this.list.textContent = `${t("Games of the file")} · ${current === null ? "" : `${number(current + 1)}/`}${number(games.length)}`;
    this.previous.disabled = file.neighbour(-1) === undefined;
    this.next.disabled = file.neighbour(1) === undefined;
  }
}
