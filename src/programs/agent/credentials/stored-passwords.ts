import type { Secret } from "kubernetes-types/core/v1.js";
import { z } from "zod";
import type { EndpointCertificate } from "../../../core/api/endpoint-certificate.ts";
import type { EnginePasswords } from "../../../core/planner/database/engine-rotation.ts";
import type { PasswordSet } from "../../../core/planner/database/passwords.ts";

/** A set of passwords as it is stored. */
export interface StoredPasswords extends EnginePasswords {
  readonly set: PasswordSet;
  /** Rises with each change; 0 in a Secret that only an older release has written. */
  readonly revision: number;
  /** What endpoints show to clients; absent: they have none. */
  readonly certificate?: EndpointCertificate;
}

const accepted = z.object({
  revision: z.int().nonnegative(),
  others: z.array(z.object({ password: z.string(), until: z.iso.datetime().exactOptional() })),
});

const ROTATION = "engines-rotation";
const rotation = z.object({
  step: z.int().nonnegative(),
  next: z.string().exactOptional(),
  former: z.string().exactOptional(),
});

/** The set in the Secret of a database; the current password is not among the others. */
export function storedIn({ data = {} }: Pick<Secret, "data">): StoredPasswords {
  const text = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString("utf8");
  const password = text("password");
  const more = {
    ...(data.engines === undefined ? {} : { internal: text("engines") }),
    ...(data[ROTATION] === undefined ? {} : { rotation: rotation.parse(JSON.parse(text(ROTATION))) }),
    ...(data["tls.crt"] === undefined ? {} : { certificate: certificateIn(text) }),
  };
  if (data.accepted === undefined) return { set: { password, others: [] }, revision: 0, ...more };
  const { revision, others } = accepted.parse(JSON.parse(text("accepted")));
  return { set: { password, others: others.filter((other) => other.password !== password) }, revision, ...more };
}

function certificateIn(text: (key: string) => string): EndpointCertificate {
  return { certificate: text("tls.crt"), key: text("tls.key"), clientAuthorities: text("clients.crt") };
}

/** `data` of the Secret of a database. */
export function secretData(stored: StoredPasswords): Readonly<Record<string, string>> {
  const { set, revision, internal, certificate } = stored;
  const encoded = (text: string): string => Buffer.from(text, "utf8").toString("base64");
  const { password, others } = set;
  return {
    password: encoded(password),
    accepted: encoded(JSON.stringify({ revision, others })),
    // older nodes patch the other keys, and leave these
    ...(internal === undefined ? {} : { engines: encoded(internal) }),
    ...(stored.rotation === undefined ? {} : { [ROTATION]: encoded(JSON.stringify(stored.rotation)) }),
    ...(certificate === undefined ? {} : certificateData(certificate, encoded)),
  };
}

function certificateData(
  { certificate, key, clientAuthorities }: EndpointCertificate,
  encoded: (text: string) => string,
) {
  return { "tls.crt": encoded(certificate), "tls.key": encoded(key), "clients.crt": encoded(clientAuthorities) };
}
