import type { Clock } from "#kit/base/clock";
import { startTimer } from "../timing/timer.ts";
import type { ScriptLoader } from "../upstream/script-loader.ts";

/** What brings scripts to a new primary. */
export interface ScriptSteps {
  /** Resolves when the scripts that this proxy knows are there; false when that failed. */
  readonly loaded: Promise<boolean>;
  /** Brings the scripts that other proxies had learnt when clients were held; false when it is to be tried again. */
  readonly bringRest: () => Promise<boolean>;
  /** The engine is the primary still. */
  readonly isPrimary: () => boolean;
}

/** The time in which a new primary may lack a script that some proxy knows: NOSCRIPT proves nothing until it is over. */
export class ScriptArrival {
  readonly #clock: Clock;
  readonly #scripts: Pick<ScriptLoader, "has">;
  readonly #steps: ScriptSteps;
  #step: Promise<void>;
  #isOver = false;

  constructor(clock: Clock, scripts: Pick<ScriptLoader, "has">, steps: ScriptSteps) {
    this.#clock = clock;
    this.#scripts = scripts;
    this.#steps = steps;
    const late = Promise.withResolvers<false>();
    const cancel = startTimer(clock, ARRIVAL_MS, () => {
      late.resolve(false);
    });
    this.#step = Promise.race([steps.loaded, late.promise]).then((isLoaded) => {
      this.#step = Promise.race([this.#bringRest(isLoaded), late.promise]).then(() => {
        this.#isOver = true;
        cancel();
      });
    });
  }

  /** The wait after which the engine is asked again, until its NOSCRIPT of this digest is the truth; undefined when no wait is needed. */
  awaits(sha: string): Promise<void> | undefined {
    return this.#isOver || this.#scripts.has(sha) ? undefined : this.#step;
  }

  async #bringRest(isLoaded: boolean): Promise<void> {
    const { bringRest, isPrimary } = this.#steps;
    let pauses = isLoaded ? 0 : 1;
    while (!this.#isOver && isPrimary()) {
      if (pauses++ > 0) await this.#clock.sleep(PAUSE_MS);
      if (await bringRest()) return;
    }
  }
}

/** How long clients wait for a script that may be none: a proxy that knows it may be away with its node. */
const ARRIVAL_MS = 3_000;
const PAUSE_MS = 100;
