import type { StoreVersion } from "../../api/records.ts";

/** What a node reports of its engines. */
export interface TlsNode {
  readonly uid: number;
  /** Operator version that it is of. */
  readonly release: string;
  readonly engines: readonly {
    readonly storeVersion: StoreVersion;
    /** Family and version. */
    readonly engine: string;
    /** It speaks TLS with the certificate of its node; undefined from nodes of releases before 0.4.0, which speak none with engines. */
    readonly tls?: boolean | undefined;
  }[];
}

/** Why the engines of a version cannot all speak TLS, as a sentence; undefined when they can. */
export function engineTlsObjection(nodes: readonly TlsNode[], storeVersion: StoreVersion): string | undefined {
  const reasons = nodes.flatMap(({ uid, release, engines }) => {
    const found = engines.find((one) => one.storeVersion === storeVersion);
    if (found === undefined || found.tls === true) return [];
    return found.tls === false
      ? [`the ${storeVersion} engine of node ${uid} (${found.engine}) speaks no TLS`]
      : [`node ${uid} is of release ${release}, which speaks no TLS with engines`];
  });
  return reasons.length === 0 ? undefined : reasons.join("; ");
}
