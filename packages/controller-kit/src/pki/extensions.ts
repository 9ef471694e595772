import { Fault } from "../base/fault.ts";
import { addressBytes } from "./address.ts";
import { bits, element, octets, oid, sequence, yes } from "./der.ts";
import { faults } from "./faults.ts";

/** What a certificate may be used for. */
export type Usage = "server" | "client";

const PURPOSE = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" } as const satisfies Record<Usage, string>;

/** The extensions of an authority; one without succession signs end entities only. */
export function authorityExtensions(options: {
  readonly keyId: Buffer;
  readonly authorityKeyId: Buffer;
  readonly canBeSucceeded: boolean;
}): Buffer[] {
  const depth = options.canBeSucceeded ? [] : [element(0x02, Buffer.from([0]))];
  return [
    critical("2.5.29.19", sequence(yes, ...depth)),
    critical("2.5.29.15", bits(Buffer.from([0x06]), 1)), // keyCertSign, cRLSign
    extension("2.5.29.14", octets(options.keyId)),
    extension("2.5.29.35", sequence(element(0x80, options.authorityKeyId))),
  ];
}

/** The extensions of a certificate that a server or client presents. */
export function endEntityExtensions(options: {
  readonly keyId: Buffer;
  readonly authorityKeyId: Buffer;
  readonly usages: readonly Usage[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}): Buffer[] {
  const names = [...options.dnsNames.map(dnsName), ...options.ipAddresses.map(ipAddress)];
  return [
    critical("2.5.29.19", sequence()),
    critical("2.5.29.15", bits(Buffer.from([0x80]), 7)), // digitalSignature
    extension("2.5.29.37", sequence(...options.usages.map((usage) => oid(PURPOSE[usage])))),
    extension("2.5.29.14", octets(options.keyId)),
    extension("2.5.29.35", sequence(element(0x80, options.authorityKeyId))),
    ...(names.length === 0 ? [] : [extension("2.5.29.17", sequence(...names))]),
  ];
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), octets(value));
}

function critical(id: string, value: Buffer): Buffer {
  return sequence(oid(id), yes, octets(value));
}

function dnsName(name: string): Buffer {
  if (!/^[\x21-\x7e]{1,253}$/.test(name)) {
    throw new Fault(faults.badName, `"${name}" is not a DNS name that a certificate can hold`, { name });
  }
  return element(0x82, Buffer.from(name, "ascii"));
}

function ipAddress(address: string): Buffer {
  const bytes = addressBytes(address);
  if (bytes === undefined) throw new Fault(faults.badName, `"${address}" is not an IP address`, { address });
  return element(0x87, bytes);
}
