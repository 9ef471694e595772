import { z } from "zod";
import type { ManagementClient } from "../../../src/ports/management/client.ts";
import { ERROR } from "../../../src/ports/management/records/cluster.ts";
import { routes, type RouteName } from "../../../src/ports/management/routes.ts";

/** An answer of the management API as it came. */
export interface HttpAnswer {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

/** Throws when an answer is not what the OpenAPI document says about the operation: no member more, and none less. */
export function assertDocumented(method: string, target: string, { status = 0, headers, text }: HttpAnswer): void {
  const [path = "", query = ""] = target.split("?");
  const isJson = headers["content-type"]?.includes("application/json") === true;
  if (!isJson || method === "HEAD") return;
  const name = routeOf(method, path);
  if (status >= 400 || name === undefined) parse(`${method} ${path} (${status})`, ERROR, JSON.parse(text));
  else if (!query.includes("fields=")) assertReply(name, JSON.parse(text));
}

/** The client, which throws when an answer is not what the OpenAPI document says. */
export function documented(client: ManagementClient): ManagementClient {
  const call = async (name: RouteName, ...rest: readonly unknown[]): Promise<unknown> => {
    const reply: unknown = await Reflect.apply(client.call, client, [name, ...rest]);
    assertReply(name, reply);
    return reply;
  };
  return { ...client, call }; // it passes on what it is given
}

function assertReply(name: RouteName, reply: unknown): void {
  const { method, path, gives } = routes[name];
  if (typeof gives !== "string") parse(`${method} ${path}`, gives, reply);
}

function parse(what: string, schema: z.ZodType, value: unknown): void {
  const parsed = schema.safeParse(value);
  if (parsed.success) return;
  throw new Error(
    `the answer of ${what} is not what docs/management-api.openapi.json says:\n${z.prettifyError(parsed.error)}`,
  );
}

/** Of the operations at a path the one with the fewest parameters, as the server chooses. */
function routeOf(method: string, path: string): RouteName | undefined {
  const names = Object.keys(routes).filter((name): name is RouteName => name in routes);
  return names
    .filter((name) => routes[name].method === method && patternOf(routes[name].path).test(path))
    .toSorted((a, b) => routes[a].path.split(":").length - routes[b].path.split(":").length)[0];
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, "[^/]+").replaceAll(".", "\\.")}$`);
}
