import type { Address } from "../../src/ports/management/proxy-control.ts";

/** A way from clients to the engine. */
export interface Way {
  readonly name: string;
  readonly address: Address;
  /** Of the proxy; absent for the engine itself. */
  readonly pid?: number;
  /** The certificate of the authority, where clients speak TLS. */
  readonly authorityFile?: string;
}
