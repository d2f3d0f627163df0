/** Takes over what earlier versions of the page kept in the browser, once. */
import { recall, remember, summaryOf } from "./documents.js";
import { newId } from "./store.js";
import { Tree } from "./tree.js";

const KEYS = { game: "agoge-game", puzzles: "agoge-puzzles", play: "agoge-play-setup", analysis: "agoge-analysis" };

export async function takeOver(documents, { settings, puzzles, setups }) {
  const [game, record, play, analyse] = [KEYS.game, KEYS.puzzles, KEYS.play, KEYS.analysis].map(recall);
  if (record) {
    Object.assign(puzzles.value, puzzles.merge({ solved: [], failed: [], ...record }, puzzles.value));
    await puzzles.touch();
    if (!puzzles.isChanged) remember(KEYS.puzzles, null);
  }
  if (play || analyse) {
    if (play) setups.value.play ??= play;
    if (analyse) setups.value.analyse ??= analyse;
    await setups.touch();
    if (!setups.isChanged) [KEYS.play, KEYS.analysis].forEach((key) => remember(key, null));
  }
  if (game?.tree) {
    await takeOverGame(documents.store, game);
    remember(KEYS.game, null);
  }
  // The copy in the browser is older than the store.
  if (!settings.revision) await settings.touch();
}

/** The last game that was played or analysed. */
async function takeOverGame(store, { tree: kept, play }) {
  const tree = Tree.fromJSON(kept);
  if (!tree.root.children.length) return;
  if (play) {
    // The analysis had left variations in the tree.
    if (play.moves) {
      const last = tree.follow(play.moves);
      tree.promote(last);
      tree.cut(last);
    }
    await store.put("game", newId(), 0, summaryOf(tree, { place: "play", running: !play.end }), { tree: tree.toJSON(), play });
  } else await store.put("study", newId(), 0, summaryOf(tree, { place: "analyse" }), { tree: tree.toJSON() });
}
