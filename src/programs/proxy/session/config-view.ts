import { messageOf } from "../../../core/base/fault.ts";
import { errorReplyOf } from "../../../ports/resp/engine-client.ts";
import { textOf } from "../../../ports/resp/reply.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import type { ClientIdentity } from "../client/identity.ts";
import { arrayReply, bulkReply, errorReply, mapReply, notPermitted } from "../protocol/replies.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";

/** What CONFIG GET needs of its session. */
export interface ViewingSession {
  readonly endpoint: {
    readonly primary: Pick<PrimaryView, "upstream" | "unavailable" | "refusal">;
    /** Parameters that the endpoint knows better than the engine. */
    readonly ownParameters: ReadonlyMap<string, string>;
  };
  readonly identity: ClientIdentity;
}

/** The answer to CONFIG GET: the parameters of the engine, with those of the endpoint, and without secrets; undefined without an engine to ask yet. */
export function answerConfigGet(
  session: ViewingSession,
  args: readonly Buffer[],
): Buffer | Promise<Buffer> | undefined {
  const { upstream, unavailable, refusal } = session.endpoint.primary;
  if (session.identity.user !== undefined) return notPermitted("config|get");
  if (upstream === undefined) return unavailable ? refusal : undefined;
  return upstream
    .control()
    .then(async (control) => viewOf(session, await control.call(...args)))
    .catch((error: unknown) => errorReply(errorReplyOf(error) ?? `ERR store: no parameters: ${messageOf(error)}`));
}

function viewOf({ endpoint, identity }: ViewingSession, parameters: Reply): Buffer {
  const { protocol } = identity.settings;
  const texts = Array.isArray(parameters) ? parameters.map(textOf) : [];
  const encoded = texts.map((text, i) => {
    const name = i % 2 === 0 ? "" : (texts[i - 1] ?? "");
    const shown = SECRET.test(name) ? "" : (endpoint.ownParameters.get(name) ?? text);
    return bulkReply(Buffer.from(shown), protocol);
  });
  return protocol === 3 ? mapReply(encoded) : arrayReply(encoded);
}

/** Users and passwords of the cluster: at the engine, at its primary, and of its keys. */
const SECRET = /^(requirepass|(master|primary)(auth|user)|tls-.*-pass)$/;
