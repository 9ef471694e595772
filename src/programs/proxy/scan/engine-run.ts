import type { Upstream } from "../upstream/upstream.ts";

/** Which start of its process an engine is, as far as it has said it. */
export class EngineRun {
  /** What tells it from others; undefined while it is not known. */
  id: string | undefined;
  readonly #upstream: Pick<Upstream, "runId">;
  #asking: Promise<void> | undefined;

  constructor(upstream: Pick<Upstream, "runId">) {
    this.#upstream = upstream;
  }

  /** Resolves when it is known, or cannot be known now. */
  named(): Promise<void> {
    if (this.id !== undefined) return Promise.resolve();
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<void> {
    try {
      this.id = await this.#upstream.runId();
    } catch {
      // it is asked again before the next scan
    }
  }
}
