import { lastIdOf, streamsFromNow, withIds } from "../protocol/stream-position.ts";

/** Asks the engine for the last id of a stream; undefined: it is not known. */
export type AskForStream = (key: Buffer, settled: (answer: Buffer | undefined) => void) => void;

/** The last ids of streams that an XREAD from `$` waits for. */
export class StreamIds {
  #asked: AskedIds | undefined;

  /** The engine has been asked, and the request is not sent yet. */
  get waiting(): boolean {
    return this.#asked !== undefined;
  }

  /** The request with ids instead of each `$`; undefined until the engine has given them, then it is to be offered again. */
  resolve(request: Buffer, ask: AskForStream): Buffer | undefined {
    if (this.#asked !== undefined && this.#asked.left > 0) return undefined;
    const streams = streamsFromNow(request);
    if (streams.length === 0) return request;
    const { ids, left } = this.#asked ?? this.#askFor(streams, ask);
    if (left > 0) return undefined;
    this.#asked = undefined;
    return withIds(request, ids);
  }

  /** The request is not sent. */
  drop(): void {
    this.#asked = undefined;
  }

  #askFor(streams: readonly Buffer[], ask: AskForStream): AskedIds {
    const asked: AskedIds = { ids: streams.map(() => "$"), left: streams.length };
    this.#asked = asked;
    const rest = streams.entries();
    const askNext = (): void => {
      const { done, value: [at, key] = NONE } = rest.next();
      if (done === true) return;
      ask(key, (answer) => {
        asked.left--;
        // without an answer the session needs none any more
        if (answer === undefined) return;
        asked.ids[at] = lastIdOf(answer);
        askNext();
      });
    };
    for (let i = 0; i < ASKED_AT_ONCE; i++) askNext();
    return asked;
  }
}

const NONE = [0, Buffer.alloc(0)] as const;
/** More than that would only wait in a queue. */
const ASKED_AT_ONCE = 100;

interface AskedIds {
  readonly ids: string[];
  /** How many ids are not settled. */
  left: number;
}
