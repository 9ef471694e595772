import { Fault } from "../base/fault.ts";
import { releaseByOperator } from "../releases/find.ts";
import type { Release } from "../releases/release.ts";
import { faults } from "./faults.ts";

/** What an operator must know before it starts; read once, checked, frozen. */
export interface OperatorConfig {
  /** The namespace whose clusters it manages. */
  readonly namespace: string;
  /** Name of this instance among those that compete to lead. */
  readonly identity: string;
  /** Where metrics and probes are served. */
  readonly address: string;
  readonly release: Release;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the environment of the operator's container; `ownNamespace` is used when WATCH_NAMESPACE is not set. */
export function readOperatorConfig(env: Environment, ownNamespace: string): OperatorConfig {
  const version = env["STORE_RELEASE"] ?? "";
  const release = releaseByOperator(version);
  if (release === undefined) {
    const said = `STORE_RELEASE is "${version}", which is no operator version of the release catalogue`;
    throw new Fault(faults.badConfig, said, { version });
  }
  return Object.freeze({
    namespace: env["WATCH_NAMESPACE"] ?? ownNamespace,
    identity: env["POD_NAME"] ?? "store-enterprise-operator",
    address: env["POD_IP"] ?? "0.0.0.0",
    release,
  });
}
