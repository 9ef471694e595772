import { createHash } from "node:crypto";
import { routes, type RouteName } from "../../../../ports/management/routes.ts";

/** Members that change with time or with the writes of clients; they alone make no new answer. */
const MOVING = new Set(["offset", "lag_bytes", "uptime"]);

/** Whether answers of `name` carry an entity tag: what clients ask again and again about the whole cluster. */
export function hasEntityTag(name: RouteName): boolean {
  const { method, auth, gives } = routes[name];
  return gives !== "text" && method === "GET" && auth !== "none" && auth !== "cluster";
}

/** A weak entity tag: the same on every node for answers that differ only in such members. */
export function entityTag(answer: unknown): string {
  const text = JSON.stringify(answer, (key, value: unknown) => (MOVING.has(key) ? undefined : value));
  return `W/"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
}

/** Whether the header If-None-Match names `tag`. */
export function matchesTag(tag: string, header: string | undefined): boolean {
  return (header ?? "").split(",").some((one) => one.trim() === tag);
}
