import { request } from "node:https";
import { PORTS, clusterNames } from "../../../src/core/api/names.ts";
import type { TestCluster } from "./cluster.ts";
import { assertDocumented, type HttpAnswer } from "./documented.ts";

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly node?: number;
}

/** Sends one request to a node, with nothing that it is not given; the answer has to be as documented. */
export async function sendHttp(cluster: TestCluster, asked: HttpRequest): Promise<HttpAnswer> {
  const answer = await send(cluster, asked);
  assertDocumented(asked.method, asked.path, answer);
  return answer;
}

/** The value of the header Authorization for a name and a password. */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

function send(cluster: TestCluster, { method, path, body, headers, node = 1 }: HttpRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const sent = typeof body === "string" ? body : body === undefined ? undefined : JSON.stringify(body);
    // without its length, Node.js sends the body of a DELETE as if it were a further request
    const form =
      sent === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(sent) };
    const servername = clusterNames.dnsName(cluster.rec, cluster.namespace);
    const options = { host: cluster.address(node), port: PORTS.management, servername, ca: cluster.ca };
    const asked = request({ ...options, method, path, headers: { ...form, ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    asked.on("error", reject);
    asked.end(sent);
  });
}
