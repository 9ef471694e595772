/** A key by which the files of backups are encrypted, as the Secret of its owner has it. Never logged, never in an argument. */
export interface BackupKey {
  /** `key-<number>`. */
  readonly name: string;
  /** 32 bytes as base64. */
  readonly key: string;
}

/** The name of a key: that with the highest number encrypts, and all decrypt. */
export const BACKUP_KEY_NAME = /^key-[1-9]\d{0,8}$/;

/** The text of a key: 32 bytes as base64. */
export const BACKUP_KEY_TEXT = /^[A-Za-z0-9+/]{43}=$/;

/** So many are read at most. */
export const MOST_BACKUP_KEYS = 100;

/** The key that encrypts; undefined where there is none. */
export function newestKey(keys: readonly BackupKey[]): BackupKey | undefined {
  return keys.toSorted((one, other) => numberOf(other) - numberOf(one))[0];
}

/** The keys of a Secret with these texts; or which text is none, without saying it. */
export function backupKeysIn(texts: ReadonlyMap<string, string>): readonly BackupKey[] | { readonly refusal: string } {
  const named = [...texts].filter(([name]) => BACKUP_KEY_NAME.test(name));
  const wrong = named.find(([, text]) => !BACKUP_KEY_TEXT.test(text.trim()));
  if (wrong !== undefined) return { refusal: `${wrong[0]} is not 32 bytes as base64` };
  if (named.length > MOST_BACKUP_KEYS)
    return { refusal: `it has ${named.length} keys, and ${MOST_BACKUP_KEYS} at most are read` };
  return named.map(([name, text]) => ({ name, key: text.trim() }));
}

function numberOf({ name }: BackupKey): number {
  return Number(name.slice("key-".length));
}
