import { editObject } from "../../api/kubectl.ts";
import type { DatabaseSpec } from "../../api/database-spec.ts";
import type { Finding } from "../../api/parts.ts";
import type { SettingValues } from "../../api/settings/types.ts";
import { block, warn } from "../findings/finding.ts";

/** The certificate of the endpoints of a database, compared with what its object asks for. */
export interface CertificateView {
  /** `none`: without TLS. `due`: the certificate is to be sent to the cluster. `wrong`: there is no certificate that can be sent. */
  readonly state: "none" | "given" | "due" | "wrong";
  /** Only when it is wrong: why. */
  readonly why: string;
  /** What will keep clients from connecting; empty when nothing is known to. */
  readonly warning: string;
  /** The authority by which clients verify the endpoints, PEM; empty when it is not known. */
  readonly authority: string;
}

/** What the object lacks for the TLS that it asks for; endpoints keep the certificate that they have, and other changes go on. */
export function certificateFindings(
  name: string,
  { tls }: Pick<DatabaseSpec, "tls">,
  existing: Pick<SettingValues, "tlsMode"> | undefined,
  { state, why, warning }: CertificateView,
): { readonly findings: readonly Finding[]; readonly warnings: readonly Finding[] } {
  const remedy = `give it another certificate, or leave the field out for one of the cluster: ${editObject(`redb ${name}`)}`;
  if (state !== "wrong")
    return { findings: [], warnings: warning === "" ? [] : [warn("CertificateUnfit", warning, remedy)] };
  const isServed = existing !== undefined && (existing.tlsMode === tls || existing.tlsMode === "mutual");
  return isServed
    ? { findings: [], warnings: [warn("CertificateInvalid", `${why}; endpoints keep the former certificate`, remedy)] }
    : { findings: [block("CertificateInvalid", why, remedy)], warnings: [] };
}
