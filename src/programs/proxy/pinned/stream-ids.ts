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
    for (const [at, key] of streams.entries())
      ask(key, (answer) => {
        if (answer !== undefined) asked.ids[at] = lastIdOf(answer);
        asked.left--;
      });
    return asked;
  }
}

interface AskedIds {
  readonly ids: string[];
  /** How many ids are not settled. */
  left: number;
}
