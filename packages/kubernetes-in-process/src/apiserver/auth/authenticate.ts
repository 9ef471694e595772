import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { apiErrors, apiError } from "../faults.ts";
import type { Store } from "../store/store.ts";
import { isAllowed, denialMessage } from "./rbac.ts";
import { DEFAULT_AUDIENCE, verifyToken, type TokenClaims } from "./tokens.ts";
import { AUTHENTICATED, serviceAccountUser, type User } from "./user.ts";

/**
 * The user behind a request: by verified client certificate, else by bearer token; 401 when there is neither. With
 * Impersonate-User the request counts as that user's; 403 unless the real one may impersonate.
 */
export function authenticate(request: IncomingMessage, store: Store, key: Buffer, now: Date): User {
  const user = certificateUser(request) ?? tokenUser(request, store, key, now);
  if (user === undefined) throw apiError(apiErrors.unauthorized, "Unauthorized");
  const name = request.headers["impersonate-user"];
  return typeof name === "string" && name !== "" ? impersonate(store, user, name, request) : user;
}

/** The user whom a bearer token stands for; undefined when it is not valid or its account is gone. */
export function userOfToken(token: string, store: Store, key: Buffer, now: Date, audience: string): User | undefined {
  const claims = verifyToken(key, token, now);
  return claims && userOfClaims(claims, store, audience);
}

function userOfClaims(claims: TokenClaims, store: Store, audience: string): User | undefined {
  if (!claims.audiences.includes(audience)) return undefined;
  const account = store.get("serviceaccounts", `${claims.namespace}/${claims.name}`);
  if (account === undefined || account.metadata.uid !== claims.uid) return undefined;
  return serviceAccountUser(claims.namespace, claims.name, claims.uid);
}

function impersonate(store: Store, user: User, name: string, request: IncomingMessage): User {
  const sent = request.headersDistinct["impersonate-group"] ?? [];
  const wanted = [["users", name] as const, ...sent.map((group) => ["groups", group] as const)];
  for (const [plural, each] of wanted) {
    const action = {
      kind: "resource",
      verb: "impersonate",
      group: "",
      plural,
      subresource: undefined,
      namespace: undefined,
      name: each,
    } as const;
    if (isAllowed(store, user, action)) continue;
    throw apiError(
      apiErrors.forbidden,
      `${plural} ${JSON.stringify(each)} is forbidden: ${denialMessage(user, action)}`,
    );
  }
  const [system, kind, namespace = "", account = ""] = name.split(":");
  if (system === "system" && kind === "serviceaccount") {
    const known = serviceAccountUser(namespace, account, "");
    return { name, groups: [...known.groups, ...sent] };
  }
  return { name, groups: [...sent, AUTHENTICATED] };
}

/** The user of each connection with a certificate; to read one takes longer than most requests. */
const certificateUsers = new WeakMap<TLSSocket, User>();

function certificateUser({ socket }: IncomingMessage): User | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const known = certificateUsers.get(socket);
  if (known !== undefined) return known;
  const { subject } = socket.getPeerCertificate();
  const name = first(subject?.CN);
  if (name === undefined) return undefined;
  const user: User = { name, groups: [...all(subject?.O), AUTHENTICATED] };
  certificateUsers.set(socket, user);
  return user;
}

function tokenUser(request: IncomingMessage, store: Store, key: Buffer, now: Date): User | undefined {
  const found = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "");
  if (found?.[1] === undefined) return undefined;
  const claims = claimsOn(request.socket, found[1].trim(), key, now);
  return claims && userOfClaims(claims, store, DEFAULT_AUDIENCE);
}

/** The token that each connection has shown: to verify it takes longer than most of a request. */
const shownTokens = new WeakMap<Socket, { readonly token: string; readonly claims: TokenClaims }>();

function claimsOn(socket: Socket, token: string, key: Buffer, now: Date): TokenClaims | undefined {
  const shown = shownTokens.get(socket);
  if (shown?.token === token && shown.claims.expires * 1000 > now.getTime()) return shown.claims;
  const claims = verifyToken(key, token, now);
  if (claims !== undefined) shownTokens.set(socket, { token, claims });
  return claims;
}

function all(field: string | string[] | undefined): string[] {
  if (field === undefined) return [];
  return Array.isArray(field) ? field : [field];
}

function first(field: string | string[] | undefined): string | undefined {
  return all(field)[0];
}
