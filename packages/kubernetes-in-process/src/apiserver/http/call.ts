import type { IncomingMessage, ServerResponse } from "node:http";
import { stringify } from "yaml";
import type { User } from "../auth/user.ts";
import type { View } from "./accept.ts";

/** One request on its way through the server. */
export interface ApiCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly user: User;
  /** Sentences for the client's eyes, sent as Warning headers. */
  readonly warnings: Set<string>;
}

/** Sends `body` as JSON or YAML with the warnings gathered so far. */
export function answer(call: Pick<ApiCall, "response" | "warnings">, code: number, body: unknown, view?: View): void {
  const text = view?.yaml === true ? stringify(body, { version: "1.1" }) : `${JSON.stringify(body)}\n`;
  writeHead(call, code, view?.yaml === true ? "application/yaml" : contentType(view));
  call.response.end(text);
}

/** Writes status line and headers, warnings included. */
export function writeHead(call: Pick<ApiCall, "response" | "warnings">, code: number, type: string): void {
  const warnings = [...call.warnings].map((warning) => `299 - ${quoteHeaderText(warning)}`);
  if (warnings.length > 0) call.response.setHeader("warning", warnings);
  call.response.writeHead(code, { "content-type": type, "cache-control": "no-cache, private" });
}

/** True for `dryRun=All`. */
export function isDryRun(query: URLSearchParams): boolean {
  return query.getAll("dryRun").includes("All");
}

function contentType(view: View | undefined): string {
  if (view?.as !== "APIGroupDiscoveryList") return "application/json";
  return `application/json;g=apidiscovery.k8s.io;v=${view.version};as=APIGroupDiscoveryList`;
}

function quoteHeaderText(text: string): string {
  const plain = text.replace(/[^\x20-\x7e]/g, " ").slice(0, 1000);
  return `"${plain.replace(/["\\]/g, (character) => `\\${character}`)}"`;
}
