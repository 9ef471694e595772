import assert from "node:assert/strict";
import { mkdtempDisposable, readFile, readdir, readlink, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { PodSpec } from "kubernetes-types/core/v1.js";
import { Fault } from "../../../../controller-kit/src/base/fault.ts";
import { podFactsOf } from "../../testing/pod-facts.ts";
import type { ConfigContents } from "../environment/config-sources.ts";
import { mountVolumes, prepareVolumes } from "./volumes.ts";
import type { VolumePlaces } from "./volumes.ts";

test("a secret's files are replaced all at once when it changes", async () => {
  await using dir = await mkdtempDisposable(join(tmpdir(), "volumes-"));
  const old = { "tls.crt": Buffer.from("cert 1"), "tls.key": Buffer.from("key 1") };
  const spec = pod({ secret: { secretName: "tls" } });
  const root = await laidOut(dir, spec, old);
  assert.equal(await readFile(join(root, "data/tls.crt"), "utf8"), "cert 1");
  const before = await readlink(join(root, "data/..data"));
  await laidOut(dir, spec, old);
  assert.equal(await readlink(join(root, "data/..data")), before, "nothing changed, nothing replaced");
  await laidOut(dir, spec, { "tls.crt": Buffer.from("cert 2"), "ca.crt": Buffer.from("ca") });
  assert.deepEqual((await readdir(join(root, "data"))).filter((name) => !name.startsWith("..")).sort(), [
    "ca.crt",
    "tls.crt",
  ]);
  assert.equal(await readFile(join(root, "data/tls.crt"), "utf8"), "cert 2");
});

test("chosen keys land at their paths with their modes", async () => {
  await using dir = await mkdtempDisposable(join(tmpdir(), "volumes-"));
  const secret = { password: Buffer.from("pw"), other: Buffer.from("x") };
  const spec = pod({ secret: { secretName: "tls", items: [{ key: "password", path: "deep/pw", mode: 0o400 }] } });
  const root = await laidOut(dir, spec, secret);
  assert.equal(await readFile(join(root, "data/deep/pw"), "utf8"), "pw");
  assert.equal((await stat(join(root, "data/deep/pw"))).mode & 0o777, 0o400);
});

test("a projected volume gathers secrets, config, fields and the token", async () => {
  await using dir = await mkdtempDisposable(join(tmpdir(), "volumes-"));
  const secret = { a: Buffer.from("1") };
  const sources = [
    { secret: { name: "tls" } },
    { configMap: { name: "settings" } },
    { downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] } },
    { serviceAccountToken: { path: "token" } },
  ];
  const root = await laidOut(dir, pod({ projected: { sources } }), secret);
  const names = ["a", "color", "name", "token"];
  const read = await Promise.all(names.map((name) => readFile(join(root, "data", name), "utf8")));
  assert.deepEqual(read, ["1", "red", "web-0", "the token"]);
});

test("a persistent volume is the same folder for every pod, and sub-paths are made in it", async () => {
  await using dir = await mkdtempDisposable(join(tmpdir(), "volumes-"));
  const spec = pod({ persistentVolumeClaim: { claimName: "data" } }, "inner");
  const root = await laidOut(dir, spec);
  await writeFile(join(root, "data/file"), "kept");
  assert.equal(await readFile(join(dir.path, "persistent/pv-1/inner/file"), "utf8"), "kept");
});

const waits: { name: string; spec: PodSpec; says: RegExp }[] = [
  { name: "a missing secret", spec: pod({ secret: { secretName: "absent" } }), says: /secret "absent" not found/ },
  {
    name: "a missing claim",
    spec: pod({ persistentVolumeClaim: { claimName: "absent" } }),
    says: /persistentvolumeclaim "absent" not found/,
  },
  { name: "a claim without a volume", spec: pod({ persistentVolumeClaim: { claimName: "unbound" } }), says: /unbound/ },
  { name: "a volume of another type", spec: pod({ hostPath: { path: "/" } }), says: /pods as processes cannot/ },
  { name: "a path out of the volume", spec: pod({ emptyDir: {} }, "../../etc"), says: /not inside/ },
  {
    name: "a mount path out of the root",
    spec: { ...pod({ emptyDir: {} }), containers: [mounting("/../../up")] },
    says: /not inside/,
  },
];

for (const { name, spec, says } of waits) {
  test(`${name} is named`, async () => {
    await using dir = await mkdtempDisposable(join(tmpdir(), "volumes-"));
    await assert.rejects(laidOut(dir, spec), (error) => error instanceof Fault && says.test(error.message));
  });
}

function pod(source: Omit<NonNullable<PodSpec["volumes"]>[number], "name">, subPath = ""): PodSpec {
  return { volumes: [{ name: "v", ...source }], containers: [mounting("/data", subPath)] };
}

function mounting(mountPath: string, subPath = ""): PodSpec["containers"][number] {
  return { name: "main", volumeMounts: [{ name: "v", mountPath, ...(subPath === "" ? {} : { subPath }) }] };
}

/** The root of the one container, with its volumes mounted; `secret` is what the Secret `tls` holds. */
async function laidOut(dir: { readonly path: string }, spec: PodSpec, secret?: ConfigContents): Promise<string> {
  const places: VolumePlaces = {
    podFolder: join(dir.path, "pod", JSON.stringify(spec).length.toString()),
    persistentFolder: join(dir.path, "persistent"),
    claim: async (name) =>
      name === "absent"
        ? undefined
        : {
            apiVersion: "v1",
            kind: "PersistentVolumeClaim",
            metadata: { name, uid: "c", resourceVersion: "1" },
            spec: name === "unbound" ? {} : { volumeName: "pv-1" },
          },
  };
  const root = join(places.podFolder, "root");
  const sources = {
    secret: async (name: string) => (name === "tls" ? secret : undefined),
    configMap: async () => ({ color: Buffer.from("red") }),
  };
  await prepareVolumes(spec, places, { facts: podFactsOf({}, spec), sources, token: async () => "the token" });
  const [container] = spec.containers;
  if (container !== undefined) await mountVolumes(container, spec, root, places, {});
  return root;
}
