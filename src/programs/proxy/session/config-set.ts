import { parseParameters } from "../../../core/api/settings/client-parameters.ts";
import { messageOf } from "../../../core/base/fault.ts";
import { textOf } from "../../../ports/resp/reply.ts";
import type { ClientIdentity } from "../client/identity.ts";
import { errorReply, notPermitted } from "../protocol/replies.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { ParameterWrites } from "./parameter-writes.ts";

/** What CONFIG SET needs of its session. */
export interface SettingSession {
  readonly endpoint: {
    readonly primary: Pick<PrimaryView, "upstream" | "unavailable" | "refusal">;
    readonly parameters: Pick<ParameterWrites, "set">;
  };
  readonly identity: ClientIdentity;
}

/**
 * The answer to CONFIG SET of parameters that a database may have, which the record of the database keeps, or to that of others, which is
 * refused; undefined without an engine to ask yet.
 */
export function answerConfigSet(
  { endpoint, identity }: SettingSession,
  args: readonly Buffer[],
): Buffer | Promise<Buffer> | undefined {
  const { upstream, unavailable, refusal } = endpoint.primary;
  if (identity.user !== undefined) return notPermitted("config|set");
  const parsed = parseParameters(args.slice(2).map((arg) => arg.toString("latin1")));
  if (parsed.kind === "error") return errorReply(parsed.error);
  if (upstream === undefined) return unavailable ? refusal : undefined;
  if (parsed.kind === "other") return refuseOther(upstream, parsed.name);
  return endpoint.parameters.set(parsed.asked, identity.address);
}

/** The engine knows which names there are. */
async function refuseOther(upstream: Upstream, name: string): Promise<Buffer> {
  try {
    const found = await (await upstream.control()).call("CONFIG", "GET", name);
    const isKnown =
      Array.isArray(found) && found.some((each, i) => i % 2 === 0 && textOf(each).toLowerCase() === name.toLowerCase());
    if (!isKnown) return errorReply(`ERR Unknown option or number of arguments for CONFIG SET - '${name}'`);
  } catch (error) {
    return errorReply(`ERR store: no parameters: ${messageOf(error)}`);
  }
  return errorReply(
    `ERR store: CONFIG SET of ${name} is not available at an endpoint: the definition of the database or the cluster decides about it`,
  );
}
