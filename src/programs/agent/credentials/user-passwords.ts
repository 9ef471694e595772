import { APP_LABEL, LABELS, clusterNames } from "../../../core/api/names.ts";
import { Secrets } from "#kit/kube/builtin";
import { SECRETS_AHEAD } from "../../../core/api/secrets-ahead.ts";
import type { OwnSecretsDeps } from "./granted.ts";
import { numberedSecrets, type FreeSecret, type NumberedSecrets } from "./numbered-secrets.ts";

/** Hashes of the passwords of users; each in a Secret of its own, which is never changed. */
export interface UserPasswords {
  /** Undefined when the Secret is gone. */
  hashIn(secret: string): Promise<string | undefined>;
  /** Secrets for the next passwords. */
  readonly free: Pick<NumberedSecrets, "take" | "isReady">;
  /** Keeps a hash in a Secret that was taken for it; false when the Secret is gone. */
  keep(hash: string, free: FreeSecret): Promise<boolean>;
  remove(secret: string): Promise<void>;
  /** Forgets what all other Secrets hold. */
  keepOnly(secrets: ReadonlySet<string>): void;
}

/** The passwords of the users of `cluster`. */
export function userPasswords(deps: OwnSecretsDeps): UserPasswords {
  const { kube, cluster, namespace } = deps;
  const nameOf = (number: number): string => clusterNames.userSecret(cluster, String(number));
  const free = numberedSecrets(deps, { nameOf, ahead: SECRETS_AHEAD.users });
  const known = new Map<string, string>();
  return {
    async hashIn(name) {
      const held = known.get(name);
      if (held !== undefined) return held;
      const encoded = (await kube.get(Secrets, { name, namespace }))?.data?.hash;
      if (encoded === undefined) return undefined;
      const hash = Buffer.from(encoded, "base64").toString("utf8");
      known.set(name, hash);
      return hash;
    },
    free,
    keep: (hash, taken) => {
      const labels = { [LABELS.app]: APP_LABEL, [LABELS.cluster]: cluster };
      return free.fill(taken, { labels, data: { hash: Buffer.from(hash, "utf8").toString("base64") } });
    },
    async remove(name) {
      known.delete(name);
      await kube.delete(Secrets, { name, namespace });
    },
    keepOnly(secrets) {
      for (const name of known.keys()) if (!secrets.has(name)) known.delete(name);
    },
  };
}
