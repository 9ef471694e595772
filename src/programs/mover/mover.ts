import { assertNever } from "#kit/base/assert-never";
import { Fault, messageOf } from "#kit/base/fault";
import { sendToParent } from "#kit/processes/parent-channel";
import { FORMAT } from "../../core/api/format.ts";
import type {
  MoverCommand,
  MoverReadyMessage,
  MoverReply,
  MoverReplyMessage,
  MoverRequestMessage,
} from "../../ports/management/mover-control.ts";
import { isRequestMessage } from "../../ports/management/request-message.ts";
import { faults } from "./faults.ts";
import { ShardMove, type MoverContext } from "./move.ts";

/** The channel to the agent; `process` of a child process with IPC is one. */
export interface MoverChannel {
  send?(message: MoverReadyMessage | MoverReplyMessage): unknown;
  on(event: "message", listener: (message: unknown) => void): unknown;
  once(event: "disconnect", listener: () => void): unknown;
}

/** Passes slots on as the agent commands; resolves, with everything closed, when the channel disconnects. */
export async function runMover(channel: MoverChannel, context: MoverContext): Promise<void> {
  const mover = new Mover(context);
  channel.on("message", (message) => {
    if (isRequestMessage<MoverRequestMessage>(message)) void reply(channel, mover, message);
    else context.log.warn("the agent sent a message that is not a command");
  });
  const disconnected = new Promise<void>((resolve) => {
    channel.once("disconnect", resolve);
  });
  sendToParent(channel, { ready: true, format: FORMAT });
  await disconnected;
  mover.close();
}

async function reply(channel: MoverChannel, mover: Mover, { id, command }: MoverRequestMessage): Promise<void> {
  const answered = await mover.answer(command).catch((error: unknown): MoverReply => {
    const { code } = error instanceof Fault ? error : faults.failed;
    return { ok: false, code, message: messageOf(error) };
  });
  sendToParent(channel, { id, reply: answered });
}

/** One move in its life. */
class Mover {
  readonly #context: MoverContext;
  #move: Promise<ShardMove> | undefined;

  constructor(context: MoverContext) {
    this.#context = context;
  }

  async answer(command: MoverCommand): Promise<MoverReply> {
    const { op } = command;
    switch (op) {
      case "begin": {
        if (this.#move !== undefined) throw new Fault(faults.badCommand, "A move has begun already.");
        const { log } = this.#context;
        this.#move = ShardMove.begin(command, { ...this.#context, log: log.with({ bdb: command.bdb }) });
        const { ports } = await this.#move;
        return { ok: true, op, ports };
      }
      case "status":
        return { ok: true, op, status: (await this.#begun()).status() };
      case "reach":
        await (await this.#begun()).reach(command.sources, command.withinMs);
        return { ok: true, op, sources: (await this.#begun()).status().sources };
      default:
        return assertNever(op);
    }
  }

  close(): void {
    this.#move?.then(
      (move) => {
        move.close();
      },
      () => undefined, // it has not begun
    );
  }

  #begun(): Promise<ShardMove> {
    if (this.#move === undefined) throw new Fault(faults.badCommand, "No move has begun.");
    return this.#move;
  }
}
