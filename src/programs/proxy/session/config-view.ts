import { shownValue } from "../../../core/api/settings/client-parameters.ts";
import { Fault, messageOf } from "#kit/base/fault";
import { errorReplyOf } from "../../../ports/resp/engine-client.ts";
import { textOf } from "../../../ports/resp/reply.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import type { ClientIdentity } from "../client/identity.ts";
import { arrayReply, bulkReply, errorReply, mapReply, notPermitted } from "../protocol/replies.ts";
import { askAll } from "./ask-primary.ts";
import type { AskedEndpoint } from "./ask-primary.ts";

/** Where parameters are looked up. */
interface ViewedEndpoint extends AskedEndpoint {
  /** Parameters that the endpoint knows better than the engine. */
  readonly ownParameters: ReadonlyMap<string, string>;
}

/** What CONFIG GET needs of its session. */
export interface ViewingSession {
  readonly endpoint: ViewedEndpoint;
  readonly identity: ClientIdentity;
}

/** The answer to CONFIG GET: the parameters of the engine, with those of the endpoint, and without secrets. */
export async function answerConfigGet(session: ViewingSession, args: readonly Buffer[]): Promise<Buffer> {
  const { endpoint, identity } = session;
  if (identity.user !== undefined) return notPermitted("config|get");
  try {
    const asked = await askAll(endpoint, args);
    return "refusal" in asked ? asked.refusal : viewOf(session, asked.replies.map(textsIn));
  } catch (error) {
    return errorReply(errorReplyOf(error) ?? `ERR store: no parameters: ${messageOf(error)}`);
  }
}

/**
 * What CONFIG GET shows of these, each in the form of engines, without those that the shards have differently; undefined while a shard has no
 * primary that answers.
 */
export async function shownParameters(
  endpoint: Pick<ViewedEndpoint, "routes" | "ownParameters">,
  names: readonly string[],
): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const found = await Promise.all(
      endpoint.routes.map(async ({ upstream }) => (await upstream?.control())?.call("CONFIG", "GET", ...names)),
    );
    if (!found.every((reply) => Array.isArray(reply))) return undefined;
    const all = found.map((reply) => shownOf(endpoint, reply.map(textOf), names));
    return new Map([...(all[0] ?? [])].filter(([name, value]) => all.every((shown) => shown.get(name) === value)));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return undefined; // the next look may find another primary
  }
}

function shownOf(
  { ownParameters }: Pick<ViewedEndpoint, "ownParameters">,
  texts: readonly string[],
  names: readonly string[],
): ReadonlyMap<string, string> {
  const values = new Map(texts.flatMap((name, i) => (i % 2 === 0 ? [[name, texts[i + 1] ?? ""]] : [])));
  return new Map(names.map((name) => [name, shownValue(name, ownParameters.get(name) ?? values.get(name) ?? "")]));
}

/** The shards have the parameters of the first, but for the memory, which they share. */
function viewOf(
  { endpoint, identity }: ViewingSession,
  [first = [], ...others]: readonly (readonly string[])[],
): Buffer {
  const { protocol } = identity.settings;
  const encoded = first.map((text, i) => {
    const name = i % 2 === 0 ? "" : (first[i - 1] ?? "");
    const whole = name === SHARED ? sumOf([text, ...others.map((other) => other[i] ?? "0")]) : text;
    const shown = SECRET.test(name) ? "" : (endpoint.ownParameters.get(name) ?? whole);
    return bulkReply(Buffer.from(shown), protocol);
  });
  return protocol === 3 ? mapReply(encoded) : arrayReply(encoded);
}

function textsIn(reply: Reply | undefined): readonly string[] {
  return Array.isArray(reply) ? reply.map(textOf) : [];
}

function sumOf(numbers: readonly string[]): string {
  return String(numbers.reduce((sum, number) => sum + Number(number), 0));
}

const SHARED = "maxmemory";
/** Users and passwords of the cluster: at the engine, at its primary, and of its keys. */
const SECRET = /^(requirepass|(master|primary)(auth|user)|tls-.*-pass)$/;
