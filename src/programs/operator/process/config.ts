import { Fault } from "#kit/base/fault";
import { releaseByOperator } from "../../../core/releases/catalogue/find.ts";
import type { Platform } from "../../../core/releases/permissions/permission.ts";
import type { Release } from "../../../core/releases/catalogue/release.ts";
import type { VersionModules } from "../../../core/releases/engines/bundled-module.ts";
import { readBaseSystem } from "../../../mechanisms/observe/environment/base-system.ts";
import { faults } from "../faults.ts";

/** What an operator must know before it starts; read once, checked, frozen. */
export interface OperatorConfig {
  /** The namespace whose clusters it manages. */
  readonly namespace: string;
  /** Name of this instance among those that compete to lead. */
  readonly identity: string;
  /** Where metrics and probes are served. */
  readonly address: string;
  readonly release: Release;
  /** Base system of its image, for instance `rhel9`; absent when the image does not say. */
  readonly baseSystem?: string | undefined;
  /** What the engines of its image bring; absent from programs that run without an image. */
  readonly ownModules?: Promise<readonly VersionModules[]>;
  /** Plain Kubernetes when absent. */
  readonly platform?: Platform;
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
    baseSystem: readBaseSystem(env["CONTAINER_ROOT"] ?? "/"),
    platform: platformOf(env["IS_OPENSHIFT"] ?? ""),
  });
}

function platformOf(value: string): Platform {
  switch (value) {
    case "true":
      return "openshift";
    case "":
    case "false":
      return "kubernetes";
    default: {
      const said = `IS_OPENSHIFT is "${value}"; it is "true" (distro.bundle.yaml), "false" or not set`;
      throw new Fault(faults.badConfig, said, { value });
    }
  }
}
