import { rm, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { EngineCertificate } from "../../core/api/engine-certificate.ts";
import type { Directives } from "../../core/api/settings/setting.ts";
import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { EngineTls } from "../../ports/resp/engine-tls.ts";
import { replaceFile } from "#kit/files/replace-file";
import { askFreshEngine } from "./engine-probe.ts";
import type { EngineFileMode } from "./engine-file-mode.ts";
import type { FoundEngine } from "./engines.ts";
import { faults } from "./faults.ts";
import type { WantedInstance } from "./wanted-instance.ts";

/** Where an engine reads its certificate. One file holds certificate and key, so that they always belong together. */
export interface CertificateFiles {
  readonly pairFile: string;
  readonly authorityFile: string;
}

/** The files of the engine whose data is in `directory`. */
export function certificateFilesIn(directory: string): CertificateFiles {
  return { pairFile: join(directory, "engine.pem"), authorityFile: join(directory, "authority.pem") };
}

/** Writes both, readable for whom `mode` says; a crash in between leaves the old or the new of each. */
export async function writeCertificate(
  { pairFile, authorityFile }: CertificateFiles,
  { certificate, key, authority }: EngineCertificate,
  mode: EngineFileMode = 0o600,
): Promise<void> {
  await replaceFile(authorityFile, authority, mode);
  await replaceFile(pairFile, `${certificate.trim()}\n${key.trim()}\n`, mode);
}

/** Writes what an engine that starts shows; SUPERVISOR_NO_CERTIFICATE when it shall speak TLS and there is nothing to show. */
export async function provideCertificate(
  files: CertificateFiles,
  { speaksTls, certificate, bdb }: Pick<WantedInstance, "speaksTls" | "certificate" | "bdb">,
  mode: EngineFileMode,
): Promise<void> {
  if (certificate !== undefined) return writeCertificate(files, certificate, mode);
  if (speaksTls)
    throw new Fault(
      faults.noCertificate,
      `the engine of database ${bdb} speaks TLS, and this node has no certificate for it`,
    );
}

/**
 * Directives with which an engine shows a certificate and asks for one: a caller without one by the authority is not let in. Setting them anew
 * makes a running engine read the files again; connections that are open stay.
 */
export function certificateSettings({ pairFile, authorityFile }: CertificateFiles): Directives {
  return {
    "tls-cert-file": pairFile,
    "tls-key-file": pairFile,
    "tls-ca-cert-file": authorityFile,
    "tls-auth-clients": "yes",
    "tls-protocols": "TLSv1.3",
  };
}

/**
 * The engines of these that speak TLS with this certificate: each is started with it and asked. An engine that is built without TLS refuses the
 * directives and ends. The files lie in `folder` meanwhile.
 */
export async function enginesWithTls(
  engines: readonly FoundEngine[],
  certificate: EngineCertificate,
  folder: string,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<readonly FoundEngine[]> {
  const files = certificateFilesIn(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await writeCertificate(files, certificate);
    const tls = new EngineTls();
    tls.use(certificate);
    const settings = Object.entries(certificateSettings(files)).map(([name, value]) => `${name} ${value}`);
    const configuration = (port: number) => ["port 0", `tls-port ${port}`, ...settings];
    const verdicts = await Promise.all(
      engines.map((engine) =>
        askFreshEngine(engine, { configuration, tls }, clock, (client) => client.call("PING")).then(
          () => true,
          (error: unknown) => {
            log.warn("an engine does not speak TLS", { engine: engine.path, error: messageOf(error) });
            return false;
          },
        ),
      ),
    );
    return engines.filter((_engine, index) => verdicts[index]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
