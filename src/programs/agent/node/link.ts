import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import type { LinkCommand, LinkedDatabaseStatus, LinkReply } from "../../../ports/management/link-control.ts";
import { faults } from "../faults.ts";
import { keepChild, type KeptChild } from "./kept-child.ts";

export interface NodeLinkOptions {
  /** Arguments for this Node.js: the program that runs a link. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: Log;
  /** A link has started and serves nothing yet: call `apply`. */
  readonly onReady: () => void;
}

/** What a link serves. */
export type LinkConfiguration = Omit<Extract<LinkCommand, { readonly op: "configure" }>, "op">;

/** An answer of the link counts for so long, in milliseconds. */
const STATUS_COUNTS_MS = 1_000;

/** The link of this node to other sites: one process, which runs only while there is a database to link. */
export class NodeLink {
  readonly #options: NodeLinkOptions;
  #child: KeptChild<LinkCommand, LinkReply> | undefined;
  #configured = "";
  #used: LinkConfiguration | undefined;
  #status: { readonly at: number; readonly databases: Promise<readonly LinkedDatabaseStatus[]> } | undefined;

  constructor(options: NodeLinkOptions) {
    this.#options = options;
  }

  /** Brings the link to exactly this; undefined ends it. Idempotent: sends nothing when the link has it already. */
  async apply(configuration: LinkConfiguration | undefined): Promise<void> {
    if (configuration === undefined) return this.stop();
    this.#child ??= this.#start();
    if (!this.#child.ready()) return; // onReady asks for it again
    const wanted = JSON.stringify(configuration);
    if (wanted === this.#configured) return;
    const reply = await this.#child.send({ op: "configure", ...configuration });
    if (!reply.ok) throw new Fault(faults.linkRefused, `configure: ${reply.message}`, { code: reply.code });
    this.#configured = wanted;
    this.#used = configuration;
    this.#status = undefined; // it was about the former one
  }

  /** What it serves now; undefined before it was configured. */
  used(): LinkConfiguration | undefined {
    return this.#used;
  }

  /** How it serves the databases whose primary is on this node, at most a second old; empty while it does not run. */
  status(): Promise<readonly LinkedDatabaseStatus[]> {
    const now = this.#options.clock.uptimeMs();
    if (this.#status === undefined || now - this.#status.at >= STATUS_COUNTS_MS)
      this.#status = { at: now, databases: this.#ask() };
    return this.#status.databases;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.#forget();
    await child?.stop();
  }

  #start(): KeptChild<LinkCommand, LinkReply> {
    const { onReady, ...options } = this.#options;
    return keepChild({
      ...options,
      what: "link",
      gone: faults.linkGone,
      onReady: () => {
        this.#forget();
        onReady();
      },
    });
  }

  async #ask(): Promise<readonly LinkedDatabaseStatus[]> {
    if (this.#child?.ready() !== true) return [];
    try {
      const reply = await this.#child.send({ op: "status" });
      return reply.ok && reply.op === "status" ? reply.databases : [];
    } catch (error) {
      // it ended meanwhile
      if (!(error instanceof Fault)) throw error;
      return [];
    }
  }

  #forget(): void {
    this.#configured = "";
    this.#used = undefined;
    this.#status = undefined;
  }
}
