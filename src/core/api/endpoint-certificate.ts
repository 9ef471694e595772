/** What the endpoints of a database show to clients, and whom they ask clients to be known by; all PEM. Never logged, in no record. */
export interface EndpointCertificate {
  /** The certificate of the endpoint, followed by those between it and its authority. */
  readonly certificate: string;
  readonly key: string;
  /** The authorities that must have signed the certificate of a client, where clients present one; empty: none is named. */
  readonly clientAuthorities: string;
}
