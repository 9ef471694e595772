import type { ClientsAnswer, ClientsQuestion, OtherClients } from "../../../ports/management/clients-question.ts";
import type {
  ParametersAnswer,
  ParametersOutcome,
  ParametersQuestion,
} from "../../../ports/management/parameters-question.ts";
import type { ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import type {
  OtherScripts,
  ScriptsAnswer,
  ScriptsQuestion,
  ScriptsRequest,
} from "../../../ports/management/scripts-question.ts";
import type { Child } from "#kit/processes/child";
import { faults } from "../faults.ts";
import { keepChild, type KeptChild, type KeptChildOptions } from "./kept-child.ts";

/** The proxy process of this node. Its end is the end of the connections of its clients. */
export type ProxyChild = KeptChild<ProxyCommand, ProxyReply>;

export interface ProxyChildOptions extends Pick<KeptChildOptions, "args" | "env" | "clock" | "log" | "onReady"> {
  /** Answers a question of the proxy about the clients of other nodes; it does not reject. */
  readonly askOthers: (question: ClientsQuestion) => Promise<readonly OtherClients[]>;
  /** Sends scripts to all other proxies of the database, and asks for theirs; it does not reject. */
  readonly askScripts: (request: ScriptsRequest) => Promise<readonly OtherScripts[]>;
  /** Puts the parameters that clients set into the record; it does not reject. */
  readonly setParameters: (question: ParametersQuestion) => Promise<ParametersOutcome>;
}

/** Keeps one proxy process running, and answers its questions. */
export function runProxyChild({ askOthers, askScripts, setParameters, ...options }: ProxyChildOptions): ProxyChild {
  const answer = async (question: ClientsQuestion, send: Child["send"]): Promise<void> => {
    const others: ClientsAnswer = { answer: question.ask, others: await askOthers(question) };
    send(others);
  };
  const set = async (question: ParametersQuestion, send: Child["send"]): Promise<void> => {
    const answered: ParametersAnswer = { answer: question.ask, outcome: await setParameters(question) };
    send(answered);
  };
  const share = async ({ ask, scripts }: ScriptsQuestion, send: Child["send"]): Promise<void> => {
    const answered: ScriptsAnswer = { answer: ask, scripts: await askScripts(scripts) };
    send(answered);
  };
  return keepChild({
    ...options,
    what: "proxy",
    gone: faults.proxyGone,
    onMessage: (message, send) => {
      if (isQuestion(message)) void answer(message, send);
      else if (isAboutParameters(message)) void set(message, send);
      else if (isAboutScripts(message)) void share(message, send);
    },
  });
}

function isQuestion(message: unknown): message is ClientsQuestion {
  return typeof message === "object" && message !== null && "ask" in message && "request" in message;
}

function isAboutParameters(message: unknown): message is ParametersQuestion {
  return typeof message === "object" && message !== null && "ask" in message && "parameters" in message;
}

function isAboutScripts(message: unknown): message is ScriptsQuestion {
  return typeof message === "object" && message !== null && "ask" in message && "scripts" in message;
}
