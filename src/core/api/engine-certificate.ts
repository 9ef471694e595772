/**
 * What a node and its engines show to other engines of the cluster, all PEM. Both sides show it: an engine accepts only a caller with such a
 * certificate, and shows the name that its callers expect. The key is never logged, never in an argument and in no record.
 */
export interface EngineCertificate {
  readonly certificate: string;
  readonly key: string;
  /** The authorities that must have signed the certificate of the other side; more than one while the authority changes. */
  readonly authority: string;
  /** The name that an engine shows. */
  readonly serverName: string;
}
