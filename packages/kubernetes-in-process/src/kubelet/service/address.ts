/** A TCP address. */
export interface TcpAddress {
  readonly host: string;
  readonly port: number;
}
