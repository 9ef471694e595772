import { compareVersionText } from "#kit/base/version";
import type { Release } from "./release.ts";

interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** Ports that nodes use among themselves from a release on, beside those that every release uses. */
const RESERVED: readonly { readonly since: string; readonly ports: readonly PortRange[] }[] = [
  { since: "7.8.2-6", ports: [one(9091), one(9125), { first: 3347, last: 3350 }] },
  { since: "7.22.0-7", ports: [one(3346), { first: 3351, last: 3355 }] },
];

/**
 * Ports that `to` uses and `from` does not: policies that let in chosen ports only must open them before the step. An unknown
 * release is taken to use none of them.
 */
export function newPorts(from: Release | undefined, to: Release): readonly PortRange[] {
  return RESERVED.filter(
    ({ since }) => (from === undefined || isBefore(from.operator, since)) && !isBefore(to.operator, since),
  ).flatMap(({ ports }) => ports);
}

function one(port: number): PortRange {
  return { first: port, last: port };
}

function isBefore(operator: string, since: string): boolean {
  return (compareVersionText(operator, since) ?? 0) < 0;
}
