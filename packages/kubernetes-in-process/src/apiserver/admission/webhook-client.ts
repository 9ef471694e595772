import type { IncomingMessage } from "node:http";
import { request, type RequestOptions } from "node:https";
import { patientSignal } from "../../../../controller-kit/src/timing/patience.ts";
import { jsonAt, listAt, numberAt, textAt, textsAt, type Json } from "../objects/json.ts";
import type { ServerContext } from "../context/server-context.ts";

const MAX_ANSWER_BYTES = 1024 * 1024;

/** Sends an AdmissionReview to the webhook and gives its answer; rejects after `seconds`, and when TLS does not verify. */
export async function postReview(
  context: ServerContext,
  clientConfig: Json,
  review: Json,
  seconds: number,
): Promise<unknown> {
  const caBundle = textAt(clientConfig, "caBundle");
  const body = JSON.stringify(review);
  using deadline = patientSignal(seconds * 1000);
  const incoming = await sendBody(body, {
    ...addressOf(context, clientConfig),
    method: "POST",
    ...(caBundle === "" ? {} : { ca: Buffer.from(caBundle, "base64") }),
    headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
    signal: deadline.signal,
  });
  const answer = await wholeBody(incoming);
  if (incoming.statusCode !== 200) throw new Error(`the webhook answered with HTTP ${incoming.statusCode ?? 0}`);
  return JSON.parse(answer);
}

function sendBody(body: string, options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(options, resolve);
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

async function wholeBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new Error(`the answer exceeds ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

interface Address {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly servername?: string;
}

function addressOf(context: ServerContext, clientConfig: Json): Address {
  const url = textAt(clientConfig, "url");
  if (url !== "") {
    const parsed = new URL(url);
    if (parsed.protocol !== "https:") throw new Error(`the webhook's URL ${url} is not https`);
    return { host: parsed.hostname, port: Number(parsed.port) || 443, path: parsed.pathname + parsed.search };
  }
  const service = jsonAt(clientConfig, "service");
  const [namespace, name] = [textAt(service, "namespace"), textAt(service, "name")];
  const endpoint = endpointOf(context, namespace, name, numberAt(service, "port") ?? 443);
  return { ...endpoint, path: textAt(service, "path") || "/", servername: `${name}.${namespace}.svc` };
}

/** A ready address behind a service: there is no service proxy between the server and the pods. */
function endpointOf(
  context: ServerContext,
  namespace: string,
  name: string,
  port: number,
): { host: string; port: number } {
  const service = context.store.get("services", `${namespace}/${name}`);
  if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found in namespace ${namespace}`);
  const portName = textAt(
    listAt(service, "spec", "ports").find((each) => each["port"] === port),
    "name",
  );
  const slices = context.store
    .list("endpointslices.discovery.k8s.io", `${namespace}/`)
    .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name);
  for (const slice of slices) {
    const target = listAt(slice, "ports").find((each) => textAt(each, "name") === portName);
    const ready = listAt(slice, "endpoints").find((each) => jsonAt(each, "conditions")["ready"] !== false);
    const host = textsAt(ready, "addresses")[0];
    const number = numberAt(target, "port");
    if (host !== undefined && number !== undefined) return { host, port: number };
  }
  throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
}
