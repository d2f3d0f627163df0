/** What clients do with the package: the same in Node, in a page and in a worker. Each scene throws if it fails. */

function assert(good, what) {
  if (!good) throw new Error(what);
}

const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** Waits until something is so; a busy machine may take long. */
async function eventually(test, what) {
  for (let i = 0; i < 500 && !test(); i++) await sleep(20);
  assert(test(), what);
}

/** An engine whose lines can be waited for. */
class Client {
  static async start(Agoge, options = {}) {
    const client = new Client();
    client.engine = await Agoge(options);
    client.lines = [];
    client.waiting = null;
    client.engine.addMessageListener((line) => {
      client.lines.push(line);
      client.waiting?.(line);
    });
    return client;
  }

  /** Sends lines, and resolves to the output up to a line that begins with a text. */
  ask(text, end) {
    const from = this.lines.length;
    return new Promise((resolve) => {
      this.waiting = (line) => {
        if (!line.startsWith(end)) return;
        this.waiting = null;
        resolve(this.lines.slice(from));
      };
      this.engine.postMessage(text);
    });
  }

  async best(text) {
    return (await this.ask(text, "bestmove ")).at(-1).split(" ")[1];
  }
}

/** Positions in which one side lacks its best piece, so that the game ends soon. */
const ONE_SIDED = [
  "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNB1KBNR w KQ - 0 1",
  "l1kcck1l/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1",
];

/** The engine plays both sides until one is mated. */
export async function gameToMate(Agoge, Module) {
  const { Board, Termination } = await Module();
  const client = await Client.start(Agoge);
  await client.ask("setoption name UCI_Variant value spartan\nisready", "readyok");
  const lengths = [];
  for (const fen of ONE_SIDED) {
    client.engine.postMessage("ucinewgame");
    const board = new Board("spartan", fen);
    while (!board.isGameOver(true) && board.gamePly() < 400) {
      const best = await client.best(`position fen ${fen} moves ${board.moveStack()}\ngo nodes 1000`);
      assert(board.push(best), `${best} is illegal in ${board.fen()}`);
    }
    assert(board.termination(true) === Termination.CHECKMATE, `no mate in ${board.pgn()}`);
    const result = board.result();
    assert(result === (board.turn() ? "0-1" : "1-0") && board.pgn().trimEnd().endsWith(`# ${result}`), board.pgn());
    lengths.push(board.gamePly());
    board.delete();
  }
  client.engine.terminate();
  return lengths;
}

/** As pychess.org uses the package of Fairy-Stockfish. */
export async function asPychess(Agoge) {
  const client = await Client.start((options) => new Agoge(options));
  const { engine } = client;
  assert((await engine.ready) === engine, "ready");
  const options = await client.ask("uci", "uciok");
  assert(options[0].startsWith("id name Agoge ") && options[1].startsWith("id author "), options[0]);
  for (const name of ["UCI_Variant", "Hash", "Threads", "MultiPV", "Skill Level", "UCI_Elo", "EvalFile", "Use NNUE"]) {
    assert(options.some((line) => line.startsWith(`option name ${name} type `)), `no option ${name}`);
  }
  engine.FS.writeFile("/spartan-1234.nnue", new Uint8Array(1000));
  assert(engine.FS.readFile("/spartan-1234.nnue").length === 1000, "a file");
  const set = ["UCI_Variant value spartan", "EvalFile value /spartan-1234.nnue", "Use NNUE value true", "Threads value 2",
    "Hash value 16", "MultiPV value 2", "UCI_AnalyseMode value true"];
  const answers = await client.ask(`${set.map((option) => `setoption name ${option}`).join("\n")}\nisready`, "readyok");
  assert(answers.some((line) => line.startsWith("info string variant spartan files 8 ")), "the variant");
  assert(answers.some((line) => line.includes("'/spartan-1234.nnue' cannot be used: not a network file")), "the file");
  engine.postMessage("ucinewgame");
  const moves = ["e2e4", "b7d5"];
  const lines = await client.ask(`position startpos moves ${moves.join(" ")}\ngo movetime 200`, "bestmove ");
  assert(lines.some((line) => / multipv 2 .* pv /.test(line)), "two lines");
  const stopped = client.ask("go infinite", "bestmove ");
  await sleep(300);
  const asked = client.lines.length;
  engine.postMessage("isready");
  await eventually(() => client.lines.slice(asked).includes("readyok"), "isready during a search");
  const begin = performance.now();
  engine.postMessage("stop");
  await stopped;
  const time = performance.now() - begin;
  engine.terminate();
  engine.postMessage("go depth 1");
  await sleep(50);
  return time;
}

/** Each `go` has one best move, however they follow each other. */
export async function commandsDuringSearch(Agoge) {
  const client = await Client.start(Agoge);
  const { engine } = client;
  const bests = () => client.lines.filter((line) => line.startsWith("bestmove ")).length;
  // A command that needs the engine ends a search that would not end.
  for (const end of ["position startpos moves e2e4", "ucinewgame", "setoption name Hash value 8", "stop\nstop", "go depth 2"]) {
    const before = bests();
    engine.postMessage("position startpos\ngo infinite");
    await sleep(30);
    await client.ask(`${end}\nisready\nd`, "State: ");
    assert(bests() - before === (end.startsWith("go") ? 2 : 1), `${end}: ${bests() - before} best moves`);
  }
  // Searches that have ended wait for a command.
  for (const [go, end] of [["go infinite depth 2", "stop"], ["go ponder depth 2", "ponderhit"]]) {
    const before = bests();
    engine.postMessage(go);
    await sleep(400);
    assert(bests() === before, `${go} waits`);
    await client.best(end);
  }
  const ponder = client.best("go ponder wtime 400 btime 400");
  await sleep(50);
  engine.postMessage("ponderhit");
  await ponder;
  // Tasks end by `stop` only.
  const perft = client.ask("go perft 9", "info string perft was stopped");
  await sleep(50);
  engine.postMessage("stop");
  await perft;
  const counted = await client.ask("go perft 4\nposition startpos", "Nodes searched: ");
  assert(counted.at(-1) === "Nodes searched: 473282", "perft 4");
  assert((await client.ask("bench 1 1 1", "info string 51/51 ")).length === 51, "bench");
  engine.FS.writeFile("book.epd", "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ -; a2a4 1\n");
  const moves = [];
  engine.postMessage("setoption name OwnBook value true\nsetoption name Skill Level value 3");
  moves.push(await client.ask("position startpos\ngo nodes 5", "bestmove "));
  engine.postMessage("setoption name BookFile value book.epd");
  moves.push(await client.ask("go nodes 5", "bestmove "));
  assert(moves[0].some((line) => line.startsWith("info string book move ")), "a move of the opening theory");
  assert(moves[1].at(-1) === "bestmove a2a4", `a move of a book: ${moves[1]}`);
  const last = bests();
  engine.postMessage("go infinite\nquit\nd");
  await eventually(() => bests() === last + 1, "quit ends the search");
  return bests();
}

/** A network of this engine is used, unless it is damaged. */
export async function ownNetwork(Agoge, net) {
  const client = await Client.start(Agoge);
  const load = async (bytes) => {
    client.engine.FS.writeFile("/own.nnue", bytes);
    return (await client.ask("setoption name EvalFile value /own.nnue\nisready", "readyok")).join("\n");
  };
  const damaged = Uint8Array.from(net);
  damaged[damaged.length - 1] ^= 1;
  assert((await load(damaged)).includes("'/own.nnue' cannot be used: wrong checksum"), "a damaged network");
  assert((await load(net)) === "readyok", "a network");
  const name = (await client.ask("eval\nisready", "readyok")).find((line) => line.startsWith("The network "));
  assert(name, "the network is used");
  client.engine.terminate();
}

/** Options of the factories. */
export async function loading(Agoge, Module, wasm, rules) {
  const asked = [];
  const missing = await Agoge({ locateFile: (name) => (asked.push(name), `${name}.missing`) }).catch((error) => error);
  assert(missing instanceof Error && asked[0] === "agoge.wasm", "a missing file");
  const damaged = await Agoge({ wasmBinary: new Uint8Array(8) }).catch((error) => error);
  assert(damaged instanceof Error, "a damaged file");
  const printed = [];
  const engine = await Agoge({ wasmBinary: wasm, print: (line) => printed.push(line) });
  engine.postMessage("isready");
  await eventually(() => printed[0] === "readyok", "print");
  const heard = [];
  const listener = (line) => heard.push(line);
  engine.addMessageListener(listener);
  engine.postMessage("isready");
  await eventually(() => heard.length, "a listener");
  engine.removeMessageListener(listener);
  engine.postMessage("isready");
  await eventually(() => printed.length === 2, "print without a listener");
  assert(heard.length === 1, "a listener removed");
  engine.terminate();
  // Without the opening theory the engine goes on.
  const locateFile = (name, prefix) => prefix + (name === "theory.bin" ? "theory.missing" : name);
  const client = await Client.start(Agoge, { wasmBinary: wasm, locateFile });
  const lines = await client.ask("setoption name OwnBook value true\nisready", "readyok");
  assert(lines.some((line) => line.startsWith("info string error: theory.bin: ")), `missing theory: ${lines}`);
  assert(await client.best("position startpos\ngo nodes 100"), "a move without theory");
  client.engine.terminate();
  let initialized = null;
  const loaded = await new Module({ wasmBinary: rules, onRuntimeInitialized: (module) => (initialized = module) });
  assert(initialized === loaded && loaded.variants() === "spartan chess", "onRuntimeInitialized");
}

/** All scenes; resolves to what they measured. */
export async function all(Agoge, Module, wasm, rules) {
  await loading(Agoge, Module, wasm, rules);
  return { stop: await asPychess(Agoge), bests: await commandsDuringSearch(Agoge), plies: await gameToMate(Agoge, Module) };
}
