import { isIP } from "node:net";
import type { Secret } from "kubernetes-types/core/v1.js";
import { Fault } from "#kit/base/fault";
import { faults } from "../../../core/migration/faults.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";
import { EngineTls } from "../../../ports/resp/engine-tls.ts";

/** What a Secret holds. */
type SecretData = Pick<Secret, "data">;

/** What is known of a source besides its URI. */
export interface SourceAccess {
  /** With `password`, and `username` and `ca.crt` where it has them. */
  readonly secret: SecretData | undefined;
  /** The certificates of the authority that the source is verified with; absent: those of the system. */
  readonly authority: string | undefined;
  /** The name in its certificate, when it is another one than in the URI. */
  readonly serverName: string | undefined;
}

/** What the URI of a source says. */
export interface SourceUri {
  readonly host: string;
  readonly port: number;
  /** Empty: it names none. */
  readonly user: string;
  readonly isTls: boolean;
}

/** What a URI says; MIGRATION_BAD_URI when it names no service, or has a password. */
export function readSourceUri(uri: string): SourceUri {
  const { protocol, hostname, port, username, password, pathname } = urlOf(uri);
  if (!["redis:", "rediss:"].includes(protocol) || hostname === "")
    throw new Fault(faults.badUri, "The URI names no service.");
  if (password !== "")
    throw new Fault(
      faults.badUri,
      "The URI has a password, which all who list processes would read: name a Secret with it by --secret.",
    );
  if (!["", "/"].includes(pathname))
    throw new Fault(faults.badUri, `The URI names ${pathname}: all numbered databases are led in together.`);
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? DEFAULT_PORT : Number(port),
    user: userIn(username),
    isTls: protocol === "rediss:",
  };
}

/** How a source is reached. */
export function sourceAddress(
  { host, port, user, isTls }: SourceUri,
  { secret, authority, serverName }: SourceAccess,
): EngineAddress {
  const login = { user: user || (textInSecret(secret, "username") ?? "default") };
  const name = serverName ?? (isIP(host) === 0 ? host : "");
  return {
    host,
    port,
    logins: [{ ...login, password: textInSecret(secret, "password") ?? "" }],
    ...(isTls ? { tls: tlsOf(authority ?? textInSecret(secret, "ca.crt") ?? "", name) } : {}),
  };
}

/** TLS with a server of that name that this authority vouches for. Without a name, the address is what the certificate must have. */
export function tlsOf(authority: string, serverName: string): EngineTls {
  const tls = new EngineTls();
  tls.use({ certificate: "", key: "", authority, serverName });
  return tls;
}

/** A value of a Secret as text; undefined when it has none. */
export function textInSecret(secret: SecretData | undefined, key: string): string | undefined {
  const value = secret?.data?.[key];
  return value === undefined ? undefined : Buffer.from(value, "base64").toString();
}

function urlOf(uri: string): URL {
  const url = URL.parse(uri);
  if (url === null) throw new Fault(faults.badUri, "The URI cannot be read.");
  return url;
}

function userIn(username: string): string {
  try {
    return decodeURIComponent(username);
  } catch (error) {
    throw new Fault(faults.badUri, "The user in the URI has a % that begins no character.", {}, error);
  }
}

const DEFAULT_PORT = 6379;
