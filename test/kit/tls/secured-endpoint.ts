import { clusterNames } from "../../../src/core/api/names.ts";
import type { BdbCreate } from "../../../src/ports/management/records.ts";
import { EngineTls } from "../../../src/ports/resp/engine-tls.ts";
import { authorityNamed, clientPair, endpointCertificate } from "./certificates.ts";

const own = authorityNamed("endpoints of this test");
const NAMESPACE = "default";

/** What a database of this name gets TLS with. */
export function secured(name: string): Pick<BdbCreate, "tls_mode" | "tls_certificate"> {
  const { certificate, key } = endpointCertificate(own, clusterNames.databaseHost(name, NAMESPACE));
  return { tls_mode: "enabled", tls_certificate: { certificate, key, client_authorities: "" } };
}

/** How clients of that database connect. */
export function clientTls(name: string): EngineTls {
  const tls = new EngineTls();
  const { certificate, key } = clientPair(own);
  const serverName = clusterNames.databaseHost(name, NAMESPACE);
  tls.use({ certificate, key, authority: own.certificate, serverName });
  return tls;
}
