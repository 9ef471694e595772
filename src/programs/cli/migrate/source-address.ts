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

/** Where a source is, by its URI; MIGRATION_BAD_URI when it names none. */
export function sourceAddress(uri: string, { secret, authority, serverName }: SourceAccess): EngineAddress {
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
  const host = hostname.replace(/^\[|\]$/g, "");
  const user = decodeURIComponent(username) || (textInSecret(secret, "username") ?? "default");
  const given = textInSecret(secret, "password") ?? "";
  return {
    host,
    port: port === "" ? DEFAULT_PORT : Number(port),
    logins: [{ user, password: given }],
    ...(protocol === "redis:"
      ? {}
      : {
          tls: tlsOf(authority ?? textInSecret(secret, "ca.crt") ?? "", serverName ?? (isIP(host) === 0 ? host : "")),
        }),
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

const DEFAULT_PORT = 6379;
