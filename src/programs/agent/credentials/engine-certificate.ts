import type { EngineCertificate } from "../../../core/api/engine-certificate.ts";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { clusterNames } from "../../../core/api/names.ts";
import { EngineTls } from "../../../ports/resp/engine-tls.ts";
import { faults } from "../faults.ts";
import type { AgentConfig } from "../runtime/config.ts";
import { openMountedSecret } from "../runtime/mounted-secret.ts";
import { requireUsableTls } from "../runtime/usable-tls.ts";

/** How a node speaks TLS with engines, by the certificate in its mounted Secret. */
export interface NodeEngineTls {
  readonly tls: EngineTls;
  /** Calls back after each new certificate, until `signal` aborts. */
  follow(onChange: () => void, signal: AbortSignal): Promise<void>;
}

/** Without a certificate where an operator of a release before 0.4.0 made the Secret: the node speaks no TLS with engines then. */
export async function openEngineTls(
  config: Pick<AgentConfig, "tlsDir" | "cluster" | "namespace">,
  deps: { readonly clock: Clock; readonly log: Log },
): Promise<NodeEngineTls> {
  const tls = new EngineTls();
  const serverName = clusterNames.engineName(config.cluster, config.namespace);
  try {
    const secret = await openMountedSecret(config.tlsDir, KEYS, {
      ...deps,
      check: (files) => requireUsableTls(pairOf(files)),
    });
    const use = (files: Files): void => tls.use(certificateOf(files, serverName));
    use(secret.current());
    return {
      tls,
      follow: (onChange, signal) =>
        secret.follow((files) => {
          use(files);
          onChange();
        }, signal),
    };
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== faults.badSecretFile.code) throw error;
    deps.log.warn("this node speaks no TLS with engines", { error });
    return { tls, follow: () => Promise.resolve() };
  }
}

const KEYS = ["engine.crt", "engine.key", "ca.crt"] as const;
type Files = Readonly<Record<(typeof KEYS)[number], string>>;

function pairOf(files: Files) {
  return { "tls.crt": files["engine.crt"], "tls.key": files["engine.key"], "ca.crt": files["ca.crt"] };
}

function certificateOf(files: Files, serverName: string): EngineCertificate {
  return { certificate: files["engine.crt"], key: files["engine.key"], authority: files["ca.crt"], serverName };
}
