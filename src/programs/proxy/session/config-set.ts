import { parseParameters } from "../../../core/api/settings/client-parameters.ts";
import { messageOf } from "../../../core/base/fault.ts";
import { errorReplyOf } from "../../../ports/resp/engine-client.ts";
import { textOf } from "../../../ports/resp/reply.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import type { ClientIdentity } from "../client/identity.ts";
import { errorReply, notPermitted } from "../protocol/replies.ts";
import { askPrimary } from "./ask-primary.ts";
import type { AskedEndpoint } from "./ask-primary.ts";
import type { ParameterWrites } from "./parameter-writes.ts";

/** What CONFIG SET needs of its session. */
export interface SettingSession {
  readonly endpoint: AskedEndpoint & { readonly parameters: Pick<ParameterWrites, "set"> };
  readonly identity: ClientIdentity;
}

/**
 * The answer to CONFIG SET of parameters that a database may have, which the record of the database keeps, or to that of others, which is
 * refused.
 */
export async function answerConfigSet(
  { endpoint, identity }: SettingSession,
  args: readonly Buffer[],
): Promise<Buffer> {
  if (identity.user !== undefined) return notPermitted("config|set");
  const parsed = parseParameters(args.slice(2).map((arg) => arg.toString("latin1")));
  if (parsed.kind === "error") return errorReply(parsed.error);
  const [first] = parsed.kind === "other" ? [parsed.name] : parsed.asked.keys();
  try {
    const found = await askPrimary(endpoint, ["CONFIG", "GET", first ?? ""]);
    if (found === undefined) return endpoint.primary.refusal;
    return parsed.kind === "other"
      ? refusalOfOther(parsed.name, found)
      : await endpoint.parameters.set(parsed.asked, identity.address);
  } catch (error) {
    return errorReply(errorReplyOf(error) ?? `ERR store: no parameters: ${messageOf(error)}`);
  }
}

/** `found`: what the engine shows of that name; it knows which names there are. */
function refusalOfOther(name: string, found: Reply): Buffer {
  const names = Array.isArray(found) ? found.filter((_, i) => i % 2 === 0).map(textOf) : [];
  const isKnown = names.some((each) => each.toLowerCase() === name.toLowerCase());
  return errorReply(
    isKnown
      ? `ERR store: CONFIG SET of ${name} is not available at an endpoint: the definition of the database or the cluster decides about it`
      : `ERR Unknown option or number of arguments for CONFIG SET - '${name}'`,
  );
}
