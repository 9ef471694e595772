import { capturedEffects } from "../../../src/core/merge/captured-effects.ts";
import type { Effect, Operation } from "../../../src/core/merge/operation.ts";
import { Site, type Apply } from "../../../src/core/merge/site.ts";
import { ModelEngine } from "./model-engine.ts";

/** What an engine did: a command of a client, a transaction of the site, or a read at a point of the stream. */
type Entry =
  | { readonly kind: "command"; readonly command: readonly string[] }
  | { readonly kind: "mark"; readonly mark: string }
  | { readonly kind: "read"; readonly key: string; readonly effects: readonly Effect[] };

type Work = { readonly kind: "apply"; readonly apply: Apply } | { readonly kind: "read"; readonly key: string };

interface Place {
  readonly site: Site;
  readonly engine: ModelEngine;
  /** What the site has not read of its engine's stream yet. */
  readonly stream: Entry[];
  /** What the engine has not been asked for yet. */
  readonly work: Work[];
  /** Difference of the clock of the site, in milliseconds. */
  readonly skew: number;
}

/** Sites with engines and links of which each step is one call, so that a schedule decides about every order. */
export class Sites {
  readonly places: readonly Place[];
  /** Operations on their way, by "from>to". */
  readonly #links = new Map<string, Operation[]>();
  readonly #cut = new Set<string>();
  #now = 1_000_000;

  constructor(count: number, skewOf: (site: number) => number) {
    const ids = Array.from({ length: count }, (_, index) => index + 1);
    this.places = ids.map((id) => ({
      ...{ site: new Site(id, ids), engine: new ModelEngine(), stream: [], work: [], skew: skewOf(id) },
    }));
    for (const from of ids) for (const to of ids) if (from !== to) this.#links.set(`${from}>${to}`, []);
  }

  get links(): readonly string[] {
    return [...this.#links.keys()];
  }

  /** A command of a client; true when it changed something. */
  write(place: Place | undefined, command: readonly string[]): boolean {
    this.#now += 1;
    if (place === undefined) return false;
    const changed = place.engine.run(command);
    if (changed) place.stream.push({ kind: "command", command });
    return changed;
  }

  /** The engine does what the site asked for first. */
  work(place: Place | undefined): boolean {
    const next = place?.work.shift();
    if (place === undefined || next === undefined) return false;
    const { engine, stream } = place;
    if (next.kind === "read") {
      stream.push({ kind: "read", key: next.key, effects: readEffects(engine, next.key) });
      return true;
    }
    for (const command of next.apply.commands) engine.run(command);
    stream.push({ kind: "mark", mark: next.apply.mark });
    return true;
  }

  /** The site reads the next entry of its engine's stream. */
  capture(place: Place | undefined): boolean {
    const entry = place?.stream.shift();
    if (place === undefined || entry === undefined) return false;
    switch (entry.kind) {
      case "mark":
        this.#apply(place, place.site.applied(entry.mark));
        break;
      case "read":
        this.#capture(place, entry.effects);
        break;
      case "command": {
        const captured = capturedEffects(entry.command);
        if (captured === undefined) throw new Error(`no rule for ${entry.command.join(" ")}`);
        if (captured.effects.length > 0) this.#capture(place, captured.effects);
        place.work.push(...captured.read.map((key): Work => ({ kind: "read", key })));
        break;
      }
    }
    return true;
  }

  /** The next operation of a link arrives; `again`: it will come once more. */
  deliver(link: string, again = false): boolean {
    const queue = this.#links.get(link) ?? [];
    if (this.#cut.has(link) || queue.length === 0) return false;
    const operation = again ? queue[0] : queue.shift();
    const place = this.places[Number(link.split(">")[1]) - 1];
    if (operation !== undefined && place !== undefined) this.#apply(place, place.site.received(operation));
    return true;
  }

  /** Links lose nothing while they are cut: what is sent comes later. */
  cut(link: string, isCut: boolean): void {
    if (isCut) this.#cut.add(link);
    else this.#cut.delete(link);
  }

  /** Every site says what it has seen, and forgets what all have. */
  beat(place: Place | undefined): void {
    if (place === undefined) return;
    this.#capture(place, []);
    place.site.forgetAgreed();
  }

  /** Heals every link and lets everything arrive. */
  settle(): void {
    this.#cut.clear();
    for (let isMoving = true; isMoving;) {
      isMoving = this.links.map((link) => this.deliver(link)).includes(true);
      for (const place of this.places) {
        while (this.work(place)) isMoving = true;
        while (this.capture(place)) isMoving = true;
      }
    }
  }

  #capture(place: Place, effects: readonly Effect[]): void {
    const operation = place.site.captured(effects, this.#now + place.skew);
    for (const [link, queue] of this.#links) if (link.startsWith(`${place.site.id}>`)) queue.push(operation);
  }

  #apply(place: Place, applies: readonly Apply[]): void {
    place.work.push(...applies.map((apply): Work => ({ kind: "apply", apply })));
  }
}

function readEffects(engine: ModelEngine, key: string): readonly Effect[] {
  const clear: Effect = { kind: "clear", key };
  const [type, value] = [engine.typeOf(key), engine.read(key)];
  if (value === undefined || (type !== "string" && type !== "list")) return type === undefined ? [clear] : [];
  return [clear, { kind: "put", type, key, element: "", value }];
}
