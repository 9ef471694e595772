import type { DatabaseRecord } from "../../../core/api/records.ts";
import type { PasswordChange } from "../../../core/planner/database/passwords.ts";
import { callEngine, engineCodeOf } from "../../../ports/resp/engine-client.ts";
import { acceptsClients } from "./nodes.ts";
import type { WriteContext } from "./write-context.ts";

/** A node that does not go by the new passwords in this time is not waited for: it may be gone. In milliseconds. */
const PATIENCE_MS = 2_000;
const POLL_MS = 20;
const ANSWER_MS = 500;

/**
 * Resolves once a client with the password gets from each endpoint what was asked for, or after two seconds. An endpoint that speaks
 * TLS is not asked: it may want a certificate that nodes do not have.
 */
export async function awaitEndpoints(
  { clock, members }: Pick<WriteContext, "clock" | "members">,
  { port, tlsMode }: DatabaseRecord,
  { kind, password }: PasswordChange,
): Promise<void> {
  if (tlsMode !== "disabled") return;
  const deadline = clock.uptimeMs() + PATIENCE_MS;
  const hosts = members
    .list()
    .filter(acceptsClients)
    .map(({ report }) => report.address);
  await Promise.all(
    hosts.map(async (host) => {
      while ((await isRefused({ host, port, password })) === (kind !== "remove")) {
        if (clock.uptimeMs() >= deadline) return;
        await clock.sleep(POLL_MS);
      }
    }),
  );
}

interface Client {
  readonly host: string;
  readonly port: number;
  readonly password: string;
}

/** Undefined when the endpoint says nothing of the password. */
async function isRefused(client: Client): Promise<boolean | undefined> {
  try {
    await callEngine({ ...client, timeoutMs: ANSWER_MS }, "PING");
    return false;
  } catch (error) {
    const code = engineCodeOf(error);
    return code === "WRONGPASS" || code === "NOAUTH" ? true : undefined;
  }
}
