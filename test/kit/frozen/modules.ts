import type { ModuleRepository } from "../modules/module-repository.ts";
import type { Lane } from "./lane.ts";

/** Secret with the login of the module server. */
export const SECRET = "module-login";

/** A part of the spec that lists one module under `name`, with `file` of the module server as its source. */
export function listed(modules: ModuleRepository, name: string, file: string) {
  return { userDefinedModules: [{ name, source: { https: { url: modules.url(file) } }, credentialsSecret: SECRET }] };
}

/** What a person types in the editor to list "Tally" there, as sed does it. */
export function listing(modules: ModuleRepository): string {
  const source = `{ https: { url: ${modules.url("tally.zip")} } }`;
  const line = `  userDefinedModules: [{ name: Tally, source: ${source}, credentialsSecret: ${SECRET} }]`;
  return `s|^spec:|&\\n${line}|`;
}

/** Uploads a module through the management API of the lane's cluster. */
export async function upload(lane: Lane, archive: Buffer<ArrayBuffer>): Promise<void> {
  await (await lane.management()).call("uploadModule", { body: { module: new Blob([archive]) } });
}
