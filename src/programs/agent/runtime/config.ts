import { isIP } from "node:net";
import { join } from "node:path";
import { NODE_PATHS, clusterNames } from "../../../core/api/names.ts";
import { Fault } from "#kit/base/fault";
import { MOST_WORKERS, proxyWorkers } from "../../../core/planner/node/proxy-workers.ts";
import { releaseByOperator } from "../../../core/releases/catalogue/find.ts";
import type { Release } from "../../../core/releases/catalogue/release.ts";
import { readBaseSystem } from "../../../mechanisms/observe/environment/base-system.ts";
import { cpuLimit } from "#kit/processes/cpu-limit";
import { memoryLimit } from "#kit/processes/memory-limit";
import { faults } from "../faults.ts";

/** The configuration of an agent: read once, validated, frozen. */
export interface AgentConfig {
  readonly podName: string;
  readonly namespace: string;
  /** The node's own address: engines, proxy and management API listen there. */
  readonly address: string;
  /** Name of the cluster resource. */
  readonly cluster: string;
  /** uid of this node: the pod's ordinal plus one. */
  readonly node: number;
  readonly release: Release;
  /** Base system of its image, for instance `rhel9`; undefined when the image does not say. */
  readonly baseSystem: string | undefined;
  /** Folder below which the pod's mounts are. */
  readonly root: string;
  readonly dataDir: string;
  readonly tlsDir: string;
  readonly credentialsDir: string;
  /** Folder that it shares with the container of the engines; undefined: engines are its own children. */
  readonly sharedDir: string | undefined;
  /** Processes that share the clients of each endpoint. */
  readonly workers: number;
  /** How long leaving the node may take after SIGTERM, in milliseconds. */
  readonly graceMs: number;
}

/** The name on the certificates and on the licence of the cluster. */
export function clusterDnsName({ cluster, namespace }: Pick<AgentConfig, "cluster" | "namespace">): string {
  return clusterNames.dnsName(cluster, namespace);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the environment of the node container; AGENT_BAD_CONFIG names the first variable that is missing or wrong. */
export function readAgentConfig(env: Environment): AgentConfig {
  const podName = requireVariable(
    env,
    "POD_NAME",
    /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?-\d{1,3}$/,
    "<statefulset>-<ordinal>",
  );
  const address = requireVariable(env, "POD_IP");
  if (isIP(address) === 0) throw bad("POD_IP", address, "an IP address");
  const root = env.CONTAINER_ROOT ?? "/";
  const sharedDir = hasEngineContainer(env.ENGINES_RUN ?? "in-node") ? join(root, NODE_PATHS.shared) : undefined;
  return Object.freeze({
    podName,
    namespace: requireVariable(env, "POD_NAMESPACE"),
    address,
    cluster: requireVariable(env, "CLUSTER_NAME"),
    node: Number(podName.slice(podName.lastIndexOf("-") + 1)) + 1,
    release: releaseOf(requireVariable(env, "STORE_RELEASE")),
    baseSystem: readBaseSystem(root),
    root,
    dataDir: join(root, NODE_PATHS.data),
    tlsDir: join(root, NODE_PATHS.tls),
    credentialsDir: join(root, NODE_PATHS.credentials),
    sharedDir,
    workers: workersOf(env.PROXY_WORKERS, root, sharedDir),
    graceMs: graceOf(env.SHUTDOWN_GRACE_SECONDS ?? "120"),
  });
}

function requireVariable(
  env: Environment,
  name: string,
  form = /^[^\s]{1,253}$/,
  expected = "a non-empty word",
): string {
  const value = env[name] ?? "";
  if (!form.test(value)) throw bad(name, value, expected);
  return value;
}

function releaseOf(version: string): Release {
  const release = releaseByOperator(version);
  if (release === undefined) throw bad("STORE_RELEASE", version, "an operator version of the release catalogue");
  return release;
}

/** Pods that operators before 0.4.0 have made do not say it, nor do agents without a pod. */
function hasEngineContainer(where: string): boolean {
  if (where !== "in-node" && where !== "in-own-container")
    throw bad("ENGINES_RUN", where, '"in-node" or "in-own-container"');
  return where === "in-own-container";
}

/** Unless it is said, by the limits of the container; one where it is that of the engines too, whose part of it is not known. */
function workersOf(said: string | undefined, root: string, sharedDir: string | undefined): number {
  if (said === undefined) return sharedDir === undefined ? 1 : proxyWorkers(cpuLimit(root), memoryLimit(root));
  if (!/^\d$/.test(said) || Number(said) < 1 || Number(said) > MOST_WORKERS)
    throw bad("PROXY_WORKERS", said, `a number from 1 to ${MOST_WORKERS}`);
  return Number(said);
}

function graceOf(text: string): number {
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > 31_536_000) {
    throw bad("SHUTDOWN_GRACE_SECONDS", text, "a whole number of seconds from 0 to 31536000");
  }
  return seconds * 1000;
}

function bad(name: string, value: string, expected: string): Fault {
  return new Fault(faults.badConfig, `${name} is "${value}"; it must be ${expected}`, { name, value });
}
