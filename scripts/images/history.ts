import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

interface Entry {
  readonly Config: string;
}
interface Config {
  readonly history: readonly { readonly created_by?: string }[];
}

/** What the layers of all images in an archive of `npm run image:local` were made from; each line once. */
export async function historyOf(archive: string): Promise<readonly string[]> {
  const entries: readonly Entry[] = JSON.parse(await fileIn(archive, "manifest.json"));
  const lines = new Set<string>();
  for (const path of new Set(entries.map(({ Config: path }) => path))) {
    const { history }: Config = JSON.parse(await fileIn(archive, path));
    for (const { created_by: line = "" } of history) lines.add(line);
  }
  return [...lines];
}

async function fileIn(archive: string, path: string): Promise<string> {
  const { stdout } = await run("tar", ["-xOf", archive, path], { maxBuffer: 64 << 20 });
  return stdout;
}
