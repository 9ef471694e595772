import { join } from "node:path";
import { ENGINES_UID, NODE_PATHS, NODE_UID } from "../../core/api/names.ts";

/** The configuration of a starter. */
export interface StarterConfig {
  /** Folder below which the mounts of its container are. */
  readonly root: string;
  readonly dataDir: string;
  /** The folder that it shares with the agent. */
  readonly sharedDir: string;
  /** The user whom it obeys. */
  readonly agentUid: number | undefined;
}

/** Where users of containers have no effect, as in a local world, agent and starter are the same one. */
export function starterConfig(
  env: Readonly<Record<string, string | undefined>>,
  uid = process.getuid?.(),
): StarterConfig {
  const root = env.CONTAINER_ROOT ?? "/";
  return {
    root,
    dataDir: join(root, NODE_PATHS.data),
    sharedDir: join(root, NODE_PATHS.shared),
    agentUid: uid === ENGINES_UID ? NODE_UID : uid,
  };
}
