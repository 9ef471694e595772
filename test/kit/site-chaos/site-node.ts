import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linkCanFollow } from "../../../src/mechanisms/site/saved/link-place.ts";
import { until } from "#kit/testing/until";
import { attach, demote, promote } from "../engines/switchover.ts";
import type { LinkProcess } from "../links/link-process.ts";
import type { Followed, Linking } from "../links/linking.ts";
import {
  evictSome,
  hasFollowed,
  losePower,
  restartFromDisk,
  startSiteEngine,
  type KeptEngine,
  type Loss,
} from "./kept-engine.ts";
import type { SitePrimary } from "./site-client.ts";

/** One site: a primary, its replica, and the link that follows the primary. Plays the agents; what happens at a site happens one after the other. */
export class SiteNode implements AsyncDisposable {
  readonly id: number;
  readonly #linking: Linking;
  /** Every engine that was started here, and what they keep on disk. */
  readonly #engines = new AsyncDisposableStack();
  readonly #folder: string;
  #version: string;
  #primary: KeptEngine;
  #replica: KeptEngine;
  #confirmedBy = 1;
  #link: LinkProcess;
  /** Every link that was here, the last one last. */
  readonly #links: LinkProcess[];
  readonly #losses: Loss[] = [];
  #last: Promise<void> = Promise.resolve();

  private constructor(
    id: number,
    linking: Linking,
    folder: Awaited<ReturnType<typeof mkdtempDisposable>>,
    engines: readonly [KeptEngine, KeptEngine],
    link: LinkProcess,
  ) {
    this.id = id;
    this.#engines.use(folder);
    this.#folder = folder.path;
    this.#linking = linking;
    [this.#primary, this.#replica] = engines;
    this.#version = this.#primary.name;
    this.#link = link;
    this.#links = [link];
    for (const engine of engines) this.#engines.use(engine);
  }

  /** With an empty primary of this version. */
  static async start(id: number, version: string, linking: Linking): Promise<SiteNode> {
    const folder = await mkdtempDisposable(join(tmpdir(), "site-"));
    const primary = await startSiteEngine(version, folder.path);
    const link = await linking.open(followed(id, primary, 0));
    const replica = await successorOf(primary, version, folder.path);
    await linking.configure(link, followed(id, primary, 1));
    return new SiteNode(id, linking, folder, [primary, replica], link);
  }

  get primary(): SitePrimary {
    return { engine: this.#primary, confirmedBy: this.#confirmedBy };
  }

  /** What its links have logged, of the killed ones too. */
  get lines(): readonly string[] {
    return this.#links.flatMap(({ lines }) => lines);
  }

  get link(): LinkProcess {
    return this.#link;
  }

  /** The link ends at any moment, and is started again. */
  killLink(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#link.kill();
      await this.#openLink();
    });
  }

  /** The engine ends at any moment, and its replica takes over. */
  killPrimary(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#primary.stop();
      await this.#succeed();
      await this.#configure();
      await this.#join(await successorOf(this.#primary, this.#version, this.#folder));
    });
  }

  /** Link and engine end at once; another node has the replica, and gets a link. */
  killNode(): Promise<void> {
    return this.#inTurn(async () => {
      await Promise.all([this.#link.kill(), this.#primary.stop()]);
      await this.#succeed();
      await this.#openLink();
      await this.#join(await successorOf(this.#primary, this.#version, this.#folder));
    });
  }

  /** The engine ends at any moment, and is started again from its disk; its replica gets all data anew. */
  restart(): Promise<void> {
    return this.#inTurn(async () => {
      this.#primary = this.#engines.use(await restartFromDisk(this.#primary));
      await this.#followsAgain();
    });
  }

  /** As `restart`, with the link, and the disk has lost what was answered in the time before. */
  losePower(lostMs: number): Promise<void> {
    return this.#inTurn(async () => {
      const { engine, loss } = await losePower(this.#primary, lostMs, () => this.#link.kill());
      this.#losses.push(loss);
      this.#primary = this.#engines.use(engine);
      await this.#openLink();
      await this.#followsAgain();
    });
  }

  /** When the disk of a primary has lost writes that were answered. */
  get losses(): readonly Loss[] {
    return this.#losses;
  }

  /** The primary evicts some keys. */
  evict(): Promise<void> {
    return this.#inTurn(() => evictSome(this.#primary));
  }

  /** The replica becomes the primary, and the primary its replica. */
  switchOver(): Promise<void> {
    return this.#inTurn(async () => {
      await linkFollows(this.#primary, this.#replica); // as the product does: after a restart from disk that takes a moment
      await this.#moveTo(this.#replica);
    });
  }

  /** An engine of that version becomes the primary, and another one its replica. */
  upgrade(version: string): Promise<void> {
    return this.#inTurn(async () => {
      const before = this.#primary;
      await this.#replaceReplica(await successorOf(before, version, this.#folder));
      await this.#moveTo(this.#replica);
      this.#version = version;
      await this.#replaceReplica(await successorOf(this.#primary, version, this.#folder));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last.catch(() => undefined); // who asked for it has the failure
    await this.#link.kill();
    await this.#engines.disposeAsync();
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    const next = this.#last.then(act);
    this.#last = next;
    return next;
  }

  /** The replica has the stream of an engine that was started again, and a link finds its place in that. */
  async #followsAgain(): Promise<void> {
    await hasFollowed(this.#replica, this.#primary);
    // one more crash before that makes the site compare itself, which can lose a member: docs/active-active.md
    await linkFollows(this.#primary, this.#replica);
  }

  async #moveTo(next: KeptEngine): Promise<void> {
    const before = this.#primary;
    await promote(before, next);
    this.#primary = next;
    await (next.name === before.name ? demote : attach)(before, next);
    await this.#configure();
    this.#replica = before;
  }

  /** The next one has what was acknowledged because the former one had it. */
  async #replaceReplica(next: KeptEngine): Promise<void> {
    this.#engines.use(next);
    await this.#replica.stop();
    this.#replica = next;
    await this.#replicaHasAll();
  }

  async #succeed(): Promise<void> {
    this.#confirmedBy = 0;
    await this.#replica.call("REPLICAOF", "NO", "ONE");
    this.#primary = this.#replica;
  }

  /** From now on it has to have what is acknowledged. */
  async #join(replica: KeptEngine): Promise<void> {
    this.#engines.use(replica);
    this.#replica = replica;
    this.#confirmedBy = 1;
    await this.#configure();
    await this.#replicaHasAll();
  }

  /** All that was acknowledged before it had to be at the replica is there: the next act may take the primary. */
  async #replicaHasAll(): Promise<void> {
    const { offset } = await this.#primary.replication();
    await until("the replica has every write", async () => (await this.#replica.replication()).offset >= offset);
  }

  get #followed(): Followed {
    return followed(this.id, this.#primary, this.#confirmedBy);
  }

  #configure(): Promise<void> {
    return this.#linking.configure(this.#link, this.#followed);
  }

  async #openLink(): Promise<void> {
    this.#link = await this.#linking.open(this.#followed);
    this.#links.push(this.#link);
  }
}

function followed(id: number, engine: KeptEngine, confirmedBy: number): Followed {
  return { id, engine, confirmedBy, awaitsSites: false, appendOnlyFolder: join(engine.folder, "appendonlydir") };
}

/** One that may take over: it has all data, and what of the stream the link has not captured yet. */
async function successorOf(primary: KeptEngine, version: string, folder: string): Promise<KeptEngine> {
  const replica = await startSiteEngine(version, folder);
  await replica.follow(primary);
  await linkFollows(primary, replica);
  return replica;
}

/** Resolves when a link would find at the replica what of the stream it has not captured yet. */
async function linkFollows(primary: KeptEngine, replica: KeptEngine): Promise<void> {
  const clients = await Promise.all([primary.connect(), replica.connect()]);
  try {
    if (!(await linkCanFollow(...clients, LINK_MS)))
      throw new Error(`the link of ${primary.name} does not say how far it is`);
  } finally {
    for (const client of clients) client.close();
  }
}

const LINK_MS = 60_000;
