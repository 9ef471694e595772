/** Mode of files that an agent writes for an engine: for their owner alone, or for the group that both users have as well. */
export type EngineFileMode = 0o600 | 0o640;
