import type { Operation } from "../../../src/core/merge/operation.ts";
import { EngineSite } from "../../../src/mechanisms/site/engine-site.ts";
import { systemClock } from "../../../src/mechanisms/reconcile/system-clock.ts";
import { engineNames, startEngine, type TestEngine } from "../engines/engine.ts";
import { startAll } from "../engines/start-all.ts";

/** Three sites, each with a real engine of another version where the machine has them, and links with a latency. */
export interface EngineSites extends AsyncDisposable {
  readonly engines: readonly TestEngine[];
  readonly sites: readonly EngineSite[];
  /** Keeps back what that site sends and what is sent to it, until `heal`. */
  cut(site: number): void;
  heal(): void;
  /** Why a site has ended; undefined: none has. */
  failure(): unknown;
}

const SITES = [1, 2, 3];
const LATENCY_MS = 20;
const ENGINE_ARGS = ["--repl-diskless-sync-delay", "0", "--save", ""];

/** Starts them, all empty. */
export async function startEngineSites(): Promise<EngineSites> {
  await using stack = new AsyncDisposableStack();
  const names = engineNames();
  const engines = await startAll(
    ...SITES.map((id) => startEngine({ engine: names[id % names.length], args: ENGINE_ARGS })),
  );
  for (const engine of engines) stack.use(engine);
  const stopping = stack.adopt(new AbortController(), (controller) => controller.abort());
  const sites: EngineSite[] = [];
  const links = new Links((to, operation) => sites[to - 1]?.received(operation));
  let failure: unknown;
  for (const [index, { host, port }] of engines.entries()) {
    const id = index + 1;
    const send = (operation: Operation): void => links.send(id, operation);
    const options = { id, sites: SITES, engine: { host, port }, clock: systemClock, send, signal: stopping.signal };
    const { site, ended } = await EngineSite.start(options);
    ended.catch((error: unknown) => (failure ??= error));
    sites.push(site);
  }
  const owned = stack.move();
  return {
    ...{ engines, sites, failure: () => failure, cut: (site) => links.cut(site), heal: () => links.heal() },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

interface Message {
  readonly from: number;
  readonly to: number;
  readonly operation: Operation;
}

class Links {
  readonly #arrive: (to: number, operation: Operation) => void;
  #away: number | undefined;
  #kept: Message[] = [];

  constructor(arrive: (to: number, operation: Operation) => void) {
    this.#arrive = arrive;
  }

  send(from: number, operation: Operation): void {
    for (const to of SITES) if (to !== from) this.#deliver({ from, to, operation });
  }

  cut(site: number): void {
    this.#away = site;
  }

  heal(): void {
    this.#away = undefined;
    for (const message of this.#kept.splice(0)) this.#deliver(message);
  }

  #deliver(message: Message): void {
    const { from, to, operation } = message;
    if (this.#away === from || this.#away === to) this.#kept.push(message);
    else setTimeout(() => this.#arrive(to, operation), LATENCY_MS);
  }
}
