import { lastIdOf, streamsFromNow, withIds } from "../protocol/stream-position.ts";

/** Asks the engine for the last id of a stream. */
export type AskForStream = (key: Buffer, confirmed: (answer: Buffer) => void) => void;

/** The last ids of streams that an XREAD from `$` waits for. */
export class StreamIds {
  #ids: string[] | undefined;

  /** The engine has been asked, and the request is not sent yet. */
  get waiting(): boolean {
    return this.#ids !== undefined;
  }

  /** The request with ids instead of each `$`; undefined until the engine has given them, then it is to be offered again. */
  resolve(request: Buffer, ask: AskForStream): Buffer | undefined {
    const streams = streamsFromNow(request);
    if (streams.length === 0) return request;
    const ids = this.#ids ?? this.#askFor(streams, ask);
    if (ids.length < streams.length) return undefined;
    this.#ids = undefined;
    return withIds(request, ids);
  }

  #askFor(streams: readonly Buffer[], ask: AskForStream): readonly string[] {
    const ids: string[] = [];
    this.#ids = ids;
    for (const key of streams) ask(key, (answer) => void ids.push(lastIdOf(answer)));
    return ids;
  }
}
