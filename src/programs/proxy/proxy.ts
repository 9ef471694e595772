import { FORMAT } from "../../core/api/format.ts";
import { memoryLimit } from "../../mechanisms/processes/memory-limit.ts";
import { openFileLimit } from "../../mechanisms/processes/open-file-limit.ts";
import type { ClientsAnswer, ClientsQuestion } from "../../ports/management/clients-question.ts";
import type {
  ProxyReadyMessage,
  ProxyReplyMessage,
  ProxyRequestMessage,
} from "../../ports/management/proxy-control.ts";
import { isRequestMessage } from "../../ports/management/request-message.ts";
import { AgentLine } from "./agent-line.ts";
import { connectionRoom } from "./limits/connection-budget.ts";
import { ProxyEndpoints } from "./proxy-endpoints.ts";
import type { ProxyContext } from "./proxy-endpoints.ts";

/** The channel to the agent; `process` of a child process with IPC is one. */
export interface ControlChannel {
  send?(message: ProxyReadyMessage | ProxyReplyMessage | ClientsQuestion): unknown;
  on(event: "message", listener: (message: unknown) => void): unknown;
  once(event: "disconnect", listener: () => void): unknown;
}

/** Serves endpoints as the agent commands; resolves, with everything closed, when the channel disconnects. */
export async function runProxy(
  channel: ControlChannel,
  context: Omit<ProxyContext, "askAgent">,
  containerRoot: string,
): Promise<void> {
  const line = new AgentLine((question) => channel.send?.(question), context.clock);
  const room = { files: openFileLimit(), bytes: connectionRoom(memoryLimit(containerRoot), context.worker) };
  const endpoints = new ProxyEndpoints({ ...context, askAgent: (question) => line.ask(question) }, room);
  const disconnected = new Promise<void>((resolve) => {
    channel.once("disconnect", resolve);
  });
  channel.on("message", (message) => {
    if (isRequestMessage<ProxyRequestMessage>(message)) void answer(endpoints, message, channel);
    else if (isAnswer(message)) line.receive(message);
    else context.log.warn("the agent sent a message that is not a command");
  });
  channel.send?.({ ready: true, format: FORMAT });
  await disconnected;
  endpoints.close();
}

async function answer(
  endpoints: ProxyEndpoints,
  { id, command }: ProxyRequestMessage,
  channel: ControlChannel,
): Promise<void> {
  channel.send?.({ id, reply: await endpoints.execute(command) });
}

function isAnswer(message: unknown): message is ClientsAnswer {
  return typeof message === "object" && message !== null && "answer" in message && "others" in message;
}
