import { createHmac, timingSafeEqual } from "node:crypto";
import { isJson, numberAt, textAt, textsAt, type Json } from "../objects/json.ts";

/** What a bearer token says about the service account that holds it. */
export interface TokenClaims {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  /** Seconds since 1970. */
  readonly expires: number;
}

export const DEFAULT_AUDIENCE = "https://kubernetes.default.svc.cluster.local";

const HEADER = encode({ alg: "HS256", typ: "JWT" });

/** A token (JWT, HS256) that holds these claims. */
export function signToken(key: Buffer, claims: TokenClaims, now: Date): string {
  const payload = encode({
    iss: DEFAULT_AUDIENCE,
    sub: `system:serviceaccount:${claims.namespace}:${claims.name}`,
    aud: claims.audiences,
    iat: Math.floor(now.getTime() / 1000),
    exp: claims.expires,
    "kubernetes.io": { namespace: claims.namespace, serviceaccount: { name: claims.name, uid: claims.uid } },
  });
  return `${HEADER}.${payload}.${signature(key, `${HEADER}.${payload}`)}`;
}

/** The claims of a token signed with `key` and not expired; undefined for every other text. */
export function verifyToken(key: Buffer, token: string, now: Date): TokenClaims | undefined {
  const [header, payload, given, ...more] = token.split(".");
  if (header !== HEADER || payload === undefined || given === undefined || more.length > 0) return undefined;
  const expected = Buffer.from(signature(key, `${header}.${payload}`));
  const actual = Buffer.from(given);
  if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) return undefined;
  const body: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
  const expires = numberAt(body, "exp") ?? 0;
  if (!isJson(body) || expires * 1000 <= now.getTime()) return undefined;
  const account = ["kubernetes.io", "serviceaccount"];
  return {
    namespace: textAt(body, "kubernetes.io", "namespace"),
    name: textAt(body, ...account, "name"),
    uid: textAt(body, ...account, "uid"),
    audiences: textsAt(body, "aud"),
    expires,
  };
}

function encode(value: Json): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function signature(key: Buffer, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}
