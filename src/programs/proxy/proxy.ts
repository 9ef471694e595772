import { FORMAT } from "../../core/api/format.ts";
import type { Clock } from "#kit/base/clock";
import { memoryLimit } from "#kit/processes/memory-limit";
import { openFileLimit } from "#kit/processes/open-file-limit";
import { sendToParent } from "#kit/processes/parent-channel";
import { CLIENTS_ANSWER_MS } from "../../ports/management/clients-question.ts";
import type {
  AgentQuestion,
  ClientsAnswer,
  ClientsQuestion,
  OtherClients,
} from "../../ports/management/clients-question.ts";
import { PARAMETERS_ANSWER_MS } from "../../ports/management/parameters-question.ts";
import type {
  ParametersAnswer,
  ParametersOutcome,
  ParametersQuestion,
  ParametersRequest,
} from "../../ports/management/parameters-question.ts";
import type {
  ProxyReadyMessage,
  ProxyReplyMessage,
  ProxyRequestMessage,
} from "../../ports/management/proxy-control.ts";
import { SCRIPTS_ANSWER_MS } from "../../ports/management/scripts-question.ts";
import type {
  OtherScripts,
  ScriptsAnswer,
  ScriptsQuestion,
  ScriptsRequest,
} from "../../ports/management/scripts-question.ts";
import { isRequestMessage } from "../../ports/management/request-message.ts";
import { AgentLine } from "./agent-line.ts";
import { connectionRoom } from "./limits/connection-budget.ts";
import { ProxyEndpoints } from "./proxy-endpoints.ts";
import type { ProxyContext } from "./proxy-endpoints.ts";

/** The channel to the agent; `process` of a child process with IPC is one. */
export interface ControlChannel {
  send?(
    message: ProxyReadyMessage | ProxyReplyMessage | ClientsQuestion | ParametersQuestion | ScriptsQuestion,
  ): unknown;
  on(event: "message", listener: (message: unknown) => void): unknown;
  once(event: "disconnect", listener: () => void): unknown;
}

/** Serves endpoints as the agent commands; resolves, with everything closed, when the channel disconnects. */
export async function runProxy(
  channel: ControlChannel,
  context: Omit<ProxyContext, "askAgent" | "askScripts" | "keepParameters">,
  containerRoot: string,
): Promise<void> {
  const { clients, parameters, scripts } = agentLines(channel, context.clock);
  const room = { files: openFileLimit(), bytes: connectionRoom(memoryLimit(containerRoot), context.worker) };
  const asking = {
    askAgent: (question: AgentQuestion) => clients.ask(question),
    askScripts: (request: ScriptsRequest) => scripts.ask({ scripts: request }),
    keepParameters: (request: ParametersRequest) => parameters.ask(request),
  };
  const endpoints = new ProxyEndpoints({ ...context, ...asking }, room);
  const disconnected = new Promise<void>((resolve) => {
    channel.once("disconnect", resolve);
  });
  channel.on("message", (message) => {
    if (isRequestMessage<ProxyRequestMessage>(message)) void answer(endpoints, message, channel);
    else if (isAnswer(message)) clients.receive(message.answer, message.others);
    else if (isOutcome(message)) parameters.receive(message.answer, message.outcome);
    else if (isAboutScripts(message)) scripts.receive(message.answer, message.scripts);
    else context.log.warn("the agent sent a message that is not a command");
  });
  sendToParent(channel, { ready: true, format: FORMAT });
  await disconnected;
  endpoints.close();
}

/** What is asked of the agent. */
function agentLines(channel: ControlChannel, clock: Clock) {
  return {
    clients: new AgentLine<AgentQuestion, readonly OtherClients[]>({
      clock,
      mostAtOnce: 4,
      withinMs: CLIENTS_ANSWER_MS + 500,
      send: (question) => sendToParent(channel, question),
    }),
    scripts: new AgentLine<{ readonly scripts: ScriptsRequest }, readonly OtherScripts[]>({
      clock,
      mostAtOnce: 4,
      withinMs: SCRIPTS_ANSWER_MS + 500,
      send: (question) => sendToParent(channel, question),
    }),
    parameters: new AgentLine<ParametersRequest, ParametersOutcome>({
      clock,
      mostAtOnce: 64,
      withinMs: PARAMETERS_ANSWER_MS,
      send: (question) => sendToParent(channel, question),
    }),
  };
}

async function answer(
  endpoints: ProxyEndpoints,
  { id, command }: ProxyRequestMessage,
  channel: ControlChannel,
): Promise<void> {
  sendToParent(channel, { id, reply: await endpoints.execute(command) });
}

function isAnswer(message: unknown): message is ClientsAnswer {
  return typeof message === "object" && message !== null && "answer" in message && "others" in message;
}

function isOutcome(message: unknown): message is ParametersAnswer {
  return typeof message === "object" && message !== null && "answer" in message && "outcome" in message;
}

function isAboutScripts(message: unknown): message is ScriptsAnswer {
  return typeof message === "object" && message !== null && "answer" in message && "scripts" in message;
}
