import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { foundKubectls } from "../api-servers/kubectls.ts";

const ROOT = join(import.meta.dirname, "../..");
const CLIENT = ".engines/redis-8.0.2/bin/redis-cli";

const missing = foundKubectls().length > 0 ? undefined : "no kubectl here: see https://kubernetes.io/docs/tasks/tools/";
const skip = missing ?? (existsSync(join(ROOT, CLIENT)) ? false : `no ${CLIENT} here: run npm run setup`);

test(
  "the walk of docs/active-active.md, as it stands there, ends with what one site wrote at the other",
  { skip },
  async () => {
    const page = await readFile(join(ROOT, "docs/active-active.md"), "utf8");
    const opening = "<!-- walk -->\n```sh\n";
    const rest = page.slice(page.indexOf(opening) + opening.length);
    const walk = rest.slice(0, rest.indexOf("```"));
    await using stack = new AsyncDisposableStack();
    const dir = stack.use(await mkdtempDisposable(join(tmpdir(), "walk-"))).path;
    stack.defer(async () => void (await typed("npm run -s storectl -- local down", dir)));
    const output = await typed(walk, dir);
    assert.match(output, /\nbook\npen\n/);
    assert.deepEqual(output.match(/\/carts +active +Valid +\["carts"\] +up /g)?.length, 2, output);
  },
);

/** Runs the lines in one shell, with the files of the world in `dir`; the output, once it has succeeded. */
async function typed(lines: string, dir: string): Promise<string> {
  const script = `set -e\n${lines.replaceAll("$PWD/.local", dir).replaceAll(".local/", `${dir}/`)}`;
  const shell = spawn("bash", ["--norc", "-c", script], {
    cwd: ROOT,
    env: { ...process.env, STORE_LOCAL_DIR: dir, HOME: dir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, "close")]);
  assert.equal(code, 0, `${stderr}${stdout}`);
  return stdout;
}
