/** So many Secrets of databases and users are there before nodes need them: as many are made while no operator runs. */
export const SECRETS_AHEAD = { databases: 16, users: 8 } as const;
