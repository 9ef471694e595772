import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "#kit/reconcile/system-clock";
import { runStorectl } from "../storectl.ts";

/** What is typed, the last word being completed, and what is offered. */
const typed: readonly {
  readonly line: string;
  readonly offers: readonly string[];
  readonly not?: readonly string[];
}[] = [
  { line: "storectl ", offers: ["preflight", "upgrade", "modules", "completion"], not: ["--help", "list"] },
  { line: "storectl mod", offers: ["modules"], not: ["status"] },
  { line: "storectl modules ", offers: ["list", "upload", "delete"], not: ["modules"] },
  { line: "storectl modules list -", offers: ["--output", "--namespace", "--help"], not: ["--yes"] },
  { line: "storectl status -o ", offers: ["table", "json", "yaml"] },
  { line: "storectl -h status --output y", offers: ["yaml"], not: ["json"] },
  { line: "storectl why ", offers: ["rec", "redb"] },
  { line: "storectl recover --lic", offers: ["--license"], not: ["--yes"] },
  { line: "storectl recover --license lic", offers: ["licence.key", "licence.txt"] },
  { line: "storectl completion ", offers: ["bash", "zsh", "fish"] },
];

await using folder = await mkdtempDisposable(join(tmpdir(), "completion-"));
const dir = folder.path;
await writeFiles();

await test("bash completes", async (t) => {
  for (const { line, offers, not = [] } of typed) {
    await t.test(`"${line}"`, () => {
      const words = line.split(" ");
      const script = `source ${join(dir, "bash")}
        COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length - 1}
        $(complete -p storectl | sed 's/.*-F \\([^ ]*\\) .*/\\1/'); printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr, status } = spawnSync("bash", ["--norc", "-c", script], { cwd: dir, encoding: "utf8" });
      assert.equal(status, 0, stderr);
      assert.equal(stderr, "");
      holds(stdout.trim().split("\n"), offers, not);
    });
  }

  await t.test("the plugin by its own name too", () => {
    const { stdout } = spawnSync("bash", ["--norc", "-c", `source ${join(dir, "bash")}; complete -p kubectl-store`], {
      encoding: "utf8",
    });
    assert.match(stdout, /-F _storectl kubectl-store/);
  });
});

await test("fish completes", { skip: lacks("fish") }, async (t) => {
  for (const { line, offers, not = [] } of typed) {
    await t.test(`"${line}"`, () => {
      const script = `source ${join(dir, "fish")}; complete -C ${JSON.stringify(line)}`;
      const env = { ...process.env, HOME: dir };
      const { stdout, stderr, status } = spawnSync("fish", ["--no-config", "-c", script], {
        cwd: dir,
        env,
        encoding: "utf8",
      });
      assert.equal(status, 0, stderr);
      holds(
        stdout
          .trim()
          .split("\n")
          .map((row) => row.split("\t", 1)[0] ?? ""),
        offers,
        not,
      );
    });
  }
});

await test("zsh completes", { skip: lacks("zsh") }, async (t) => {
  for (const { line, offers, not = [] } of typed) {
    await t.test(`"${line}"`, () => {
      const words = line.split(" ");
      // the three that completion calls, saying what they are given
      const script = `compdef() { :; }; compadd() { shift; print -l -- "$@"; }; _files() { print -l -- *; }
        _describe() { print -l -- "\${(@)candidates%%:*}"; }
        source ${join(dir, "zsh")}
        words=(${words.map((word) => `"${word}"`).join(" ")}); CURRENT=${words.length}
        _storectl`;
      const { stdout, stderr, status } = spawnSync("zsh", ["-f", "-c", script], { cwd: dir, encoding: "utf8" });
      assert.equal(stderr, "");
      assert.equal(status, 0);
      const last = words.at(-1) ?? "";
      // zsh itself leaves out what does not begin with what is typed
      const offered = stdout
        .trim()
        .split("\n")
        .filter((word) => word.startsWith(last) && (last !== "" || !word.startsWith("-")));
      holds(offered, offers, not);
    });
  }
});

/** The scripts of all shells, and files to complete. */
async function writeFiles(): Promise<void> {
  for (const shell of ["bash", "zsh", "fish"]) {
    let script = "";
    const print = (text: string): void => {
      script += text;
    };
    await runStorectl(["completion", shell], { env: {}, store: "", clock: systemClock, print });
    await writeFile(join(dir, shell), script);
  }
  for (const file of ["licence.txt", "licence.key"]) await writeFile(join(dir, file), "");
}

function lacks(shell: string): string | false {
  return spawnSync(shell, ["-c", "exit 0"]).status === 0 ? false : `there is no ${shell}`;
}

function holds(offered: readonly string[], offers: readonly string[], not: readonly string[]): void {
  for (const word of offers) assert.ok(offered.includes(word), `${word} is not offered: ${offered.join(" ")}`);
  for (const word of not) assert.ok(!offered.includes(word), `${word} is offered: ${offered.join(" ")}`);
}
