/** The panel for a new game. */
import { button, checkbox, choice, field, h, select } from "./dom.js";
import { heldLocks, lockName } from "./documents.js";
import { plural, t } from "./i18n.js";
import { levels } from "./levels.js";
import { VARIANTS, picture } from "./pieces.js";
import { timeError, timeFields } from "./timecontrol.js";
import { Tree } from "./tree.js";
import { sideName } from "./words.js";

export const movesText = ({ moves }) => plural("{count} move", "{count} moves", { count: moves });

const OPPONENTS = [["engine", t("Engine")], ["person", t("Another person at this device")]];

const NAMES = {
  spartan: { white: t("Name of the Persians"), black: t("Name of the Spartans") },
  chess: { white: t("Name of White"), black: t("Name of Black") },
};

export class NewGame {
  constructor(play) {
    this.play = play;
    this.app = play.app;
  }

  /** `from` is a tree with a position to start from. `focus` is the name of the choice that has the focus. */
  show(from = null, focus = null) {
    const { app, play } = this;
    const { setup } = play;
    const start = from ?? this.startHere();
    let fromHere = !!from;
    const begin = () => {
      const error = timeError(setup);
      if (error) document.querySelector("#time-error").textContent = error;
      else play.begin(fromHere ? start : null);
    };
    const offers = h("div", { class: "stack" });
    app.setPanel(
      h("h2", {}, t("New game")), offers, this.note(from),
      h("div", { class: "form" }, choice(t("Variant"), "variant", VARIANTS, setup.variant, (value) => this.setVariant(value, from)),
      choice(t("Opponent"), "opponent", OPPONENTS, setup.opponent, (value) => {
        setup.opponent = value;
        this.show(from, "opponent");
      }),
      ...(setup.opponent === "person" ? this.names() : this.engine()),
      ...timeFields(setup, setup.opponent === "person" ? ["white", "black"].map((colour) => sideName(colour, setup.variant)) : [t("You"), t("Engine")])),
      start ? checkbox(t("Start from the position on the board"), fromHere, (value) => (fromHere = value)) : "",
      h("div", { class: "row-of start-row" }, button(t("Play"), begin, { class: "button primary big", id: "start" }), this.cancelButton(from) ?? ""),
      h("p", { class: "hint" }, t("New to Spartan Chess? The Persians have the usual pieces and move first. The Spartans have two kings: losing one is not the end."), " ",
        h("button", { type: "button", class: "mv", onclick: () => app.enter("learn", "rules") }, t("Read the rules"))));
    if (focus) document.querySelector(`[name=${focus}]:checked`).focus();
    this.showOffers(offers);
  }

  setVariant(variant, from) {
    const { app, play } = this;
    play.setup.variant = variant;
    this.show(from, "variant");
    if (play.isShown || from) return;
    app.tree = new Tree(variant);
    app.show();
  }

  /** What is on the board as a start; null for the usual start. */
  startHere() {
    const { variant, current, fen } = this.app.tree;
    return current.parent || fen !== new Tree(variant).fen ? new Tree(variant, current.fen) : null;
  }

  /** The game on the board does not stop. */
  note(from) {
    const { play } = this;
    if (from || !play.isShown || !play.isRunning) return "";
    return h("p", { class: "hint" }, play.state.clock ? t("Your game goes on meanwhile, and so does its clock.") : t("Your game goes on meanwhile."));
  }

  engine() {
    const { setup } = this.play;
    const side = (colour, king) => [colour, sideName(colour, setup.variant), picture(king, setup.variant)];
    const sides = [side("white", "K"), ["random", t("Random")], side("black", "k")];
    return [
      choice(t("Your side"), "side", sides, setup.side, (value) => (setup.side = value)),
      select(t("Strength of the engine"), levels(), setup.level, (value) => (setup.level = value)),
    ];
  }

  names() {
    const { setup } = this.play;
    return [h("div", { class: "two" }, ["white", "black"].map((colour) => {
      const input = h("input", { type: "text", name: `name-${colour}`, maxlength: 60, autocomplete: "off", value: setup.names[colour] ?? "", oninput: () => (setup.names[colour] = input.value) });
      return field(NAMES[setup.variant][colour], input);
    }))];
  }

  cancelButton(from) {
    const { play } = this;
    if (!from && !play.isShown) return null;
    return button(t("Cancel"), () => (from ? history.back() : play.backToGame()), { id: "cancel-new" });
  }

  /** Offers to go on with other games of this page, and with running games that no page has open. */
  async showOffers(element) {
    const { app, play } = this;
    const shown = play.isShown ? play.game : null;
    const own = [...play.games].filter((game) => game !== shown && game.isRunning && game.isHeld).map((game) => ({ id: game.document.id, ...game.document.read() }));
    let others = [];
    try {
      const held = await heldLocks();
      const games = await app.documents.store.list("game");
      others = games.filter(({ id, summary }) => summary.place === "play" && summary.running && !held.includes(lockName(id)) && id !== shown?.document.id && !own.some((game) => game.id === id));
    } catch (error) {
      app.documents.fail(error);
    }
    element.replaceChildren(...[...own, ...others.slice(0, 3)].map(({ id, summary }) =>
      button(t("Go on with: {white} – {black}, {moves}", { ...summary, moves: movesText(summary) }), () => app.enter("play", id), { class: "button resume" })));
  }
}
