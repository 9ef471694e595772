import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { NODE_PATHS } from "../../src/core/api/names.ts";
import { ARCHIVE_LIMITS } from "../../src/ports/modules/entries.ts";
import { until } from "#kit/testing/until";
import { startTestCluster } from "../kit/world/cluster.ts";
import { basic, sendHttp } from "../kit/world/http.ts";

const BOUNDARY = "x-x";

await using cluster = await startTestCluster({ nodes: 1 });

const wrong: readonly {
  readonly rule: string;
  readonly body: string;
  readonly type?: string;
  readonly status: number;
  readonly code: string;
  readonly says: RegExp;
}[] = [
  {
    rule: "a form without a boundary",
    body: part("module", "x"),
    type: "multipart/form-data",
    status: 400,
    code: "bad_request",
    says: /no multipart form: .*[Bb]oundary/,
  },
  {
    rule: "a form that ends in the middle",
    body: part("module", "x").slice(0, -10),
    status: 400,
    code: "bad_request",
    says: /no multipart form: .*end/,
  },
  { rule: "a form of nothing", body: `--${BOUNDARY}--\r\n`, status: 400, code: "no_module", says: /no file "module"/ },
  { rule: "another file", body: part("archive", "x"), status: 400, code: "no_module", says: /the file "archive"/ },
  {
    rule: "a second file",
    body: part("module", "x").replace(`--${BOUNDARY}--\r\n`, "") + part("module", "y"),
    status: 400,
    code: "no_module",
    says: /one file, "module", is taken/,
  },
  {
    rule: "a field that is no file",
    body: `--${BOUNDARY}\r\ncontent-disposition: form-data; name="module"\r\n\r\nx\r\n--${BOUNDARY}--\r\n`,
    status: 400,
    code: "no_module",
    says: /the field "module" is no file/,
  },
  { rule: "no archive", body: part("module", "x"), status: 400, code: "invalid_module", says: /no zip archive/ },
  {
    rule: "an archive that is too large",
    body: part("module", "x".repeat(ARCHIVE_LIMITS.packed + 1)),
    status: 413,
    code: "body_too_large",
    says: /larger than the 67108864 bytes that are read/,
  },
];

for (const { rule, body, type = `multipart/form-data; boundary=${BOUNDARY}`, status, code, says } of wrong) {
  await test(`an upload with ${rule} is refused, and nothing of it stays on the node`, async () => {
    const headers = { authorization: basic("admin@test", "test-password"), "content-type": type };
    const answer = await sendHttp(cluster, { method: "POST", path: "/v2/modules", body, headers });
    assert.deepEqual([answer.status, JSON.parse(answer.text).error_code], [status, code], answer.text);
    assert.match(JSON.parse(answer.text).description, says);
    const folder = join(cluster.root(1), NODE_PATHS.data, "modules");
    await until("nothing is left", async () => (await readdir(folder)).length === 0);
  });
}

function part(name: string, content: string): string {
  const head = `content-disposition: form-data; name="${name}"; filename="m.zip"\r\ncontent-type: application/zip`;
  return `--${BOUNDARY}\r\n${head}\r\n\r\n${content}\r\n--${BOUNDARY}--\r\n`;
}
