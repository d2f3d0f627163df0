/** The list of all games and analyses: search, open, delete, and save as PGN. */
import { button, choice, field, h, iconButton, toast } from "./dom.js";
import { plain } from "./address.js";
import { locale, plural, t } from "./i18n.js";
import { movesText } from "./newgame.js";
import { pgnOf, saveFile } from "./share.js";
import { Tree } from "./tree.js";
import { resultText } from "./words.js";

const KINDS = [["all", t("All")], ["game", t("Games")], ["study", t("Analyses")]];

/** The entries shown at first; the rest comes on demand. */
const PAGE = 100;

const stateOf = ({ running, result }) => (running ? t("running") : resultText(result));

/** What an entry is called: the players, or what it is. */
function titleOf({ white, black, event, place }) {
  if (white || black) return `${white || "?"} – ${black || "?"}`;
  return event || (place === "analyse" ? t("Analysis") : t("Game"));
}

const dateText = (changed) => new Date(changed).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });

export class Games {
  constructor(app) {
    this.app = app;
    this.kind = "all";
    this.entries = [];
    this.list = h("ul", { class: "games" });
    this.count = h("p", { class: "hint", role: "status" });
    this.search = h("input", { type: "search", id: "games-search", autocomplete: "off", oninput: () => this.show() });
    this.saveButton = button(t("Save all as PGN"), () => this.save(), { id: "games-save" });
  }

  async enter() {
    this.limit = PAGE;
    // The keys must not step through the game of another place.
    this.app.tree = new Tree();
    this.app.shown = null;
    this.app.setPanel(h("h2", {}, t("My games")),
      h("div", { class: "row-of games-tools" }, field(t("Search"), this.search), choice(t("Show"), "games-kind", KINDS, this.kind, (kind) => {
        this.kind = kind;
        this.show();
      })), this.count, this.list, this.saveButton);
    await this.read();
  }

  /** Reads the list from the store. */
  async read() {
    const { store } = this.app.documents;
    try {
      const lists = await Promise.all(["game", "study"].map(async (kind) => (await store.list(kind)).map((entry) => ({ kind, ...entry }))));
      this.entries = lists.flat().sort((a, b) => b.changed - a.changed);
    } catch (error) {
      this.count.textContent = plain(error.message);
      this.list.replaceChildren();
      return;
    }
    this.show();
  }

  /** A document was changed in another page. */
  changedElsewhere() {
    if (this.app.mode === this) this.read();
  }

  /** The entries of the chosen kind with all words of the search. */
  get found() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    return this.entries.filter(({ kind, changed, summary }) => {
      if (this.kind !== "all" && this.kind !== kind) return false;
      const text = [titleOf(summary), stateOf(summary), summary.result, summary.event, summary.date, dateText(changed), summary.variant, summary.variant === "chess" ? t("orthodox chess") : ""].join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }

  show() {
    const { found } = this;
    const all = this.entries.length;
    this.count.textContent = !all ? t("No games yet. Every game that you play or analyse is kept here.") : found.length === all ? t("{count} in all", { count: all }) : t("{count} of {all}", { count: found.length, all });
    const more = found.length > this.limit && h("li", {}, button(t("Show more"), () => {
      this.limit += PAGE;
      this.show();
    }));
    this.list.replaceChildren(...found.slice(0, this.limit).map((entry) => this.row(entry)), more || "");
    this.saveButton.disabled = !all || this.isSaving;
  }

  row(entry) {
    const { kind, changed, summary } = entry;
    const title = titleOf(summary);
    const details = [kind === "study" ? t("analysis") : summary.place === "watch" ? t("watched") : "", stateOf(summary), movesText(summary), summary.variant === "chess" ? t("orthodox chess") : "", dateText(changed)];
    return h("li", { "data-id": entry.id },
      h("button", { type: "button", class: "game-row", onclick: () => this.open(entry) }, h("strong", {}, title), h("span", { class: "hint" }, details.filter(Boolean).join(" · "))),
      iconButton("close", t("Delete {title}", { title }), () => this.remove(entry)));
  }

  /** Goes on with a running game; shows others where they can be studied. */
  open({ kind, id, summary }) {
    const { app } = this;
    if (kind === "study") return app.enter("analyse", id);
    if (summary.running || summary.place === "watch") return app.enter(summary.place, id);
    return app.enter("analyse", null, { game: id });
  }

  async remove(entry) {
    const { app } = this;
    try {
      const restore = await app.documents.remove(entry.kind, entry);
      app.forget(entry.id);
      const undo = async () => {
        try {
          await restore();
          await this.changedElsewhere();
        } catch (error) {
          toast(plain(error.message), { isError: true });
        }
      };
      toast(t("{title} is deleted.", { title: titleOf(entry.summary) }), { action: [t("Undo"), undo] });
      this.entries = this.entries.filter((other) => other !== entry);
      this.show();
      this.search.focus();
    } catch (error) {
      toast(plain(error.message), { isError: true });
    }
  }

  /** Saves all games and analyses in one file. What cannot be read or written is left out. */
  async save() {
    const { app, entries } = this;
    const { textContent } = this.saveButton;
    this.isSaving = true;
    this.saveButton.disabled = true;
    const games = [];
    let failed = 0;
    for (const [index, { kind, id }] of entries.entries()) {
      try {
        const stored = await app.documents.store.get(kind, id);
        if (stored) games.push(await pgnOf(app, Tree.fromJSON(stored.value.tree)));
      } catch {
        failed += 1;
      }
      this.saveButton.textContent = t("{count} of {all} …", { count: index + 1, all: entries.length });
    }
    if (games.length) saveFile("agoge-games.pgn", games.map((pgn) => pgn.trim()).join("\n\n").concat("\n"));
    if (failed) toast(plural("{count} game could not be saved.", "{count} games could not be saved.", { count: failed }), { isError: true });
    this.saveButton.textContent = textContent;
    this.isSaving = false;
    this.show();
  }
}
