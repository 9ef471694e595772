import type { SessionParts } from "../client/session-parts.ts";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { bulkReply, errorReply, replies } from "../protocol/replies.ts";
import { keyword } from "../protocol/arguments.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";

/** Where a client wants to be sent: to what it knows already, or to the database's Service by name. One of a cluster wants to know which node has which slots. */
type MovingEndpoint = "none" | "internal-fqdn" | "slots";

/** The parts of a session that are needed to ask its client to move. */
type MovedParts = Pick<SessionParts, "output" | "life" | "work"> & {
  readonly identity: Pick<SessionParts["identity"], "ofCluster" | "settings">;
  readonly endpoint: { readonly place: { readonly service: Address } };
  readonly pinned: { readonly current: { withdraw(): void } | undefined };
  readonly uploads: { readonly current: unknown };
  /** Other clients may redirect to the connection. */
  readonly invalidations: { readonly isTarget: boolean };
};

/** A client has `seconds` to leave; `number` differs from that of any other drain. */
export interface MoveNotice {
  readonly number: number;
  readonly seconds: number;
}

/** CLIENT MAINT_NOTIFICATIONS of one client: it is asked to connect elsewhere before its node drains it, or one of a cluster gets the slots that have moved. */
export class Moving {
  readonly #parts: MovedParts;
  #wants: MovingEndpoint | undefined;
  /** The connection has state that another one would lack without the library noticing. */
  #isBound = false;
  #isAsked = false;
  #isWithdrawn = false;
  #due: Buffer | undefined;

  constructor(parts: MovedParts) {
    this.#parts = parts;
  }

  /** The client is about to be asked: no request can be taken before. */
  get isDue(): boolean {
    return this.#due !== undefined;
  }

  /** The command that the client waits for is to end without a reply. */
  get isWithdrawn(): boolean {
    return this.#isWithdrawn;
  }

  /** Takes back the command that the client waits for and that changes nothing: its library sends it again elsewhere. */
  withdraw(): void {
    this.#isWithdrawn = true;
    this.#parts.pinned.current?.withdraw();
  }

  /** CLIENT MAINT_NOTIFICATIONS; the reply. */
  handle(args: readonly Buffer[], protocol: number): Buffer {
    const asked = readNotices(args);
    if (asked === undefined) return replies.syntax;
    if (asked === "off") {
      this.#wants = undefined;
      return replies.ok;
    }
    if (protocol < 3) return NEEDS_RESP3;
    const wanted = this.#wanted(asked.type);
    if (wanted === undefined) return UNKNOWN_ADDRESS;
    this.#wants = wanted;
    return replies.ok;
  }

  /** False for a request that would leave state on the connection while the client is on its way to another one. */
  admits({ name, commandClass }: CommandEntry): boolean {
    if (this.#wants === undefined || this.#wants === "slots" || !(BINDING.has(name) || BINDING.has(commandClass)))
      return true;
    this.#isBound = true;
    return !this.#isAsked;
  }

  /** Asks the client to move, as soon as it waits for no reply; false when it does not want that, or cannot. */
  ask({ number, seconds }: MoveNotice): boolean {
    const { endpoint, pinned, uploads, invalidations, life } = this.#parts;
    const isBound =
      this.#isBound || invalidations.isTarget || pinned.current !== undefined || uploads.current !== undefined;
    const wantsToMove = this.#wants !== undefined && this.#wants !== "slots";
    if (!wantsToMove || this.#isAsked || isBound || !life.takesRequests) return false;
    this.#isAsked = true;
    const { host, port } = endpoint.place.service;
    const place = this.#wants === "none" ? undefined : Buffer.from(`${host}:${port}`);
    this.#due = Buffer.concat([
      Buffer.from(`>4\r\n$6\r\nMOVING\r\n:${number}\r\n:${seconds}\r\n`),
      bulkReply(place, 3),
    ]);
    this.settled();
    return true;
  }

  /** Sends a client of a cluster what it is to know of slots, in RESP3, as soon as it waits for no reply. One that listens or is in a transaction gets MOVED when it needs it. */
  notify(push: Buffer): void {
    const { identity, pinned, uploads, life } = this.#parts;
    if (this.#wants !== "slots" || identity.settings.protocol !== 3) return;
    if (pinned.current !== undefined || uploads.current !== undefined || !life.takesRequests) return;
    this.#due = this.#due === undefined ? push : Buffer.concat([this.#due, push]);
    this.settled();
  }

  /** Replies have arrived. */
  settled(): void {
    if (this.#due === undefined || this.#parts.work.hasPending) return;
    this.#parts.output.push(this.#due);
    this.#due = undefined;
  }

  /** What a client wants that asks with this type of address; undefined when it cannot be given. One of a cluster is sent nowhere, whatever it says. */
  #wanted(type: string): MovingEndpoint | undefined {
    if (this.#parts.identity.ofCluster !== undefined) return ADDRESS_TYPES.has(type) ? "slots" : undefined;
    return type === "none" || type === "internal-fqdn" ? type : undefined;
  }
}

/** Commands and classes of commands. A WATCH counts also when it is over: its client may begin another at any moment. */
const BINDING: ReadonlySet<string> = new Set([
  "WATCH",
  "SELECT",
  "RESET",
  "CLIENT|REPLY",
  "subscription",
  "tracking",
  "monitor",
]);

const ADDRESS_TYPES: ReadonlySet<string> = new Set([
  "none",
  "internal-ip",
  "internal-fqdn",
  "external-ip",
  "external-fqdn",
]);

const NEEDS_RESP3 = errorReply("ERR store: CLIENT MAINT_NOTIFICATIONS needs RESP3: send HELLO 3 first");
const UNKNOWN_ADDRESS = errorReply(
  "ERR store: an endpoint does not know by which address its client reaches it: ask for moving-endpoint-type none or internal-fqdn",
);

/** Which notices a client asks for: none any more, or those with addresses of a type. Undefined: the arguments break the syntax. */
function readNotices([, , mode, option, type, extra]: readonly Buffer[]):
  "off" | { readonly type: string } | undefined {
  if (keyword(mode) === "OFF" && option === undefined) return "off";
  if (keyword(mode) !== "ON" || extra !== undefined) return undefined;
  if (option === undefined) return { type: "none" };
  if (keyword(option) !== "MOVING-ENDPOINT-TYPE" || type === undefined) return undefined;
  return { type: type.toString("latin1").toLowerCase() };
}
