import { Fault } from "#kit/base/fault";
import { FrameScanner, INCOMPLETE } from "../../../ports/resp/frame-scanner.ts";
import type { EngineConnection } from "./engine-connection.ts";
import { OVER_BUDGET } from "../limits/memory-budget.ts";
import { CarriedReply } from "./carried-reply.ts";
import { ReplyGate } from "./reply-gate.ts";
import type { ReplyPermits } from "./reply-gate.ts";
import { Wire } from "./wire.ts";

/** What uses a pin at the moment. */
export interface PinUser {
  /** One whole reply or message. */
  frame(frame: Buffer): void;
  closed(): void;
  /** The engine takes more, after the connection was congested. */
  drained?(): void;
  /** What has arrived takes more memory than there is: the connection is to be given up. Without this it is ended. */
  overflows?(why: string): void;
}

/** A connection to an engine that one client has for itself while its session cannot share a lane. */
export class Pin {
  /** The engine's CLIENT ID of this connection. */
  readonly id: number;
  /** The `settingsKey` of what it was dialled with. */
  readonly key: string;
  closed = false;
  /** Its state differs from that of a new connection: no other client may use it. */
  tainted = false;
  /** The connection shows what the engine does, also while it waits for replicas: what arrives must not wait itself. */
  monitoring = false;
  readonly #rounds: ReplyPermits["rounds"];
  readonly #wire: Wire;
  readonly #gate: ReplyGate;
  readonly #scanner = new FrameScanner({ maxFrameBytes: 2 ** 31 });
  readonly #carried: CarriedReply;
  #runsForeignCode = false;
  #inputEnded = false;
  #user: PinUser | undefined;

  constructor(connection: EngineConnection, key: string, permits: ReplyPermits, onClosed: () => void) {
    this.id = connection.id;
    this.key = key;
    this.#rounds = permits.rounds;
    const overflows = (): void => {
      this.#overflow();
    };
    this.#carried = new CarriedReply(permits.memory, overflows);
    this.#wire = new Wire(connection.socket, "nothing", {
      data: (bytes) => {
        this.#gate.take(bytes);
      },
      end: () => {
        this.#wire.destroy();
      },
      closed: () => {
        this.closed = true;
        const end = (): void => {
          this.#drop();
          onClosed();
          this.#user?.closed();
        };
        if (!this.#inputEnded || !this.#gate.outlive(end)) end();
      },
      drained: () => {
        this.#user?.drained?.();
      },
    });
    this.#gate = new ReplyGate(permits, this.#wire, {
      atBoundary: () => this.#carried.heldBytes === 0,
      isMonitor: () => this.monitoring,
      runsForeignCode: () => this.#runsForeignCode,
      receive: (bytes) => {
        this.#receive(bytes);
      },
      overflows,
    });
  }

  /** From now on `user` gets what arrives; without a user it is dropped. */
  attach(user: PinUser | undefined): void {
    this.#user = user;
    this.#runsForeignCode = false;
  }

  /** `runsForeignCode`: a script or a command of a module, which may answer with any text. */
  write(bytes: Buffer, runsForeignCode = false): void {
    this.#runsForeignCode ||= runsForeignCode;
    this.#wire.write(bytes);
  }

  /** Nothing that has arrived waits to be passed on. */
  get isRead(): boolean {
    return this.#wire.isRead && this.#gate.heldBytes === 0;
  }

  /** The engine does not take what is sent as fast as it comes. */
  get congested(): boolean {
    return this.#wire.queuedBytes > CONGESTED_BYTES;
  }

  /** The client sends nothing more: the engine gets FIN behind what it was sent, and does with the rest what it does for a client of its own. */
  async endInput(): Promise<void> {
    if (this.#inputEnded || this.closed) return;
    this.#inputEnded = this.tainted = true;
    // what it answers behind FIN must wait for replicas even when the connection is gone
    if (!this.#rounds.open) await this.#rounds.connect();
    if (!this.closed) this.#wire.halfClose();
  }

  /** Reads what arrives, or leaves it to the kernel for now. */
  read(isOn: boolean): void {
    if (isOn) this.#wire.resume();
    else this.#wire.pause();
  }

  /** Ends the connection; its user is notified if it is to be. */
  destroy(isUserNotified = false): void {
    if (!isUserNotified) this.#user = undefined;
    this.#drop();
    this.#wire.destroy();
  }

  #receive(bytes: Buffer): void {
    let start = 0;
    try {
      for (let past = 0; (past = this.#scanner.next(bytes, start, bytes.length)) !== INCOMPLETE; start = past) {
        const tail = bytes.subarray(start, past);
        this.#user?.frame(this.#carried.join(tail));
      }
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#wire.destroy();
      return;
    }
    if (start < bytes.length) this.#carried.push(bytes.subarray(start));
  }

  #overflow(): void {
    if (this.#user?.overflows === undefined) this.destroy(true);
    else this.#user.overflows(OVERFLOWS);
  }

  #drop(): void {
    this.#gate.drop();
    this.#carried.drop();
  }
}

const OVERFLOWS = `its reply must be collected, and ${OVER_BUDGET}`;
const CONGESTED_BYTES = 2 ** 20;
