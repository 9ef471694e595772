import { isIPv4, isIPv6 } from "node:net";

/** The bytes of an IP address, 4 or 16 of them; undefined when `address` spells none. */
export function addressBytes(address: string): Buffer | undefined {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  return isIPv6(address)
    ? Buffer.from(groupsOf(withoutDots(address)).flatMap((group) => [group >> 8, group & 0xff]))
    : undefined;
}

/** Spells the last 32 bits of `::ffff:10.0.0.1` as two groups. */
function withoutDots(address: string): string {
  return address.replace(/\d+\.\d+\.\d+\.\d+$/, (dotted) => {
    const [a = 0, b = 0, c = 0, d = 0] = dotted.split(".").map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
}

function groupsOf(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const before = groups(head);
  const after = groups(tail ?? "");
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

function groups(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}
