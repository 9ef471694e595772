import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { minorOf, type KubectlBinary } from "../kit/kubernetes/kubectl.ts";
import { findAssets } from "../kubernetes/assets/assets.ts";

/** Every kubectl to test with, the newest first: STORE_KUBECTL (colon-separated), PATH, the real Kubernetes of the tests, and what gcloud brings. */
export function foundKubectls(): readonly KubectlBinary[] {
  const named = (process.env["STORE_KUBECTL"] ?? "").split(":").filter((path) => path !== "");
  const assets = findAssets("api");
  const built = "reason" in assets ? [] : [join(assets.folder, "kubectl")];
  const candidates = [...named, "kubectl", ...built, ...globSync("/usr/lib/google-cloud-sdk/bin/kubectl.1.*")];
  const binaries = candidates.map(askVersion).filter((binary) => binary !== undefined);
  return binaries.toSorted((a, b) => minorOf(b.version) - minorOf(a.version));
}

function askVersion(path: string): KubectlBinary | undefined {
  const { stdout } = spawnSync(path, ["version", "--client"], { encoding: "utf8", timeout: 20_000 });
  const version = /GitVersion:"(v[^"]+)"|Client Version: (v\d[\w.+-]*)/
    .exec(stdout ?? "")
    ?.slice(1)
    .find((group) => group);
  return version === undefined ? undefined : { path, version };
}
