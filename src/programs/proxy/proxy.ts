import { assertNever } from "../../core/base/assert-never.ts";
import type { Clock } from "../../core/base/clock.ts";
import { Fault, messageOf } from "../../core/base/fault.ts";
import type { Log } from "../../core/base/log.ts";
import type {
  EndpointConfig,
  ProxyCommand,
  ProxyReadyMessage,
  ProxyReply,
  ProxyReplyMessage,
  ProxyRequestMessage,
} from "../../ports/management/proxy-control.ts";
import { ArenaPool } from "./upstream/arena.ts";
import { Endpoint } from "./endpoint/endpoint.ts";
import { faults } from "./faults.ts";
import type { Switchover } from "./switchover/switchover.ts";
import { Lease } from "./timing/lease.ts";

/** The channel to the agent; `process` of a child process with IPC is one. */
export interface ControlChannel {
  send?(message: ProxyReadyMessage | ProxyReplyMessage): unknown;
  on(event: "message", listener: (message: unknown) => void): unknown;
  once(event: "disconnect", listener: () => void): unknown;
}

export interface ProxyContext {
  readonly clock: Clock;
  readonly log: Log;
}

/** Serves endpoints as the agent commands; resolves, with everything closed, when the channel disconnects. */
export async function runProxy(channel: ControlChannel, context: ProxyContext): Promise<void> {
  const endpoints = new Endpoints(context);
  const disconnected = new Promise<void>((resolve) => {
    channel.once("disconnect", resolve);
  });
  channel.on("message", (message) => {
    if (isRequest(message)) void answer(endpoints, message, channel);
    else context.log.warn("agent sent what is no command");
  });
  channel.send?.({ ready: true });
  await disconnected;
  endpoints.close();
}

async function answer(
  endpoints: Endpoints,
  { id, command }: ProxyRequestMessage,
  channel: ControlChannel,
): Promise<void> {
  channel.send?.({ id, reply: await endpoints.execute(command) });
}

/** All endpoints of one process. */
class Endpoints {
  readonly #context: ProxyContext;
  readonly #arenas = new ArenaPool();
  readonly #lease: Lease;
  readonly #endpoints = new Map<number, Endpoint>();
  #draining = false;

  constructor(context: ProxyContext) {
    this.#context = context;
    this.#lease = new Lease(context.clock);
  }

  async execute(command: ProxyCommand): Promise<ProxyReply> {
    try {
      return await this.#execute(command);
    } catch (error) {
      if (error instanceof Fault) return { ok: false, code: error.code, message: error.message };
      this.#context.log.error("command failed", { op: command.op, error });
      return { ok: false, code: faults.failed.code, message: messageOf(error) };
    }
  }

  close(): void {
    for (const endpoint of this.#endpoints.values()) endpoint.close();
    this.#endpoints.clear();
  }

  async #execute(command: ProxyCommand): Promise<ProxyReply> {
    const { op } = command;
    switch (op) {
      case "lease":
        this.#lease.grant(command.until);
        return { ok: true, op };
      case "configure":
        return { ok: true, op, refused: await this.#configure(command.endpoints) };
      case "prepare":
        await this.#switchover(command.bdb).prepare(command.epoch, command.target);
        return { ok: true, op };
      case "hold":
        return {
          ok: true,
          op,
          drainMs: await this.#switchover(command.bdb).hold(command.epoch, command.drainMs, command.holdMs),
        };
      case "fence":
        this.#switchover(command.bdb).fence(command.epoch);
        return { ok: true, op };
      case "release":
        return { ok: true, op, heldMs: await this.#switchover(command.bdb).release(command.epoch, command.target) };
      case "abort":
        this.#switchover(command.bdb).abort(command.epoch);
        return { ok: true, op };
      case "drain":
        return this.#drain(command.deadlineMs);
      case "undrain":
        this.#draining = false;
        await Promise.all([...this.#endpoints.values()].map((endpoint) => endpoint.listen()));
        return { ok: true, op };
      case "stats":
        return { ok: true, op, endpoints: [...this.#endpoints.values()].map((endpoint) => endpoint.stats) };
      default:
        return assertNever(op);
    }
  }

  /** Makes the endpoints those that are named. The numbers of those whose epoch is too low, which stay as they are. */
  async #configure(wanted: readonly EndpointConfig[]): Promise<readonly number[]> {
    const kept = new Set(wanted.map(({ bdb }) => bdb));
    for (const [bdb, endpoint] of [...this.#endpoints])
      if (!kept.has(bdb)) {
        endpoint.close();
        this.#endpoints.delete(bdb);
      }
    const refused: number[] = [];
    for (const config of wanted) if (!(await this.#configureOne(config))) refused.push(config.bdb);
    return refused;
  }

  async #configureOne(config: EndpointConfig): Promise<boolean> {
    const known = this.#endpoints.get(config.bdb);
    try {
      if (known === undefined)
        this.#endpoints.set(
          config.bdb,
          new Endpoint(config, { ...this.#context, arenas: this.#arenas, lease: this.#lease }),
        );
      else known.configure(config);
    } catch (error) {
      if (error instanceof Fault && error.code === faults.epochTooLow.code) return false;
      throw error;
    }
    if (!this.#draining) await this.#endpoint(config.bdb).listen();
    return true;
  }

  async #drain(deadlineMs: number): Promise<ProxyReply> {
    this.#draining = true;
    const drained = await Promise.all([...this.#endpoints.values()].map((endpoint) => endpoint.drain(deadlineMs)));
    const closed = drained.reduce((sum, one) => sum + one.closed, 0);
    const remaining = drained.reduce((sum, one) => sum + one.remaining, 0);
    return { ok: true, op: "drain", closed, remaining };
  }

  #switchover(bdb: number): Switchover {
    return this.#endpoint(bdb).switchover;
  }

  #endpoint(bdb: number): Endpoint {
    const endpoint = this.#endpoints.get(bdb);
    if (endpoint === undefined)
      throw new Fault(faults.unknownEndpoint, `This proxy serves no endpoint of database ${bdb}.`, { bdb });
    return endpoint;
  }
}

function isRequest(message: unknown): message is ProxyRequestMessage {
  return (
    typeof message === "object" &&
    message !== null &&
    "id" in message &&
    typeof message.id === "number" &&
    "command" in message &&
    typeof message.command === "object" &&
    message.command !== null &&
    "op" in message.command
  );
}
