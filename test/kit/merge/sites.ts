import { decodeOperation } from "../../../src/core/merge/operations/operation-codec.ts";
import { encodeSaved } from "../../../src/core/merge/saved/saved-site.ts";
import type { SiteLimits } from "../../../src/core/merge/site-options.ts";
import { decodeSummary } from "../../../src/core/merge/summary/summary.ts";
import { captureCommands, captureEffects, captureExpired, captureRead } from "./captures.ts";
import { Exchange } from "./exchange.ts";
import { ModelLinks } from "./model-links.ts";
import { applyAt, applyLater, isLinked, loseAll, newPlace, runAll, suspect, takesPart, type Place } from "./place.ts";
import { takeRest } from "./power.ts";
import { positionOf } from "./processes.ts";
import { Restarts } from "./restarts.ts";
import { decideOver, findOver, readKeptAlive, removeOver, watch } from "./over.ts";
import { entryOf } from "./reads.ts";
import { Transfers } from "./transfers.ts";

/** Sites with engines and links of which each step is one call, so that a schedule decides about every order. */
export class Sites {
  readonly places: Place[] = [];
  /** The sites as users have them. */
  #ids: readonly number[];
  readonly #skewOf: (site: number) => number;
  readonly #links = new ModelLinks();
  readonly #limits: SiteLimits;
  /** Keys that a site has written again because they live longer there than at another site. */
  readonly keptAlive = new Set<string>();
  readonly exchange = new Exchange(this.#links, this.places);
  readonly #transfers = new Transfers(this.#links, this.places);
  readonly #restarts = new Restarts(this.#links, this.places, (place) => this.#break(place));
  #now = 1_000_000;

  constructor(count: number, skewOf: (site: number) => number, keptBytes: number, earlyBytes = Infinity) {
    this.#limits = { keptBytes, earlyBytes, partKeys: 1 };
    this.#ids = Array.from({ length: count }, (_, index) => index + 1);
    this.#skewOf = skewOf;
    for (const id of this.#ids) this.#add(id, "open");
  }

  get links(): readonly string[] {
    return this.#links.names;
  }

  /** A command of a client, or several at once; true when one changed something. */
  write(place: Place | undefined, ...commands: readonly (readonly string[])[]): boolean {
    this.#now += 1;
    if (place?.state === "joined" && place.site.isAwaited) place.state = "open";
    if (place?.state !== "open") return false;
    const done = runAll(place, commands);
    if (done.length > 0) place.stream.push({ kind: "commands", commands: done });
    return done.some((command) => commands.includes(command));
  }

  /** The engine removes the keys whose time has come, each for itself. */
  expire(place: Place | undefined): boolean {
    if (place === undefined) return false;
    const done = place.engine.lapsed.flatMap((key) => place.engine.expire(key));
    for (const command of done) place.stream.push({ kind: "commands", commands: [command] });
    return done.length > 0;
  }

  /** The engine does what the site asked for first. */
  work(place: Place | undefined): boolean {
    const next = place?.isBeginning === true ? undefined : place?.work.shift();
    if (place === undefined || next === undefined) return false;
    const { engine, stream, stored } = place;
    // what is asked for is not there any more when its time has come
    const commands = "key" in next ? engine.expire(next.key) : [];
    if (commands.length > 0) stream.push({ kind: "mark", mark: "", commands });
    switch (next.kind) {
      case "read":
      case "look":
      case "members":
        stream.push(entryOf(place, next));
        break;
      case "watch":
        watch(place, next.key);
        break;
      case "give":
        stream.push({ ...next, effects: engine.effectsOf(next.key) });
        break;
      case "given":
        this.#break(this.#transfers.given(next.transfer));
        break;
      case "apply":
        applyAt(place, next.apply);
        break;
      case "over":
        removeOver(place, next.over, next.version);
        break;
      case "log":
        for (const { dot, bytes } of next.operations) {
          stored.log.push({ kind: "captured", bytes, position: next.position });
          if (dot.origin === place.origin) place.site.kept.confirm(dot.seq);
          this.#links.send(place.id, bytes);
        }
        break;
      case "summarize":
      case "summarized":
        this.exchange.give(place, next);
        break;
      case "save":
        stored.saved = next;
        stored.log = [];
        break;
    }
    return true;
  }

  /** The site reads the next entry of its engine's stream. */
  capture(place: Place | undefined): boolean {
    if (place === undefined || place.state === "gone" || place.isBeginning) return false;
    if (place.catchUp !== undefined && place.at >= place.catchUp) {
      place.catchUp = undefined;
      applyLater(place, place.site.repairAll());
      takeRest(place);
      return true;
    }
    const entry = place.stream[place.at];
    if (entry === undefined) return false;
    place.at += 1;
    const now = this.#now + place.skew;
    switch (entry.kind) {
      case "mark":
        for (const command of entry.commands) place.scores.pass(command);
        captureExpired(place, entry.commands, now);
        suspect(place, place.lost.pass(entry.commands, entry.mark));
        findOver(place, entry.mark);
        applyLater(place, place.site.applied(entry.mark));
        break;
      case "looked":
        if (entry.life === place.life && place.suspects.delete(entry.key) && place.lost.isLost(entry.key, entry))
          captureEffects(place, [{ kind: "emptied", key: entry.key }], now);
        break;
      case "watched":
        if (entry.life === place.life) decideOver(place, entry.key, entry.version, now);
        break;
      case "give":
        if (entry.life === place.life) this.#transfers.give(place, entry);
        break;
      case "read":
        captureRead(place, entry, now);
        break;
      case "members":
        if (entry.life === place.life) place.scores.learn(entry.key, entry.effects);
        break;
      case "commands":
        captureCommands(place, entry.commands, now);
        break;
    }
    return true;
  }

  /** The next operation of a link arrives; `again`: once more later. */
  deliver(link: string, again = false): boolean {
    const [from, place] = this.exchange.ends(link);
    if (this.#links.isCut(link) || place?.isBeginning === true) return false;
    // what a site has sent before its power has gone arrives
    if (from?.isBeginning !== true && this.#links.mend(link)) this.exchange.resend(link);
    const next = this.#links.take(link, true);
    if (next instanceof Uint8Array && place !== undefined && readKeptAlive(place, next, this.keptAlive)) return true;
    const message = this.#links.take(link, again);
    if (message === undefined) return false;
    if (from === undefined || place?.sites.includes(from.id) !== true || !takesPart(place)) return true;
    // until the site has read what its disk has, it takes nothing
    if (place.regained !== undefined && place.catchUp !== undefined) return this.#links.again(link);
    if (message instanceof Uint8Array) {
      const applies = place.site.receive(decodeOperation(message), from.origin);
      if (applies === undefined) return this.#links.again(link); // what it follows comes over another one
      applyLater(place, applies);
    } else applyLater(place, place.site.receiveSummary(message.map(decodeSummary), from.origin));
    return true;
  }

  /** Links lose nothing while they are cut: what is sent comes later. */
  cut(link: string, isCut: boolean): void {
    this.#links.cut(link, isCut);
  }

  /** A site says what it has seen and received, and forgets what all have. */
  beat(place: Place | undefined): void {
    if (!isLinked(place)) return;
    captureEffects(place, [], this.#now + place.skew);
    this.exchange.tell(place);
    place.site.forgetAgreed();
  }

  /** The site writes down all that it knows, so that its log begins anew. */
  save(place: Place | undefined): void {
    if (!isLinked(place)) return;
    place.work.push({ kind: "save", bytes: encodeSaved(place.site.save()), position: positionOf(place) });
  }

  /** The process of the site ends with all that it had in memory, and with what was on its way; another one takes its place. */
  crash(place: Place | undefined): void {
    if (isLinked(place)) this.#restarts.crash(place);
  }

  /** The power of sites goes at once, and with it what is not on their disks; each of them has to begin then. */
  losePower(places: readonly Place[]): void {
    this.#restarts.losePower(places);
  }

  /** A site whose power has gone asks the others, and takes part again; false while it does not reach each of them. `late`: those that do not answer in time. */
  begin(place: Place, late: readonly Place[] = []): boolean {
    return this.#restarts.begin(place, late);
  }

  /** A site comes, with nothing in its engine. */
  join(): void {
    const id = this.places.length + 1;
    this.#ids = [...this.#ids, id];
    this.#add(id, "new");
  }

  /** A site is removed, with what no other one has of it. */
  leave(place: Place | undefined): void {
    if (place?.state !== "open" || this.places.filter(({ state }) => state === "open").length < 3) return;
    place.state = "gone";
    place.work = [];
    this.#ids = this.#ids.filter((id) => id !== place.id);
    this.#transfers.end(place);
  }

  /** A site loses everything, with its engine; what no other site has of it is gone. False when no other site has anything. */
  lose(place: Place | undefined): boolean {
    if (!takesPart(place) || !this.places.some((other) => other !== place && takesPart(other))) return false;
    loseAll(place);
    this.#break(place);
    return true;
  }

  /** A site hears which sites there are. */
  configure(place: Place | undefined): void {
    if (place === undefined || place.state === "gone") return;
    place.sites = this.#ids;
    place.site.participants.change(place.sites);
  }

  /** The site looks at the members of a sorted set. */
  lookAtMembers(place: Place | undefined, key: string): void {
    if (takesPart(place)) place.work.push({ kind: "members", key });
  }

  /** A site that has nothing asks another one for all keys. */
  transfer(place: Place | undefined, from: Place | undefined): void {
    this.#transfers.begin(place, from);
  }

  /** Heals every link and lets everything arrive. */
  settle(): void {
    this.#links.heal();
    for (const place of this.places) this.expire(place);
    for (const place of this.places) this.configure(place);
    for (const place of this.places) if (place.isBeginning) this.begin(place);
    for (let isMoving = true; isMoving;) {
      const isWaiting = (): boolean => this.links.filter((link) => this.deliver(link)).length > 0;
      isMoving = isWaiting();
      for (const place of this.places) {
        for (const from of this.places) this.transfer(place, from);
        while (this.work(place)) isMoving = true;
        while (this.capture(place)) isMoving = true;
      }
      if (isMoving) continue;
      for (const link of this.links) this.exchange.resend(link);
      for (const place of this.places) while (this.work(place)) isMoving = true;
      isMoving = isWaiting() || isMoving;
    }
  }

  #add(id: number, state: Place["state"]): void {
    for (const { id: other } of this.places) this.#links.add(id, other);
    this.places.push(newPlace({ id, skew: this.#skewOf(id), limits: this.#limits }, this.#ids, state));
  }

  /** Nothing comes over the links of a place any more before their ends have said what they have. */
  #break(place: Place | undefined): void {
    if (place === undefined) return;
    this.#links.break(place.id);
    this.#transfers.end(place);
  }
}
