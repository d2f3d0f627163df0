/**
 * The lessons: positions with a goal, from the first step of a hoplite to mates of two kings.
 *
 * A lesson has an `id`, a `title`, the `text` with the goal, the position `fen`, the number of own `moves` in which the goal
 * is reached (1 if missing), whether it is reached (`goal`), the reasons why a move fails (`fails`: pairs of a condition and
 * a text, of which the first that holds is told), a text for its end (`done`), and a `solution`, the first own moves of
 * one of those that may exist. The opponent answers with `reply`, a function, or else with the engine's best move.
 *
 * Conditions get a `Step`, see course.js: the `move` with `letter`, `captured` and `promoted`, the `pieces` after it, the
 * `position` of the opponent, whether it is the `last` move, and, as promises, what a search says.
 */
import { t } from "./i18n.js";

const isNot = (letter) => (step) => step.letter !== letter;
const takesNothing = (step) => !step.captured;
const always = () => true;
const has = (letter) => ({ pieces }) => [...pieces.values()].includes(letter);
const hasNo = (letter) => (step) => !has(letter)(step);
const isMate = ({ position }) => !!position.end?.reason.endsWith("checkmate");
const isDuple = ({ position }) => position.check && position.kings === 2;
const attackedKings = (number) => ({ position }) => position.attacked.length === number;
const mates = async (step) => isMate(step) || (await step.matesInTime());

/** The king of the opponent goes to and fro: nothing else happens. */
const wait = ({ position, home }) => {
  const distance = ({ move }) => Math.max(Math.abs(move.charCodeAt(2) - home.charCodeAt(0)), Math.abs(move.charCodeAt(3) - home.charCodeAt(1)));
  const steps = position.legal.filter(({ san }) => san.startsWith("K") && !san.includes("x"));
  return steps.sort((a, b) => distance(a) - distance(b) || (a.move < b.move ? -1 : 1))[0].move;
};

/** The opponent plays the first of the legal moves by their names. */
const first = ({ position }) => position.legal.map(({ move }) => move).sort()[0];

/** The opponent takes what has moved, if possible. */
const take = ({ position, move }) => position.legal.find((item) => item.move.slice(2, 4) === move.slice(2, 4))?.move;

export const COURSE = [
  {
    id: "step", title: t("The hoplite's step"), fen: "1k1k4/8/8/3h4/8/8/8/7K b - - 0 1", moves: 2, reply: wait,
    text: t("A hoplite steps one square diagonally ahead. Bring it to d3 in two moves."),
    goal: ({ pieces }) => pieces.get("d3") === "h", solution: ["d5c4", "c4d3"],
    fails: [[isNot("h"), t("Move the hoplite, the foot soldier on d5.")], [({ last }) => last, t("This step leads away from d3, and a hoplite never comes back.")]],
    done: t("Right: to the left and to the right again, or the other way round."),
  }, {
    id: "leap", title: t("The hoplite's leap"), fen: "1k1k4/3h4/4P3/8/8/8/8/7K b - - 0 1", reply: wait,
    text: t("From its first square a hoplite may go two squares diagonally, and leaps over whatever stands between. Leap over the pawn."),
    goal: ({ move }) => move === "d7f5", solution: ["d7f5"],
    fails: [[isNot("h"), t("Move the hoplite on d7.")], [({ move }) => move === "d7c6", t("This is a single step. The leap goes two squares.")], [({ move }) => move === "d7b5", t("This is a leap, but not over the pawn on e6.")]],
    done: t("Only from rank 7 can hoplites do this."),
  }, {
    id: "take", title: t("The hoplite takes"), fen: "1k1k4/8/3h4/3P4/3P4/8/8/7K b - - 0 1", moves: 2, reply: wait,
    text: t("A hoplite captures the piece straight ahead of it, the reverse of a pawn. Take both pawns."),
    goal: hasNo("P"), solution: ["d6d5", "d5d4"],
    fails: [[isNot("h"), t("Take the pawns with the hoplite.")], [takesNothing, t("A diagonal step takes nothing. The hoplite captures straight ahead.")]],
    done: t("Remember: it moves diagonally, and it captures straight ahead."),
  }, {
    id: "lieutenant", title: t("The lieutenant"), fen: "1k1k4/8/8/3l3P/4h1h1/5P2/8/K7 b - - 0 1", moves: 2, reply: wait,
    text: t("A lieutenant goes one or two squares diagonally and leaps over what stands between. Take both pawns with it."),
    goal: hasNo("P"), solution: ["d5f3", "f3h5"],
    fails: [[isNot("l"), t("Use the lieutenant. The hoplites do not hinder it.")], [takesNothing, t("No pawn was taken. The next one is two squares away diagonally.")]],
    done: t("Nothing that stands between stops a lieutenant."),
  }, {
    id: "sideways", title: t("A step sideways"), fen: "1k4k1/8/3P4/3l4/8/8/8/K7 b - - 0 1", moves: 2, reply: wait,
    text: t("Diagonal moves keep the colour of the square. A lieutenant may also step one square sideways, without capturing. Take the pawn in two moves."),
    goal: hasNo("P"), solution: ["d5c5", "c5d6"],
    fails: [[isNot("l"), t("Use the lieutenant.")], [({ last, move }) => !last && move[1] !== move[3], t("From here the pawn stands on the other colour. Step sideways first.")], [({ last }) => last, t("The pawn stood beside the lieutenant diagonally: take it.")]],
    done: t("The step sideways takes the lieutenant to the other colour."),
  }, {
    id: "captain", title: t("The captain"), fen: "1k1k4/8/8/3c4/3h4/3PhP2/8/K7 b - - 0 1", moves: 2, reply: wait,
    text: t("A captain goes one or two squares along a rank or file and leaps over what stands between. Take both pawns with it."),
    goal: hasNo("P"), solution: ["d5d3", "d3f3"],
    fails: [[isNot("c"), t("Use the captain.")], [takesNothing, t("No pawn was taken. The next one is two squares away in a straight line.")]],
    done: t("Captains and lieutenants leap like this from the first move on."),
  }, {
    id: "general", title: t("The general"), fen: "1k4k1/8/3g4/8/8/3P4/4P2P/K7 b - - 0 1", moves: 3, reply: wait,
    text: t("A general moves as a rook, or one square diagonally. Take three pawns in three moves."),
    goal: hasNo("P"), solution: ["d6d3", "d3e2", "e2h2"],
    fails: [[isNot("g"), t("Use the general.")], [takesNothing, t("This move takes no pawn. One of the three captures is a diagonal step.")]],
    done: t("The general is nearly as strong as a queen."),
  }, {
    id: "warlord", title: t("The warlord"), fen: "5k1k/2P5/8/3w4/5P2/8/6P1/K7 b - - 0 1", moves: 3, reply: wait,
    text: t("A warlord moves as a bishop, or leaps as a knight. Take three pawns in three moves."),
    goal: hasNo("P"), solution: ["d5g2", "g2f4", "f4c7"],
    fails: [[isNot("w"), t("Use the warlord.")], [takesNothing, t("This move takes no pawn. From each pawn the next one must be in reach.")]],
    done: t("The warlord is the strongest of the Spartans."),
  }, {
    id: "two-kings", title: t("Two kings"), fen: "1k4k1/8/8/8/2g4Q/8/8/1R4K1 b - - 0 1",
    text: t("The rook attacks your king on b8. With two kings this is no check: you may do what you like. Find the best use of your move."),
    goal: ({ captured }) => captured === "Q", solution: ["c4h4"],
    fails: [[isNot("g"), t("The king need not run: the other one is safe. Something better can be taken.")], [always, t("The general can take something.")]],
    done: t("A king is worth about as much as a rook, a queen much more."),
  }, {
    id: "king-for-queen", title: t("A king may be given up"), fen: "7k/8/2k5/3Q4/4P3/8/8/4K3 b - - 0 1",
    text: t("While there are two kings, one may go where it can be taken. Take the queen, although a pawn protects it."),
    goal: ({ captured }) => captured === "Q", solution: ["c6d5"],
    fails: [[({ move }) => move.startsWith("h8"), t("This is the other king. The one on c6 stands beside the queen.")], [always, t("The king is safe now, but the queen stays.")]],
    done: t("If the pawn takes it, one king is left. From then on it must not stay attacked."),
  }, {
    id: "free-a-king", title: t("Answer a duple-check"), fen: "2k1k3/3Q4/8/8/8/8/8/3R2K1 b - - 0 1",
    text: t("Both kings are attacked: this is duple-check, and one king must be freed. A king may take a protected piece if the other one is safe then."),
    goal: ({ captured }) => captured === "Q", solution: ["c8d7"],
    fails: [[always, t("This frees a king, but the queen takes the other one.")]],
    done: t("The rook attacks this king, but the other one is safe: this is no check."),
  }, {
    id: "promotion", title: t("Promotion"), fen: "1k4k1/8/8/8/8/8/4h3/7K b - - 0 1",
    text: t("On the last rank a hoplite becomes a general, warlord, captain or lieutenant. Promote it so that it gives check."),
    goal: ({ promoted, position }) => promoted && position.check, solution: ["e2d1g"],
    fails: [[isNot("h"), t("Promote the hoplite on e2.")], [always, t("This piece does not attack the king on h1. Which one can reach it from here?")]],
    done: t("The general is often the best choice, but not always."),
  }, {
    id: "second-king", title: t("A second king"), fen: "k7/8/1K6/8/8/7R/4h3/8 b - - 0 1",
    text: t("The rook threatens mate on h8. If a Spartan has one king only, a hoplite may become a second one. Save the game."),
    goal: ({ promoted }) => promoted === "k", solution: ["e2d1k"],
    fails: [[isNot("h"), t("Your last king is mated on h8.")], [always, t("The rook still mates your last king. With a second one, an attack on one of them is no check.")]],
    done: t("With two kings, the rook on h8 attacks only one of them."),
  }, {
    id: "king-gives-check", title: t("A king gives mate"), fen: "6k1/8/8/8/4w3/5k2/8/7K b - - 0 1",
    text: t("With two kings, one may step beside the enemy's king and give check. It can be taken there unless it is protected. Give mate."),
    goal: isMate, solution: ["f3g2"],
    fails: [[isNot("k"), t("The warlord alone does not mate. It can support a king.")], [({ position }) => position.check, t("This is check, but the king can go on.")], [always, t("This is no check.")]],
    done: t("The warlord protects the king on g2, and the other king is safe."),
  }, {
    id: "sacrifice", title: t("A king as a sacrifice"), fen: "4g2k/8/8/8/8/5B2/2k2PPP/3R2K1 b - - 0 1", moves: 2, reply: take,
    text: t("The rook guards the first rank. Give up a king to lure its protector there, then give mate."),
    goal: isMate, solution: ["c2d1", "e8e1"],
    fails: [[({ last, captured }) => !last && captured !== "R", t("The rook still guards the first rank. Which king can take it?")], [({ last }) => last, t("Now nobody guards the first rank: the general mates there.")]],
    done: t("The bishop took a king, and the other one won the game."),
  }, {
    id: "ladder", title: t("Mate with two generals"), fen: "1k4k1/8/8/8/7g/g7/4K3/8 b - - 0 1", moves: 2,
    text: t("The Spartans win by mating the king of the Persians. Give mate in two moves."),
    goal: isMate, solution: ["h4h2", "a3a1"],
    fails: [[async (step) => !step.last && !(await mates(step)), t("The king gets away. One general cuts off its rank, the other one checks.")], [({ last }) => last, t("This is not mate. The king stands at the edge: check it there.")]],
    done: t("Two generals drive a king to the edge like two rooks."),
  }, {
    id: "warlords", title: t("Mate with two warlords"), fen: "8/8/8/8/3w2k1/5k2/2w5/2K5 b - - 0 1", moves: 2,
    text: t("Find a move after which mate cannot be prevented, then give it. There is more than one way."),
    goal: isMate, solution: ["c2a3", "d4c3"],
    fails: [[async (step) => !step.last && !(await mates(step)), t("After this there is no mate on the next move. Take squares away from the king.")], [({ last }) => last, t("This is not mate. Look for a check that leaves no square.")]],
    done: t("Well done. Warlords attack squares of both colours by their leaps."),
  }, {
    id: "dead-draw", title: t("A draw by insufficient material"), fen: "3K4/P7/8/2l5/8/8/8/7k b - - 0 1",
    text: t("You cannot win any more, and the pawn is about to become a queen. Save the draw: a king and a lieutenant cannot mate, nor can a bare king."),
    goal: ({ position }) => position.end?.reason === "dead position", solution: ["c5a7"],
    fails: [[isNot("l"), t("The pawn becomes a queen. The lieutenant can stop it.")], [always, t("The pawn becomes a queen. The lieutenant can leap farther.")]],
    done: t("Neither side can mate: a draw. So are threefold repetition, stalemate and fifty moves without a capture or a move of a pawn or hoplite."),
  }, {
    id: "castling", title: t("The Persians castle"), fen: "1k4k1/8/8/8/8/8/3h4/R3K2R w KQ - 0 1",
    text: t("You play the Persians now. They castle as in orthodox chess, but not over a square that is attacked. Castle."),
    goal: ({ san }) => san.startsWith("O-O"), solution: ["e1g1"],
    fails: [[isNot("R"), t("Once the king has moved, it can no longer castle.")], [always, t("A rook that has moved can no longer castle.")]],
    done: t("The hoplite attacks only d1, straight ahead: castling on the other side was possible."),
  }, {
    id: "no-en-passant", title: t("No capture in passing"), fen: "1k4k1/8/8/4Ph2/8/3B4/8/5RK1 w - - 0 1",
    text: t("The hoplite has just leapt past your pawn. There is no en passant in Spartan Chess. Take the hoplite in another way."),
    goal: ({ captured }) => captured === "h", solution: ["d3f5"],
    fails: [[({ letter }) => letter === "P", t("The pawn moves straight ahead: it cannot take in passing.")], [always, t("The hoplite is still there. Two of your pieces can take it.")]],
    done: t("Neither pawns nor hoplites take in passing."),
  }, {
    id: "regicide", title: t("Take a king"), fen: "6k1/5hhh/8/1k6/8/8/4B3/1R4K1 w - - 0 1",
    text: t("A king that is attacked may be taken like any other piece while there are two. Take one."),
    goal: ({ captured }) => captured === "k", solution: ["b1b5"],
    fails: [[always, t("Both kings are still there. The one on b5 can be taken.")]],
    done: t("One king is left, and it has the usual duties: it must not stay attacked."),
  }, {
    id: "last-king", title: t("Mate the last king"), fen: "6k1/5hhh/8/1R3N2/8/8/8/4R1K1 w - - 0 1",
    text: t("A single king is mated as in orthodox chess. Give mate."),
    goal: isMate, solution: ["b5b8"],
    fails: [[({ position }) => !position.check, t("This does not attack the king. Its own hoplites shut it in.")], [always, t("This is check, but not mate.")]],
    done: t("The Persians win by taking one king and mating the other one."),
  }, {
    id: "stalemate", title: t("No stalemate"), fen: "k7/8/1K6/8/8/8/8/2Q5 w - - 0 1",
    text: t("Give mate in one move. Beware of stalemate: without a legal move and without check the game is a draw."),
    goal: isMate, solution: ["c1c8"],
    fails: [[({ position }) => position.end?.reason === "stalemate", t("Stalemate: the king is not attacked, but it cannot move. The game is a draw.")], [({ position }) => position.check, t("This is check, but not mate.")], [always, t("This is no mate: the king is not attacked.")]],
    done: t("With two kings there is stalemate, too: even if one of them is attacked."),
  }, {
    id: "duple-check", title: t("Duple-check"), fen: "1k4k1/8/8/8/8/3Q4/8/1R4K1 w - - 0 1",
    text: t("Two kings are in check only if both are attacked. The rook attacks one. Attack both at once, without taking one."),
    goal: isDuple, solution: ["d3g3"],
    fails: [[({ captured }) => captured === "k", t("You have taken a king. Strong, but this was to be a duple-check.")], [attackedKings(0), t("Now neither king is attacked.")], [always, t("Only one king is attacked: the Spartans need not answer.")]],
    done: t("The Spartans must free one of the kings at once."),
  }, {
    id: "fork", title: t("Fork two kings"), fen: "1k1k4/8/8/8/1N6/8/8/4K2R w - - 0 1", moves: 2, reply: first,
    text: t("A piece that attacks both kings wins one of them. Take a king in two moves."),
    goal: ({ captured }) => captured === "k", solution: ["b4c6", "c6d8"],
    fails: [[(step) => !step.last && !isDuple(step), t("The kings need not answer. Find a square from which the knight attacks both.")], [({ last }) => last, t("The other king could be taken.")]],
    done: t("Kings that stand a knight's move from one square are in danger together."),
  }, {
    id: "duple-mate", title: t("Duple-checkmate"), fen: "k1k5/8/1Q6/8/8/8/7R/R2RK3 w - - 0 1",
    text: t("A duple-check that cannot be answered wins. Mate both kings in one move."),
    goal: ({ position }) => position.end?.reason === "duple-checkmate", solution: ["h2c2"],
    fails: [[({ captured }) => captured === "k", t("This takes a king and mates the other one. It wins, too, but find the mate of both.")], [isDuple, t("This is duple-check, but a king can be freed.")], [always, t("Not both kings are attacked, so this is no check.")]],
    done: t("Duple-checkmate: neither king can be freed."),
  }, {
    id: "take-and-mate", title: t("Take one, mate the other"), fen: "5R2/k7/8/7k/2N5/8/3K2BQ/c7 w - - 0 1", moves: 2,
    text: t("The last lesson: take one king and mate the other one, in two moves."),
    goal: isMate, solution: ["h2h5"],
    fails: [[({ last, captured }) => !last && captured !== "k", t("Both kings live. Take one first.")], [({ last }) => last, t("This is not mate. Look for another check.")]],
    done: t("You know the game now. Play, or solve puzzles."),
  },
];
