import type { Upstream } from "../upstream/upstream.ts";
import { hasFailed, mayHideRefusal, wasRefused } from "./pending-request.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { PinnedEndpoint, PinnedParts } from "./pinned-parts.ts";
import { onlyRoute, type Routes } from "../upstream/only-route.ts";

/** The engine that has answered, as far as its role and its scripts explain the answer. */
export type AnsweringEngine = Pick<Upstream, "refuses" | "leads" | "busy">;

/** The parts of the session whose request was answered. */
export interface JudgedParts {
  readonly life: Pick<PinnedParts["life"], "cut">;
  readonly endpoint: Pick<PinnedEndpoint, "clock"> & {
    readonly routes: Routes<Pick<PrimaryView, "upstream" | "doubtful">>;
  };
}

/** Takes the frames that arrived while the engine was asked, in order. */
export type TakeFrame = (frame: Buffer) => void;

/** A reply that only the engine's role can explain, and what arrives behind it until the role is known. */
export class RoleCheck {
  readonly #take: TakeFrame;
  #kept: Buffer[] | undefined;
  #decide: ((refuses: boolean) => void) | undefined;

  constructor(take: TakeFrame) {
    this.#take = take;
  }

  /** The engine has not said yet what it is. */
  get asking(): boolean {
    return this.#decide !== undefined;
  }

  /** Keeps a frame that arrives while the engine is asked; false when it is not. */
  keeps(frame: Buffer): boolean {
    this.#kept?.push(frame);
    return this.#kept !== undefined;
  }

  /** Asks; `decide` is called once, with true when the engine refuses requests. */
  begin(engine: Pick<Upstream, "refuses">, decide: (refuses: boolean) => void): void {
    this.#kept = [];
    this.#decide = decide;
    void engine.refuses().then((answer) => {
      if (this.#decide === decide) this.#end(answer);
    });
  }

  /** Calls `decide` once: with what the answer shows, else with what the engine's role proves. Without a proof the client is cut. */
  settle(
    pending: PendingRequest,
    answer: Buffer,
    engine: AnsweringEngine,
    parts: JudgedParts,
    decide: (refused: boolean) => void,
  ): void {
    const { clock } = parts.endpoint;
    const primary = onlyRoute(parts.endpoint);
    const judge = (): boolean | undefined => wasRefused(pending, answer, engine.busy, clock.uptimeMs());
    const refused = judge();
    // a script that has ended meanwhile answers no more: what it has kept from others is known from their replies, which came before this answer
    if (refused === undefined)
      this.begin({ refuses: async () => (await engine.refuses()) || judge() === true }, decide);
    else if (refused || hasFailed(pending, answer) || !mayHideRefusal(pending, primary, engine)) decide(refused);
    else
      this.begin({ refuses: () => engine.leads() }, (leads) => {
        if (leads) decide(false);
        else parts.life.cut("a script was answered by an engine that may have been no primary any more");
      });
  }

  /** The engine is gone: what it has replied counts as it is. */
  abandon(): void {
    while (this.asking) this.#end(false);
  }

  #end(refuses: boolean): void {
    const [decide, kept = []] = [this.#decide, this.#kept];
    this.#decide = undefined;
    this.#kept = undefined;
    decide?.(refuses);
    for (const frame of kept) this.#take(frame);
  }
}
