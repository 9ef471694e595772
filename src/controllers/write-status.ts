import { isDeepStrictEqual } from "node:util";
import type { Kube, ResourceType, Stored } from "../kube/kube.ts";

/** Writes the status of `next` when it differs from that of `before`, the same object as it was read. */
export async function writeStatus<T extends { status?: unknown }>(
  kube: Kube,
  type: ResourceType<T>,
  before: Stored<T>,
  next: Stored<T>,
): Promise<void> {
  if (isDeepStrictEqual(plain(before), plain(next))) return;
  await kube.update(type, next, { subresource: "status" });
}

/** As the server would see it: members that are undefined do not exist. */
function plain(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}
