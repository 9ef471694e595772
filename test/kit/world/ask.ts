import { Secrets, Services } from "#kit/kube/builtin";
import type { Kube, Ref } from "#kit/kube/kube";
import { callEngine } from "../../../src/ports/resp/engine-client.ts";

/** The answer of a database to a command of a client that goes by its Service with its password. */
export async function askDatabase(kube: Kube, ref: Ref, ...command: readonly [string, ...string[]]): Promise<unknown> {
  const [service, secret] = await Promise.all([
    kube.get(Services, ref),
    kube.get(Secrets, { ...ref, name: `redb-${ref.name}` }),
  ]);
  const { clusterIP: host = "", ports = [] } = service?.spec ?? {};
  const password = Buffer.from(secret?.data?.["password"] ?? "", "base64").toString();
  return callEngine({ host, port: ports[0]?.port ?? 0, password, timeoutMs: 2_000 }, ...command);
}
