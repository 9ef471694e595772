/** So many Secrets of databases and users are there before nodes need them: as many are made while no operator runs. */
export const SECRETS_AHEAD = { databases: 16, users: 8 } as const;

/** So many that nodes have passed over without filling them may be left before the operator makes no more. */
export const MOST_PASSED_OVER = 48;
