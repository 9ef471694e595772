import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseClusterAccess } from "../../core/api/cluster-access.ts";
import { ACCESS_KEY, RIGGER_PATHS } from "../../core/api/names.ts";
import { Fault, messageOf } from "#kit/base/fault";
import { faults } from "./faults.ts";

/** What a rigger must know before it starts. */
export interface RiggerConfig {
  /** Name of the cluster resource. */
  readonly cluster: string;
  readonly namespace: string;
  /** Certificate authority of the cluster, PEM. */
  readonly ca: string;
  readonly username: string;
  readonly password: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the environment and the mounts of the rigger's container. */
export function readRiggerConfig(env: Environment, ownNamespace: string): RiggerConfig {
  const root = env["CONTAINER_ROOT"] ?? "/";
  const cluster = env["CLUSTER_NAME"] ?? "";
  if (cluster === "") throw new Fault(faults.badConfig, "CLUSTER_NAME is not set");
  const read = (folder: string, key: string): string => {
    const path = join(root, folder, key);
    try {
      return readFileSync(path, "utf8").trim();
    } catch (error) {
      throw new Fault(faults.badConfig, `${path} cannot be read: ${messageOf(error)}`, { path }, error);
    }
  };
  // a Deployment that an operator of a release before 0.4.0 wrote has no such file
  const hasAccess = existsSync(join(root, RIGGER_PATHS.authority, ACCESS_KEY));
  const access = hasAccess ? parseClusterAccess(read(RIGGER_PATHS.authority, ACCESS_KEY)) : undefined;
  const login = access?.current ?? {
    username: read(RIGGER_PATHS.credentials, "username"),
    password: read(RIGGER_PATHS.credentials, "password"),
  };
  return {
    cluster,
    namespace: env["POD_NAMESPACE"] ?? ownNamespace,
    ca: read(RIGGER_PATHS.authority, "ca.crt"),
    ...login,
  };
}
