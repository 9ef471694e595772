import { createSecureContext } from "node:tls";
import { messageOf, Fault } from "#kit/base/fault";
import { readCertificate } from "#kit/pki/certificate";
import { faults } from "../faults.ts";
import type { SecretFiles } from "./mounted-secret.ts";

/** AGENT_BAD_SECRET_FILE when a certificate cannot be read, or the key is that of another one: a secret is written file by file. */
export function requireUsableTls(files: SecretFiles<"tls.crt" | "tls.key" | "ca.crt">): void {
  try {
    readCertificate(files["ca.crt"]);
    readCertificate(files["tls.crt"]);
    createSecureContext({ key: files["tls.key"], cert: files["tls.crt"] });
  } catch (error) {
    const why = `tls.crt, tls.key and ca.crt cannot be used together: ${messageOf(error)}`;
    throw new Fault(faults.badSecretFile, why, {}, error);
  }
}
