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
  /** The client waits for a reply. */
  readonly hasPending: boolean;
  /** Answers in the engine's place; false when earlier replies are missing. */
  answer(reply: Buffer): boolean;
  /** Takes no request until `work` is over; it must not reject. */
  waitFor(work: Promise<void>): void;
}

/** CONFIG GET: the parameters of the engine, with those of the endpoint, and without secrets. */
export function takeConfigGet(session: ViewingSession, args: readonly Buffer[]): boolean {
  if (session.hasPending) return false;
  const { upstream, unavailable, refusal } = session.endpoint.primary;
  if (session.identity.user !== undefined) return session.answer(notPermitted("config|get"));
  if (upstream === undefined) return unavailable && session.answer(refusal);
  const asking = upstream
    .control()
    .then(async (control) => viewOf(session, await control.call(...args)))
    .catch((error: unknown) => errorReply(errorReplyOf(error) ?? `ERR store: no parameters: ${messageOf(error)}`));
  session.waitFor(
    asking.then((reply) => {
      session.answer(reply);
    }),
  );
  return true;
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
