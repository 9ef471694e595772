import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { foundKubectls } from "./api-servers/kubectls.ts";
import { shellBlock } from "./kit/pages/blocks.ts";
import { commandsOf } from "./kit/pages/typist.ts";

const ROOT = join(import.meta.dirname, "..");
const MARK = "\u0001";

const skip = foundKubectls().length > 0 ? false : "no kubectl here: see https://kubernetes.io/docs/tasks/tools/";

test("the README's tour, typed line by line, ends with the output that the page shows", { skip }, async () => {
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  const lines = commandsOf(shellBlock("README.md", "export PATH").text);
  assert.ok(lines.length >= 8 && lines.length <= 14, "a tour of about ten lines");
  const shown = blockAfter(readme, "The last `kubectl` prints:\n\n```text\n");

  await using stack = new AsyncDisposableStack();
  const dir = stack.use(await mkdtempDisposable(join(tmpdir(), "tour-"))).path;
  stack.defer(async () => void (await typed(["npm run -s storectl -- local down"], dir)));
  const outputs = await typed(lines, dir);
  const last = lines.findLastIndex((line) => line.startsWith("kubectl"));
  assert.equal(plain(outputs[last] ?? ""), plain(shown), outputs[last]);
});

/** Runs each line in one shell, as a user types it, and ends at the first that fails; the output of each. */
async function typed(lines: readonly string[], dir: string): Promise<string[]> {
  const script = lines.map((line) => `${line.replaceAll("$PWD/.local", dir)} || exit 1\necho ${MARK}\n`).join("");
  const shell = spawn("bash", ["--norc", "-c", script], {
    cwd: ROOT,
    env: { ...process.env, STORE_LOCAL_DIR: dir, HOME: dir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, "close")]);
  const outputs = stdout.split(`${MARK}\n`);
  assert.equal(code, 0, `${lines[outputs.length - 1] ?? ""}\n${stderr}${stdout}`);
  return outputs;
}

/** Without what differs from run to run and from machine to machine: ages, dates, generated names, engines, widths. */
function plain(output: string): string {
  return output
    .replace(/\b(\d+[smh])+\b/g, "<age>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<date>")
    .replace(/-[a-z0-9]{10}-[a-z0-9]{5}\b/g, "-<generated>")
    .replace(/\((stand-in: )?[a-z]+ [\d.]+\)/g, "(<engine>)")
    .replace(/ +/g, " ")
    .replace(/ $/gm, "")
    .trim();
}

function blockAfter(page: string, opening: string): string {
  const begin = page.indexOf(opening);
  assert.ok(begin >= 0, `the README has no ${JSON.stringify(opening)}`);
  const rest = page.slice(begin + opening.length);
  return rest.slice(0, rest.indexOf("```")).trimEnd();
}
