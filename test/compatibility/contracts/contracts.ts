import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Use } from "./breaking-changes.ts";
import type { Shape } from "./shape.ts";
import { shapesOfBundle } from "./shapes-of-bundle.ts";
import { shapesOfTypes } from "./shapes-of-types.ts";

/** One thing that a release stores or speaks: its name says what it is. */
export interface Contract {
  readonly name: string;
  readonly use: Use;
  readonly shape: Shape;
}

/** Where a release is: its sources, the Node that runs them, and its bundle. */
export interface ReleaseSources {
  readonly folder: string;
  readonly node: string;
  readonly bundle: string;
}

/** What each release declares in the same files; bodies of no fields stand for none. */
const DECLARATION = `
import type { ClusterStateRecord, DatabaseRecord } from "./src/core/api/records.ts";
import type { NodeReport } from "./src/programs/agent/members/node-report.ts";
import type { BodyOf, ReplyOf, RouteName } from "./src/ports/management/routes.ts";
import type { ProxyReadyMessage, ProxyReplyMessage, ProxyRequestMessage } from "./src/ports/management/proxy-control.ts";
export type Contracts = {
  "record of the cluster": ClusterStateRecord;
  "record of a database": DatabaseRecord;
  "report in the lease of a node": NodeReport;
  "message to the proxy": ProxyRequestMessage;
  "message of the proxy": ProxyReplyMessage | ProxyReadyMessage;
  bodies: { [N in RouteName]: BodyOf<N> extends undefined ? Record<never, never> : BodyOf<N> };
  answers: { [N in RouteName]: ReplyOf<N> };
};
`;

const ROUTES = "src/ports/management/routes.ts";
const exec = promisify(execFile);

/** Everything that a release stores and speaks, from its own sources and its own bundle. */
export async function contractsOf({ folder, node, bundle }: ReleaseSources): Promise<readonly Contract[]> {
  const { bodies, answers, ...stored } = shapesOfTypes(folder, DECLARATION);
  const routes = await routesOf(folder, node);
  const spoken = (shapes: Shape | undefined, use: Use, what: string): readonly Contract[] =>
    fieldsOf(shapes).map(([route, shape]) => ({ name: `${what} of ${routes[route] ?? route}`, use, shape }));
  return [
    ...Object.entries(stored).map(([name, shape]) => ({ name, use: "stored" as const, shape })),
    ...Object.entries(shapesOfBundle(bundle)).map(([name, shape]) => ({ name, use: "sent" as const, shape })),
    ...spoken(bodies, "sent", "body"),
    ...spoken(answers, "answered", "answer"),
  ];
}

function fieldsOf(shape: Shape | undefined): readonly (readonly [string, Shape])[] {
  if (shape?.is !== "object") throw new Error("the routes are no object");
  return Object.entries(shape.fields).map(([name, field]) => [name, field.shape] as const);
}

/** Method and path by the name of the route, for instance "GET /v1/nodes/:"; names of parameters do not matter. */
async function routesOf(folder: string, node: string): Promise<Readonly<Record<string, string>>> {
  const url = pathToFileURL(join(folder, ROUTES)).href;
  const program = `process.stdout.write(JSON.stringify((await import(${JSON.stringify(url)})).routes))`;
  const { stdout } = await exec(node, ["--input-type=module", "--eval", program], { maxBuffer: 64 * 1024 * 1024 });
  const routes: Record<string, { method: string; path: string }> = JSON.parse(stdout);
  return Object.fromEntries(
    Object.entries(routes).map(([name, { method, path }]) => [name, `${method} ${path.replace(/:\w+/g, ":")}`]),
  );
}
