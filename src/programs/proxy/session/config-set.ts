import { parameterNamed } from "../../../core/api/settings/parameter-table.ts";
import { parseParameters } from "../../../core/api/settings/client-parameters.ts";
import { messageOf } from "#kit/base/fault";
import { errorReplyOf } from "../../../ports/resp/engine-client.ts";
import { textOf } from "../../../ports/resp/reply.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import type { ClientIdentity } from "../client/identity.ts";
import { errorReply, notPermitted } from "../protocol/replies.ts";
import { askAll } from "./ask-primary.ts";
import type { AskedEndpoint } from "./ask-primary.ts";
import type { ParameterWrites } from "./parameter-writes.ts";

/** What CONFIG SET needs of its session. */
export interface SettingSession {
  readonly endpoint: AskedEndpoint & { readonly parameters: Pick<ParameterWrites, "set"> };
  readonly identity: ClientIdentity;
}

/**
 * The answer to CONFIG SET: the record of the database keeps the parameters that a database may have, and any other parameter is refused.
 */
export async function answerConfigSet(
  { endpoint, identity }: SettingSession,
  args: readonly Buffer[],
): Promise<Buffer> {
  if (identity.user !== undefined) return notPermitted("config|set");
  const parsed = parseParameters(args.slice(2).map((arg) => arg.toString("latin1")));
  if (parsed.kind === "error") return errorReply(parsed.error);
  const names = parsed.kind === "other" ? [parsed.name] : [...parsed.asked.keys()];
  try {
    const asked = await askAll(endpoint, ["CONFIG", "GET", ...names]);
    if ("refusal" in asked) return asked.refusal;
    if (parsed.kind === "other") return refusalOfOther(parsed.name, asked.replies[0] ?? null);
    // while the shards are upgraded, only some may have it
    const lacking = names.find((name) => !asked.replies.every((found) => hasParameter(found, name)));
    return lacking === undefined
      ? await endpoint.parameters.set(parsed.asked, identity.address)
      : refusalOfLacking(lacking);
  } catch (error) {
    return errorReply(errorReplyOf(error) ?? `ERR store: no parameters: ${messageOf(error)}`);
  }
}

function hasParameter(found: Reply, name: string): boolean {
  const names = Array.isArray(found) ? found.filter((_, i) => i % 2 === 0).map(textOf) : [];
  return names.some((each) => each.toLowerCase() === name.toLowerCase());
}

function refusalOfLacking(name: string): Buffer {
  const since = parameterNamed(name)?.since;
  const from = since === undefined ? "" : `: engines have it from version ${since}`;
  return errorReply(`ERR store: CONFIG SET of ${name} is not available: the engine of the database lacks it${from}`);
}

/** `found`: what the engine shows of that name; it knows which names there are. */
function refusalOfOther(name: string, found: Reply): Buffer {
  return errorReply(
    hasParameter(found, name)
      ? `ERR store: CONFIG SET of ${name} is not available at an endpoint: the definition of the database or the cluster decides about it`
      : `ERR Unknown option or number of arguments for CONFIG SET - '${name}'`,
  );
}
