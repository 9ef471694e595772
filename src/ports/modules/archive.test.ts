import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { zipOf, type ZipEntry } from "../../../test/kit/modules/zip.ts";
import { platformsOf } from "../../core/api/module-manifest.ts";
import { openModule } from "./archive.ts";
import { openArchive } from "./entries.ts";

const manifest = {
  module_name: "counter",
  display_name: "Counter",
  semantic_version: "1.2.0",
  compatible_redis_version: "7.4",
  architecture: "x86_64",
  operating_systems: ["rhel9", "ubuntu18"],
  commands: [{ command_name: "counter.add" }],
};
const library = Buffer.concat([Buffer.from([0x7f, 0x45, 0x4c, 0x46]), Buffer.from("code")]);
const describing = (change: object = {}): ZipEntry => ({
  name: "module.json",
  data: JSON.stringify({ ...manifest, ...change }),
});
const code: ZipEntry = { name: "counter.so", data: library };

test("a good archive opens: its manifest, its shared object, the digest of that", async () => {
  const archive = blobOf([describing(), code, { name: "LICENSE", data: "free" }]);
  await using opened = await openModule(archive);
  assert.equal(opened.manifest.module_name, "counter");
  assert.deepEqual(await buffer(opened.library()), library);
  assert.equal(opened.bytes, library.length);
  assert.match(opened.sha256, /^[0-9a-f]{64}$/);
  assert.deepEqual(platformsOf(opened.manifest), ["rhel9/x86_64", "ubuntu18/x86_64"]);
  await using same = await openModule(blobOf([describing({ sha256: opened.sha256 }), code]));
  assert.equal(same.sha256, opened.sha256);
});

const wrong: readonly (readonly [string, readonly ZipEntry[], RegExp])[] = [
  ["no manifest", [code], /no module\.json at its top/],
  ["a manifest in a folder", [{ ...describing(), name: "x/module.json" }, code], /no module\.json at its top/],
  ["a manifest that is no JSON", [{ name: "module.json", data: "{" }, code], /no JSON/],
  ["no shared object", [describing()], /no file that ends in \.so/],
  ["another shared object than it names", [describing({ module_file: "other.so" }), code], /no other\.so at its top/],
  [
    "two shared objects, none named",
    [describing(), code, { ...code, name: "b.so" }],
    /module_file is missing.*counter\.so, b\.so/,
  ],
  [
    "text that is called a shared object",
    [describing(), { name: "counter.so", data: "#!/bin/sh" }],
    /no shared object/,
  ],
  ["another digest", [describing({ sha256: "0".repeat(64) }), code], /sha256 is 0{64}, and/],
  ["a name that leads elsewhere", [describing({ module_name: "../x" }), code], /module_name/],
  ["a version that is none", [describing({ semantic_version: "new" }), code], /semantic_version/],
  ["a file name that leads elsewhere", [describing({ module_file: "../x.so" }), code], /module_file/],
  ["a missing field", [describing({ commands: undefined }), code], /commands/],
];
for (const [what, entries, message] of wrong) {
  test(`an archive with ${what} is refused by name`, async () => {
    await assert.rejects(openModule(blobOf(entries)), { code: "MODULES_BAD_MANIFEST", message: message });
  });
}

const harmful: readonly (readonly [string, readonly ZipEntry[], RegExp])[] = [
  ["a path above it", [{ name: "../../etc/passwd", data: "x" }], /invalid relative path/],
  ["an absolute path", [{ name: "/etc/passwd", data: "x" }], /absolute path/],
  ["a path with backslashes", [{ name: "..\\x", data: "x" }], /invalid characters/],
  ["a link", [{ name: "l", data: "/etc/passwd", mode: 0o120777 }], /"l" is no plain file/],
  ["a device", [{ name: "d", data: "", mode: 0o060600 }], /"d" is no plain file/],
  ["a name twice", [code, code], /"counter\.so" is in it twice/],
  ["a file that grows a thousand times", [{ name: "b", data: Buffer.alloc(1 << 20) }], /"b" grows from/],
  ["a size that lies", [{ name: "b", data: Buffer.alloc(1 << 20), claimedSize: 100 }], /too many bytes|more/i],
  ["a checksum that lies", [{ name: "b", data: "x", claimedCrc: 1 }], /"b" is damaged/],
  [
    "too many files",
    Array.from({ length: 65 }, (_, at) => ({ name: `f${at}`, data: "x" })),
    /holds 65 files, at most 64/,
  ],
];
for (const [what, entries, message] of harmful) {
  test(`an archive with ${what} is refused`, async () => {
    await assert.rejects(readAll(blobOf(entries)), { code: "MODULES_UNSAFE_ARCHIVE", message: message });
  });
}

test("sizes are bounded together, packed and unpacked", async () => {
  const limits = { packed: 1_000, entries: 64, total: 150, ratio: 1_000 };
  const entries = ["a", "b"].map((name) => ({ name, data: "x".repeat(100) }));
  await assert.rejects(openArchive(blobOf(entries), limits), /unpacked it has more than 150 bytes/);
  await assert.rejects(openArchive(new Blob([Buffer.alloc(1_001)]), limits), /1001 bytes, at most 1000/);
});

test("a file that is no zip, or half of one, is refused as such", async () => {
  const whole = zipOf([describing(), code]);
  for (const bytes of [Buffer.alloc(0), Buffer.from("hello"), whole.subarray(0, whole.length / 2)]) {
    await assert.rejects(openModule(new Blob([bytes])), { code: "MODULES_NOT_AN_ARCHIVE" });
  }
});

test("a shared object that is damaged is refused before anything of it is used", async () => {
  const entries = [describing(), { ...code, claimedCrc: 1 }];
  await assert.rejects(openModule(blobOf(entries)), {
    code: "MODULES_UNSAFE_ARCHIVE",
    message: /"counter\.so" is damaged/,
  });
});

test("of a shared object that grows a hundred times little is in memory", async () => {
  // random within a kilobyte, so that it packs well and not too well
  const part = Buffer.concat([randomBytes(1 << 10), Buffer.alloc(127 << 10)]);
  const large = Buffer.concat([library, ...Array.from({ length: 1_600 }, () => part)]);
  const archive = blobOf([describing(), { name: "counter.so", data: large }]);
  assert.ok(archive.size < large.length / 50, "it is packed");
  const before = process.memoryUsage().rss;
  await using opened = await openModule(archive);
  assert.equal(opened.bytes, large.length);
  const grown = process.memoryUsage().rss - before;
  assert.ok(grown < large.length / 2, `reading ${large.length} bytes took ${grown}`);
});

function blobOf(entries: readonly ZipEntry[]): Blob {
  return new Blob([new Uint8Array(zipOf(entries))]);
}

async function readAll(file: Blob): Promise<void> {
  await using archive = await openArchive(file);
  for (const name of archive.files.keys()) await buffer(archive.content(name));
}
