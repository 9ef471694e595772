import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { EXIT } from "../../../src/programs/cli/console/context.ts";

/** What a person types in a lane, and the files that are at hand there. */
export interface CommandLine {
  /** Standard output of a line of bash in which kubectl works on this namespace. */
  sh(line: string): Promise<string>;
  /** Standard output of a real `storectl` on this namespace; it may find something in the way at its end. */
  storectl(...args: readonly string[]): Promise<string>;
  /** A file of this lane that holds `content`. */
  file(name: string, content: string | Uint8Array): Promise<string>;
  /** A folder of this lane with these files, by their names. */
  folder(files: Readonly<Record<string, string | Uint8Array>>): Promise<string>;
}

/** bash and storectl with a kubeconfig of their own, whose namespace is the lane's. */
export async function commandLine(kubeconfig: string, namespace: string): Promise<CommandLine> {
  const own = `${kubeconfig}.${namespace}`;
  await writeFile(own, await readFile(kubeconfig, "utf8"), { mode: 0o600 });
  const sh = async (line: string): Promise<string> => {
    const env = { ...process.env, KUBECONFIG: own, PATH: `${PROGRAMS}:${process.env["PATH"]}` };
    // bash takes a socket for a login from afar, and reads the user's own files then
    return (await promisify(execFile)("bash", ["--norc", "-c", line], { env, timeout: 60_000 })).stdout;
  };
  await sh(`kubectl config set-context --current --namespace=${namespace}`);
  return {
    sh,
    storectl: (...args) => sh(`'${process.execPath}' '${STORECTL}' ${args.join(" ")} || [ $? -eq ${EXIT.found} ]`),
    file: async (name, content) => {
      const path = `${own}.${name}`;
      await writeFile(path, content, { mode: 0o600 });
      return path;
    },
    folder: async (files) => {
      const path = `${own}.files`;
      await mkdir(path, { recursive: true });
      for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content, { mode: 0o600 });
      return path;
    },
  };
}

const STORECTL = join(import.meta.dirname, "../../../src/bin/storectl.ts");
/** `storectl` is on the PATH of whoever has set up the checkout. */
const PROGRAMS = join(import.meta.dirname, "../../../bin");
