import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { test } from "node:test";
import { buildRelease, whyNotBuildable } from "../../scripts/releases/build.ts";
import { keptReleases } from "../../scripts/releases/history.ts";
import { toStored } from "../../src/core/records/stored-database.ts";
import { twoShards } from "../kit/facts/two-shards.ts";

const exec = promisify(execFile);
const { record } = twoShards({});
const { slots: _all, ...only } = record.shards[0] ?? {};
/** What this release stores of a database with one shard, and of one with two. */
const TEXTS = [{ ...record, shards: [only] } as typeof record, record].map((each) => JSON.stringify(toStored(each)));

/** Release 0.1.0 knows no formats: it is kept from such records by the capability alone. */
const WITHOUT_FORMATS = "0.1.0";

for (const kept of keptReleases().filter(({ version }) => version !== WITHOUT_FORMATS)) {
  const skip = (await whyNotBuildable(kept)) ?? false;
  await test(
    `release ${kept.version} reads a database of one shard, and never runs one of several`,
    { skip },
    async () => {
      const { folder, command } = await buildRelease(kept);
      const [node = ""] = command;
      const url = pathToFileURL(join(folder, "src/programs/agent/records/schema.ts")).href;
      const program = `
      const { parseDatabaseRecord } = await import(${JSON.stringify(url)});
      const answer = (text) => {
        try {
          return String(parseDatabaseRecord(text, "rec-db-${record.uid}").shards.length);
        } catch (error) {
          return error.message;
        }
      };
      process.stdout.write(JSON.stringify(${JSON.stringify(TEXTS)}.map(answer)));`;
      const { stdout } = await exec(node, ["--input-type=module", "--eval", program]);
      const [one, several] = JSON.parse(stdout) as readonly string[];
      assert.equal(one, "1");
      assert.match(several ?? "", /is not usable: .*must be at most 1/s);
    },
  );
}
