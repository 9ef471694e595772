import { parseJson } from "#kit/base/json";

/** What stands where a secret was. */
export const REDACTED = "[redacted]";

/** Takes secrets out of what is put into a support bundle. */
export interface Redaction {
  /** A value with every field whose name promises a secret emptied, in every text of it what `text` takes out. */
  value(value: unknown): unknown;
  /** A text without known secrets, and without what looks like one. */
  text(text: string): string;
}

/** Shorter ones would be found everywhere; a password of three letters is found by the names of fields alone. */
const SHORTEST = 4;

/** `secrets`: those that are known, whose every appearance is taken out, also in Base64 or as part of an address. */
export function redaction(secrets: readonly string[]): Redaction {
  const spellings = [...new Set(secrets.flatMap(spellingsOf))].toSorted((a, b) => b.length - a.length);
  const text = (plain: string): string =>
    PATTERNS.reduce(
      (seen, [pattern, put]) => seen.replace(pattern, put),
      spellings.reduce((seen, secret) => seen.replaceAll(secret, REDACTED), plain),
    );
  const value = (given: unknown): unknown => {
    if (typeof given === "string") return textOrJson(given);
    if (Array.isArray(given)) return given.map((item, index) => (isFlag(given[index - 1]) ? REDACTED : value(item)));
    if (typeof given !== "object" || given === null) return given;
    return Object.fromEntries(Object.entries(given).flatMap(([name, inner]) => field(name, inner, given)));
  };
  const field = (name: string, inner: unknown, owner: object): readonly (readonly [string, unknown])[] => {
    if (DROPPED.includes(name)) return [];
    const isValueOfSecret = name === "value" && "name" in owner && isSecretName(String(owner.name));
    const holds = typeof inner === "string" ? inner !== "" : typeof inner === "number";
    return [[name, holds && (isValueOfSecret || isSecretName(name)) ? REDACTED : value(inner)]];
  };
  /** Records are kept as JSON in a text. */
  const textOrJson = (given: string): string => {
    const inner = given.startsWith("{") ? parseJson(given) : undefined;
    return inner === undefined ? text(given) : JSON.stringify(value(inner));
  };
  return { value, text };
}

/** Who wrote a field is of no use, and what was last applied repeats everything as one text. */
const DROPPED = ["managedFields", "kubectl.kubernetes.io/last-applied-configuration"];

const SECRET_NAME =
  /^(?!.*name$).*(password|passwd|passphrase|secret|token|credential|privatekey|apikey|requirepass|masterauth)|^license$|[_-](auth|pass|pwd)$|^config$|_args$/i;
/** Names of things that are no secrets themselves. */
const NAMES_ONLY = /(Name|Names|Ref|Refs|Namespace|Path|File|State|Status|automountServiceAccountToken)$/;

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replaceAll(/[-_.](?=key$)/gi, "")) && !NAMES_ONLY.test(name);
}

function isFlag(before: unknown): boolean {
  return typeof before === "string" && /^--?[\w-]*(pass|token|secret|auth)[\w-]*$/i.test(before);
}

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // keys and licences, also with line ends spelled out; certificates and public keys are no secrets
  [/-----BEGIN (?!CERTIFICATE|PUBLIC KEY)([A-Z0-9 ]+)-----[^]*?(-----END \1-----|$)/g, REDACTED],
  [/\b(Basic|Bearer)\s+[A-Za-z0-9+/=._~-]{6,}/gi, `$1 ${REDACTED}`],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, REDACTED],
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, `$1${REDACTED}@`],
  [/([?&](?:[\w-]*(?:token|key|secret|sig|signature|pass\w*|auth)[\w-]*)=)[^&\s"'\\]+/gi, `$1${REDACTED}`],
  [
    /((?:password|passwd|passphrase|[_-]pass|token|secret|credentials?|requirepass|masterauth)\\?["']?[ \t]*[:=][ \t]*\\?["']?)[^\s"',\\}]+/gi,
    `$1${REDACTED}`,
  ],
  [/(--?[\w-]*(?:pass(?:word)?|token|secret)[\w-]*[ =])[^\s"']+/gi, `$1${REDACTED}`],
  [/\b((?:requirepass|masterauth|AUTH)\s+)(?!to\b|is\b|was\b)\S+/g, `$1${REDACTED}`],
];

function spellingsOf(secret: string): readonly string[] {
  const plain = secret.trim();
  if (plain.length < SHORTEST) return [];
  const escaped = JSON.stringify(plain).slice(1, -1);
  return [plain, secret, escaped, encodeURIComponent(plain), base64(secret), base64(plain)];
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64").replace(/=+$/, "");
}
