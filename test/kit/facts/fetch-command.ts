import { createHash } from "node:crypto";
import { evenSlots } from "../../../src/core/slots/shard-slots.ts";
import type { FetchCommand } from "../../../src/ports/management/backup-control.ts";

/** The command to fetch a file of these bytes to `path`: the SHA-256 fits, as whoever may write into the bucket can have it. */
export function fetchCommand(bytes: Buffer, keys: number | undefined, path: string, mode: number): FetchCommand {
  const file: FetchCommand["file"] = {
    shard: 1,
    slots: [...(evenSlots(1)[0] ?? [])],
    file: "0123456789abcdef/shard-1.rdb",
    bytes: bytes.length,
    memory: 0,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    ...(keys === undefined ? {} : { keys }),
    rdb: 10,
    engine: { family: "redis", version: "7.0.15" },
    role: "replica",
    replicationId: "e".repeat(40),
    offset: 0,
    at: "2026-11-30T00:00:00.000Z",
  };
  const store = { bucket: "b", region: "r", pathStyle: true, accessKeyId: "a", secretAccessKey: "s" };
  return { op: "fetch", name: "nightly", folder: "folder", store, file, path, mode };
}
