/** Where an object store is that speaks the protocol of S3, and with which credentials. Never logged, never in an argument. */
export interface ObjectStoreAccess {
  readonly bucket: string;
  readonly region: string;
  /** URL of the server; absent: that of the region at AWS. */
  readonly endpoint?: string;
  /** The bucket stands in the path of a request, and not in the name of the host: what most servers beside AWS want. */
  readonly pathStyle: boolean;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** Authorities of the server's certificate, PEM; absent: the public ones. */
  readonly caCertificate?: string;
}
