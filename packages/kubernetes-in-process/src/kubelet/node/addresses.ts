import { Fault } from "../../../../controller-kit/src/base/fault.ts";
import { faults } from "../faults.ts";

/** Third octets that pods use; the rest of the subnet belongs to the API server and to Services. */
const THIRD = { first: 1, last: 99 } as const;
const HOSTS = 254;
const SIZE = (THIRD.last - THIRD.first + 1) * HOSTS;

/** One address per pod, by pod uid; a freed one is not used again before all others have had their turn. */
export interface AddressPool {
  /** Keeps an address for a pod that had it before this kubelet started; a foreign or taken address is ignored. */
  claim(uid: string, ip: string): void;
  /** The pod's address, always the same; KUBELET_NO_ADDRESS when all are in use. */
  addressOf(uid: string): string;
  release(uid: string): void;
}

/** Addresses below `subnet`, for instance "127.42.". */
export function createAddressPool(subnet: string): AddressPool {
  const byPod = new Map<string, string>();
  const used = new Set<string>();
  let next = 0;
  const take = (uid: string, ip: string): string => {
    used.add(ip);
    byPod.set(uid, ip);
    return ip;
  };
  const free = (): string => {
    for (let tried = 0; tried < SIZE; tried++) {
      const ip = addressAt(subnet, next);
      next = (next + 1) % SIZE;
      if (!used.has(ip)) return ip;
    }
    throw new Fault(faults.noAddress, `all ${SIZE} pod addresses of ${subnet}0.0/16 are in use`, { subnet });
  };
  return {
    claim: (uid, ip) => {
      if (!byPod.has(uid) && !used.has(ip) && isPodAddress(subnet, ip)) take(uid, ip);
    },
    addressOf: (uid) => byPod.get(uid) ?? take(uid, free()),
    release: (uid) => {
      used.delete(byPod.get(uid) ?? "");
      byPod.delete(uid);
    },
  };
}

function addressAt(subnet: string, index: number): string {
  return `${subnet}${THIRD.first + Math.floor(index / HOSTS)}.${1 + (index % HOSTS)}`;
}

function isPodAddress(subnet: string, ip: string): boolean {
  const [third = 0, fourth = 0] = ip.slice(subnet.length).split(".").map(Number);
  return ip.startsWith(subnet) && third >= THIRD.first && third <= THIRD.last && fourth >= 1 && fourth <= HOSTS;
}
