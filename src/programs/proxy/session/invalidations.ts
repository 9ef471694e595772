import { Fault } from "#kit/base/fault";
import type { SessionParts } from "../client/session-parts.ts";
import { faults } from "../faults.ts";
import { PUSHING } from "../pinned/receiver.ts";
import type { ReceiverOutcome, ReceiverQuestion } from "../pinned/receiver.ts";
import { startTimer } from "../timing/timer.ts";
import type { Pin, PinUser } from "../upstream/pin.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { AskingSession } from "./database-clients.ts";
import { countsOf } from "./listed-client.ts";
import { receiverOf } from "./redirect-target.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";
import { onlyRoute } from "../upstream/only-route.ts";

/** The parts of a session that are needed to give its client the invalidations of others. */
export interface InvalidatedParts extends Omit<AskingSession, "life" | "output"> {
  readonly endpoint: AskingSession["endpoint"] & Pick<SessionEndpoint, "routes" | "counters" | "mayPin">;
  readonly output: AskingSession["output"] & SessionParts["output"];
  readonly life: AskingSession["life"] & SessionParts["life"];
  /** Replies that may arrive in parts. */
  readonly shared: { readonly hasPending: boolean };
}

/** A connection to the engine that takes invalidations. */
interface Receiver {
  readonly upstream: Upstream;
  readonly pin: Promise<Pin>;
}

/**
 * The invalidations that other clients redirect to this one by CLIENT TRACKING: the engine sends them to a connection of the proxy, and the
 * client gets them in the form of its protocol, as from an engine. A client of the old protocol gets them while it subscribes to anything.
 */
export class Invalidations implements PinUser {
  readonly #parts: InvalidatedParts;
  #receiver: Receiver | undefined;
  #pin: Pin | undefined;
  #isClosed = false;
  /** Messages that wait until no reply is on its way in parts; nothing more is read from the engine meanwhile. */
  readonly #due: Buffer[] = [];

  constructor(parts: InvalidatedParts) {
    this.#parts = parts;
  }

  /** The client is about to be sent invalidations: no request can be taken before. */
  get isDue(): boolean {
    return this.#due.length > 0;
  }

  /** Others redirect to the client. */
  get isTarget(): boolean {
    return this.#receiver !== undefined;
  }

  /**
   * The CLIENT ID of the connection at the primary, whose run is `engine`; 0 when the client is gone. `isMoved`: nothing that the client has
   * is valid. PROXY_RECEIVER_NOT_READY when this proxy is not at that engine yet.
   */
  async open(engine: string, isMoved: boolean): Promise<number> {
    const { endpoint } = this.#parts;
    const { upstream } = onlyRoute(endpoint);
    if (upstream === undefined || (await upstream.runId()) !== engine)
      throw notReady("the proxy of that client is at another engine");
    if (this.#isEnded) return 0;
    if (this.#receiver?.upstream !== upstream) {
      this.#drop();
      if (!endpoint.mayPin) throw notReady("too many clients have a session of their own at its endpoint");
      endpoint.counters.pins++;
      this.#receiver = { upstream, pin: this.#dial(upstream) };
    }
    const { id } = await this.#receiver.pin;
    if (this.#isEnded) return 0;
    if (isMoved) this.#deliver(NULL);
    return id;
  }

  find(question: ReceiverQuestion): Promise<ReceiverOutcome> {
    return receiverOf(this.#parts, question);
  }

  frame(frame: Buffer): void {
    if (frame.subarray(0, INVALIDATE.length).equals(INVALIDATE)) this.#deliver(frame.subarray(INVALIDATE.length));
  }

  /** The engine has ended the connection: what it tracks reaches the client no more. */
  closed(): void {
    const receiver = this.#receiver;
    this.#forget();
    this.#deliver(NULL);
    startTimer(this.#parts.endpoint.clock, LOST_MS, () => {
      const upstream = receiver?.upstream;
      const isStill =
        upstream?.lanes.reachable === true && this.#parts.endpoint.routes.some((one) => one.upstream === upstream);
      if (isStill && this.#receiver === undefined && !this.#isEnded)
        this.#parts.life.cut("the engine goes on, but has ended the connection of what is invalid");
    });
  }

  overflows(why: string): void {
    this.#parts.life.cut(why);
  }

  /** The endpoint may have another primary: the clients that redirect ask for a connection there. */
  upstreamChanged(): void {
    if (this.#receiver === undefined) return;
    const { upstream } = onlyRoute(this.#parts.endpoint);
    if (upstream !== undefined && this.#receiver.upstream !== upstream) this.#drop();
  }

  /** Replies have arrived, or the client has read some. */
  settled(): void {
    // almost no client has anything of this, and all come here behind each reply
    if (this.#pin === undefined && this.#due.length === 0) return;
    if (this.#parts.shared.hasPending) return;
    for (const payload of this.#due.splice(0)) this.#send(payload);
    if (!this.#parts.output.congested) this.#pin?.read(true);
  }

  /** The client is gone: the engine is to know. */
  close(): void {
    this.#isClosed = true;
    this.#due.length = 0;
    this.#drop();
  }

  get #isEnded(): boolean {
    return this.#isClosed || !this.#parts.life.takesRequests;
  }

  async #dial(upstream: Upstream): Promise<Pin> {
    try {
      const pin = await upstream.pins.takeOrDial(PUSHING);
      if (this.#isClosed || this.#receiver?.upstream !== upstream) pin.destroy();
      else {
        this.#pin = pin;
        pin.attach(this);
      }
      return pin;
    } catch (error) {
      if (this.#receiver?.upstream === upstream) this.#forget();
      throw error;
    }
  }

  #deliver(payload: Buffer): void {
    const { shared, output } = this.#parts;
    // a copy: the engine's bytes are used again
    if (shared.hasPending) this.#due.push(Buffer.from(payload));
    else this.#send(payload);
    if (this.isDue || output.congested) this.#pin?.read(false);
  }

  #send(payload: Buffer): void {
    const { identity, pinned } = this.#parts;
    const { channels, patterns, sharded } = countsOf(pinned);
    const isNull = NULLS.some((form) => form.equals(payload));
    if (identity.settings.protocol === 3) this.#parts.output.push(Buffer.concat([INVALIDATE, isNull ? NULL : payload]));
    else if (channels + patterns + sharded > 0)
      this.#parts.output.push(Buffer.concat([MESSAGE, isNull ? OLD_NULL : payload]));
  }

  #drop(): void {
    const pin = this.#pin;
    this.#forget();
    pin?.destroy();
  }

  #forget(): void {
    if (this.#receiver !== undefined) this.#parts.endpoint.counters.pins--;
    this.#receiver = this.#pin = undefined;
  }
}

function notReady(why: string): Fault {
  return new Fault(faults.receiverNotReady, `No connection takes invalidations: ${why}.`, {});
}

const INVALIDATE = Buffer.from(">2\r\n$10\r\ninvalidate\r\n");
const MESSAGE = Buffer.from("*3\r\n$7\r\nmessage\r\n$20\r\n__redis__:invalidate\r\n");
/** No key is valid, in the form of each protocol. */
const [NULL, OLD_NULL] = [Buffer.from("_\r\n"), Buffer.from("$-1\r\n")];
const NULLS = [NULL, OLD_NULL];
/** Within this, clients that redirect go on elsewhere, when it is the engine that has ended. */
const LOST_MS = 2_000;
