/** What HELLO and SELECT change of a connection. Clients with the same settings share a lane. */
export interface ConnectionSettings {
  readonly protocol: number;
  readonly database: number;
}

/** The settings of a new connection. */
export const DEFAULT_SETTINGS: ConnectionSettings = { protocol: 2, database: 0 };

/** Equal for equal settings, and different for different ones. */
export function settingsKey({ protocol, database }: ConnectionSettings): string {
  return `${protocol}:${database}`;
}
