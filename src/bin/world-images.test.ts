import assert from "node:assert/strict";
import { test } from "node:test";
import { CATALOGUE } from "../core/releases/catalogue/catalogue.ts";
import { latestRelease } from "../core/releases/catalogue/find.ts";
import { imagesOf } from "../core/releases/catalogue/images.ts";
import { NODE_ARGS } from "./node-args.ts";
import { programPath } from "./program-path.ts";
import { worldImages } from "./world-images.ts";

const images = worldImages({ STORE_ENGINES_DIR: "/engines", HOME: "/home/ann", SECRET: "x" }, "/cache");
const { operator, nodeTag } = latestRelease();

test("every image of every release runs the program of this checkout as that release", () => {
  for (const release of CATALOGUE) {
    for (const image of Object.values(imagesOf(release))) {
      const found = images.resolve(image);
      assert.deepEqual(found?.command, [process.execPath, ...NODE_ARGS, programPath()], image);
      assert.equal(found?.env["STORE_RELEASE"], release.operator, image);
    }
  }
});

test("an image may come from any registry", () => {
  const image = `registry.local:5000/deep/er/node:${nodeTag}`;
  assert.equal(images.resolve(image)?.env["STORE_RELEASE"], operator);
});

test("a digest decides, whatever the tag beside it says", () => {
  const older = CATALOGUE[0];
  const digest = images.resolve(`node:${older?.nodeTag}`)?.digest ?? "";
  assert.match(digest, /^sha256:[0-9a-f]{64}$/);
  assert.equal(images.resolve(`node:${nodeTag}@${digest}`)?.env["STORE_RELEASE"], older?.operator);
  assert.notEqual(images.resolve(`node:${nodeTag}`)?.digest, digest);
  assert.equal(images.resolve(`node:${nodeTag}@sha256:${"0".repeat(64)}`), undefined, "a digest that no image has");
});

test("no other image exists", () => {
  const others = [
    "busybox",
    "nginx:1",
    `operator:${nodeTag}`,
    `node:${operator}x`,
    "node",
    "node:latest",
    "",
    ":",
    "@",
  ];
  for (const image of others) assert.equal(images.resolve(image), undefined, image);
});

test("programs get the engines' folder and nothing else of this process", () => {
  const env = images.resolve(`node:${nodeTag}`)?.env ?? {};
  assert.deepEqual(Object.keys(env).sort(), ["NODE_COMPILE_CACHE", "STORE_ENGINES_DIR", "STORE_RELEASE"]);
  assert.equal(env["STORE_ENGINES_DIR"], "/engines");
});
