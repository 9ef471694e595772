import { request as httpRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import type { Container, ExecAction, HTTPGetAction, TCPSocketAction } from "kubernetes-types/core/v1.js";
import { messageOf } from "../../../../controller-kit/src/base/fault.ts";

/** What a probe or a lifecycle hook does. */
export interface Handler {
  readonly exec?: ExecAction;
  readonly httpGet?: HTTPGetAction;
  readonly tcpSocket?: TCPSocketAction;
}

/** How a probe or hook went; `output` says what was seen. */
export interface HandlerResult {
  readonly ok: boolean;
  readonly output: string;
}

/** The container that is asked. */
export interface HandlerTarget {
  readonly container: Container;
  readonly podIP: string;
  /** Runs a command beside the container's program and answers with its exit code and output. */
  readonly exec: (command: readonly string[], signal: AbortSignal) => Promise<{ code: number; output: string }>;
}

const MAX_OUTPUT = 1024;

/** Runs a handler until it has an answer or `signal` aborts; a failure is a result, not an exception. */
export async function runHandler(handler: Handler, target: HandlerTarget, signal: AbortSignal): Promise<HandlerResult> {
  try {
    if (handler.exec !== undefined) return await execHandler(handler.exec, target, signal);
    if (handler.httpGet !== undefined) return await httpHandler(handler.httpGet, target, signal);
    if (handler.tcpSocket !== undefined) return await tcpHandler(handler.tcpSocket, target, signal);
    return { ok: false, output: "no handler of a supported type: use exec, httpGet or tcpSocket" };
  } catch (error) {
    return { ok: false, output: signal.aborted ? "no answer in time" : messageOf(error) };
  }
}

async function execHandler(
  { command = [] }: ExecAction,
  target: HandlerTarget,
  signal: AbortSignal,
): Promise<HandlerResult> {
  const { code, output } = await target.exec(command, signal);
  return { ok: code === 0, output: output.slice(0, MAX_OUTPUT).trim() };
}

async function httpHandler(action: HTTPGetAction, target: HandlerTarget, signal: AbortSignal): Promise<HandlerResult> {
  const answer = await get(action, target, signal);
  const code = answer.statusCode ?? 0;
  const body = await firstBytes(answer);
  if (code >= 200 && code < 400) return { ok: true, output: body };
  return { ok: false, output: `HTTP answer with status ${code}${body === "" ? "" : `: ${body}`}` };
}

async function get(action: HTTPGetAction, target: HandlerTarget, signal: AbortSignal): Promise<IncomingMessage> {
  const options = {
    host: action.host ?? target.podIP,
    port: portOf(action.port, target.container),
    path: action.path ?? "/",
    headers: headersOf(action),
    agent: false,
    signal,
  };
  return new Promise((resolve, reject) => {
    // a probe asks whether the server answers; whose certificate it has is for clients to verify, as in any kubelet
    const request =
      action.scheme === "HTTPS" ? httpsRequest({ ...options, rejectUnauthorized: false }) : httpRequest(options);
    request.once("response", resolve).once("error", reject).end();
  });
}

function headersOf({ httpHeaders = [] }: HTTPGetAction): Record<string, string> {
  const given = Object.fromEntries(httpHeaders.map(({ name, value }) => [name.toLowerCase(), value]));
  return { "user-agent": "kube-probe/1.32", accept: "*/*", connection: "close", ...given };
}

async function firstBytes(answer: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of answer) {
    text += String(chunk);
    if (text.length >= MAX_OUTPUT) break;
  }
  return text.slice(0, MAX_OUTPUT).trim();
}

async function tcpHandler(action: TCPSocketAction, target: HandlerTarget, signal: AbortSignal): Promise<HandlerResult> {
  const host = action.host ?? target.podIP;
  const port = portOf(action.port, target.container);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.destroy();
      resolve({ ok: true, output: "" });
    });
  });
}

function portOf(port: number | string, container: Container): number {
  if (typeof port === "number") return port;
  const named = container.ports?.find(({ name }) => name === port)?.containerPort ?? Number(port);
  if (!Number.isInteger(named)) throw new Error(`container ${container.name} has no port named "${port}"`);
  return named;
}
