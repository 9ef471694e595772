import { routes } from "../../../src/ports/management/routes.ts";
import type { RouteName } from "../../../src/ports/management/routes.ts";
import type { HttpRequest } from "../world/http.ts";

/** What only the nodes say to each other, and what takes a node out of service: they do what they are told. */
const LEFT_OUT: readonly RouteName[] = ["localProxy", "localVouch", "localConsent", "maintenanceOn"];

const NAMES = [
  ...["name", "memory_size", "replication", "redis_version", "store_version", "port", "authentication_redis_pass"],
  ...[
    "module_list",
    "data_persistence",
    "eviction_policy",
    "email",
    "password",
    "role",
    "role_uids",
    "license",
    "type",
  ],
  ...["redis_upgrade_policy", "recover_without_data", "operator_version", "aof_policy", "max_connections", "tags"],
  ...["demote_node", "passwords", "__proto__", "constructor", "toString", ""],
] as const;
const TEXTS = [
  "",
  "x",
  "first",
  "8.0",
  "7.2",
  "enabled",
  "admin",
  "../../etc/passwd",
  "\u0000",
  "💾".repeat(50),
  "9".repeat(5_000),
];
const NUMBERS = [0, 1, -1, 1.5, 1e308, 2 ** 53, 10_000, 12_000, 100_000_000, 65_536];
const SEGMENTS = [
  "1",
  "2",
  "0",
  "-1",
  "01",
  "1e3",
  "999999999999",
  "x",
  "%00",
  "..%2f..",
  "%F0%9F%92%BE",
  "a".repeat(3_000),
];

/** A request to some route, or nearly; `dice` gives numbers from 0 to 1, and `authorization` is the one that is accepted. */
export function randomRequest(dice: () => number, authorization: string): HttpRequest {
  const one = <T>(values: readonly T[]): T | undefined => values[Math.floor(dice() * values.length)];
  const names = Object.keys(routes).filter((name): name is RouteName => name in routes && !isLeftOut(name));
  const route = routes[one(names) ?? "cluster"];
  const path = route.path.replaceAll(/:\w+/g, () => one(SEGMENTS) ?? "1");
  const query = dice() < 0.2 ? `?${one(NAMES)}=${encodeURIComponent(one(TEXTS) ?? "")}` : "";
  const method = dice() < 0.9 ? route.method : (one(["GET", "PUT", "POST", "DELETE", "PATCH"]) ?? "GET");
  const headers = dice() < 0.9 ? { authorization } : dice() < 0.5 ? {} : { authorization: `Basic ${one(TEXTS)}` };
  const isRead = method === "GET";
  return { method, path: path + query, headers: plain(headers), ...(isRead ? {} : { body: bodyOf(dice, one) }) };
}

function isLeftOut(name: string): boolean {
  return LEFT_OUT.some((left) => left === name);
}

function bodyOf(dice: () => number, one: <T>(values: readonly T[]) => T | undefined): unknown {
  if (dice() < 0.1) return one(["{", "[]", "null", "7", '{"name":', `[${"[".repeat(2_000)}`, "\u0000"]);
  const entries = Array.from({ length: Math.floor(dice() * 6) }, () => [one(NAMES), valueOf(dice, one, 0)]);
  return Object.fromEntries(entries);
}

function valueOf(dice: () => number, one: <T>(values: readonly T[]) => T | undefined, depth: number): unknown {
  const kind = dice();
  if (kind < 0.35) return one(TEXTS);
  if (kind < 0.65) return one(NUMBERS);
  if (kind < 0.8 || depth > 3) return one([true, false, null]);
  const inner = Array.from({ length: Math.floor(dice() * 4) }, () => valueOf(dice, one, depth + 1));
  return kind < 0.9 ? inner : Object.fromEntries(inner.map((value) => [one(NAMES), value]));
}

/** Headers hold no control characters and nothing beyond Latin-1: a client could not send them. */
function plain(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replaceAll(/[^\x20-\x7e]/g, "?")]),
  );
}
