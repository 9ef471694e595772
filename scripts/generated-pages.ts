import { globSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { FaultSpec } from "../src/base/fault.ts";
import { routes } from "../src/management/routes.ts";
import type { GeneratedFile } from "./generated-files.ts";

const ROOT = join(import.meta.dirname, "..");

/** The pages of docs/ whose truth is a table in the sources: error codes and the management API. */
export async function generatedPages(): Promise<readonly GeneratedFile[]> {
  return [
    { path: "docs/errors.md", text: await errorsPage() },
    { path: "docs/management-api.md", text: managementPage() },
  ];
}

/** Every fault of every room, by room. */
export async function faultTables(): Promise<
  readonly { readonly room: string; readonly faults: readonly FaultSpec[] }[]
> {
  const files = globSync("src/*/faults.ts", { cwd: ROOT }).sort();
  return Promise.all(
    files.map(async (file) => {
      const module: { faults: Record<string, FaultSpec> } = await import(pathToFileURL(join(ROOT, file)).href);
      return { room: file.split("/")[1] ?? "", faults: Object.values(module.faults) };
    }),
  );
}

async function errorsPage(): Promise<string> {
  const chapters = (await faultTables()).map(({ room, faults }) => {
    const entries = [...faults].sort((a, b) => (a.code < b.code ? -1 : 1)).map(entry);
    return `## ${room}\n\n${entries.join("\n")}`;
  });
  return `# Errors

Generated from the tables \`src/*/faults.ts\` by \`npm run generate\`. A code is stable: match on it, never on the message. Each message
says what happened with the values of the moment; this page says what to do.

${chapters.join("\n")}`;
}

function entry({ code, remedy, retry }: FaultSpec): string {
  const again =
    retry === "backoff" ? "Trying again can help; the product does so by itself." : "Trying again alone does not help.";
  return `### ${code}\n\n${remedy.replace(/\.?$/, ".")} ${again}\n`;
}

function managementPage(): string {
  const rows = Object.values(routes).map(
    ({ method, path, auth, why }) =>
      `| ${method} | \`${path.replace(/:(\w+)/g, "<$1>")}\` | ${auth === "none" ? "none" : "Basic"} | ${why} |`,
  );
  return `# Management API

HTTPS on port 9443 of every node (§4.2), Basic credentials from the Secret named as the cluster, certificate signed by the cluster's own
authority (Secret \`<rec>-node-tls\`, key \`ca.crt\`). Any node answers; a node that is not the leader hands writes on to the leader.

| Method | Path | Credentials | What for |
|---|---|---|---|
${rows.join("\n")}

Asynchronous work answers with an \`action_uid\`; \`GET /v1/actions/<uid>\` shows what became of it. Errors are JSON with \`error_code\`,
\`description\` and \`message\` (the same text):

| Status | Means |
|---|---|
| 400 | the body is malformed; the message names the field |
| 401 | no or wrong credentials |
| 403 | the licence does not allow it |
| 404 | no such object or path |
| 405 | the path is there, the method is not; the header \`Allow\` lists those that are |
| 406 | well-formed, but cannot be done; the message says why and what would do |
| 409 | another change is under way; try again later |
| 413 | the body is larger than 1 MiB |
| 415 | the body is not declared to be JSON |
| 503 | the node is not part of a cluster yet, or no leader can be reached |

Paths below \`/v1/local\` concern the one node that is asked; the cluster leader uses them.
`;
}
