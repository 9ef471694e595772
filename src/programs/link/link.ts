import { sendToParent } from "#kit/processes/parent-channel";
import { FORMAT } from "../../core/api/format.ts";
import { assertNever } from "#kit/base/assert-never";
import { Fault, messageOf } from "#kit/base/fault";
import type {
  LinkCommand,
  LinkReadyMessage,
  LinkReply,
  LinkReplyMessage,
  LinkRequestMessage,
} from "../../ports/management/link-control.ts";
import { isRequestMessage } from "../../ports/management/request-message.ts";
import { faults } from "./faults.ts";
import { Link, type LinkContext } from "./served/link.ts";

/** The channel to the agent; `process` of a child process with IPC is one. */
export interface LinkChannel {
  send?(message: LinkReadyMessage | LinkReplyMessage): unknown;
  on(event: "message", listener: (message: unknown) => void): unknown;
  once(event: "disconnect", listener: () => void): unknown;
}

/** Links databases to those of other sites as the agent commands; resolves, with everything closed, when the channel disconnects. */
export async function runLink(channel: LinkChannel, context: LinkContext): Promise<void> {
  const link = new Link(context);
  const disconnected = new Promise<void>((resolve) => {
    channel.once("disconnect", resolve);
  });
  let before: Promise<unknown> = Promise.resolve();
  channel.on("message", (message) => {
    if (!isRequestMessage<LinkRequestMessage>(message)) {
      context.log.warn("the agent sent a message that is not a command");
      return;
    }
    const { id, command } = message;
    // one after the other: each says the whole of what is wanted
    before = before.then(async () => sendToParent(channel, { id, reply: await answer(link, command) }));
  });
  sendToParent(channel, { ready: true, format: FORMAT });
  await disconnected;
  await link.close();
}

async function answer(link: Link, command: LinkCommand): Promise<LinkReply> {
  try {
    switch (command.op) {
      case "configure":
        await link.configure(command);
        return { ok: true, op: "configure" };
      case "status":
        return { ok: true, op: "status", databases: link.status() };
      default:
        return assertNever(command);
    }
  } catch (error) {
    const { code } = error instanceof Fault ? error : faults.failed;
    return { ok: false, code, message: messageOf(error) };
  }
}
