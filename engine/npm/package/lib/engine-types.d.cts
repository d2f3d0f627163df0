export type Bytes = ArrayBuffer | ArrayBufferView;

export interface AgogeOptions {
  /** The URL, or in Node also the path, of a file of the package: `agoge.wasm`, `theory.bin` or the worker's script. */
  locateFile?: (file: string, prefix: string) => string;
  /** The contents of `agoge.wasm`. */
  wasmBinary?: Bytes | Promise<Bytes>;
  /** Receives the output while there is no listener; by default `console.log`. */
  print?: (line: string) => void;
  /** Called if the engine fails, with the reason. The engine has ended by then. */
  onAbort?: (reason: string) => void;
}

export type MessageListener = (line: string) => void;

export interface AgogeEngine {
  /** Resolves when the engine can be used; the factory waits for that. */
  readonly ready: Promise<AgogeEngine>;
  /** Sends a line of UCI, or several lines. */
  postMessage(line: string): void;
  /** Adds a function that receives each line of output. */
  addMessageListener(listener: MessageListener): void;
  removeMessageListener(listener: MessageListener): void;
  /** Ends the engine at once. */
  terminate(): void;
  /** Files that options such as `EvalFile` and `BookFile` may name. */
  readonly FS: {
    writeFile(path: string, data: string | Bytes): void;
    readFile(path: string): Uint8Array;
    readFile(path: string, options: { encoding: "utf8" }): string;
  };
}

