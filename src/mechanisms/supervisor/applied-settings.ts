import { isDeepStrictEqual } from "node:util";
import type { EngineCertificate } from "../../core/api/engine-certificate.ts";
import type { Directives } from "../../core/api/settings/setting.ts";
import { Fault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { callEngine, connectEngine, type EngineAddress, type EngineOptions } from "../../ports/resp/engine-client.ts";
import { engineLogins, type EngineAccess } from "../../core/api/engine-login.ts";
import { EngineTls } from "../../ports/resp/engine-tls.ts";
import type { EngineFileMode } from "./engine-file-mode.ts";
import { certificateSettings, writeCertificate } from "./engine-tls-files.ts";
import type { CertificateFiles } from "./engine-tls-files.ts";
import { changedSettings, liveSettings } from "./engine-config.ts";
import { accessSettings, userRules } from "./engine-users.ts";
import type { WantedInstance } from "./wanted-instance.ts";

const TIMEOUT_MS = 2_000;

/** The settings, the passwords and the certificate that a running engine has, and the commands that bring it to its record. */
export class AppliedSettings {
  readonly #log: Log;
  readonly #files: CertificateFiles;
  readonly #mode: EngineFileMode;
  readonly #tls = new EngineTls();
  #directives: Directives = {};
  #version = "";
  #access: EngineAccess = { clients: [""] };
  #isSite = false;
  #certificate: EngineCertificate | undefined;

  constructor(files: CertificateFiles, mode: EngineFileMode, log: Log) {
    this.#files = files;
    this.#mode = mode;
    this.#log = log;
  }

  /** How the engine is reached, as the one whose port it is. */
  addressOf({ host, port, speaksTls, certificate, access }: WantedInstance): EngineAddress {
    if (certificate !== undefined) this.#tls.use(certificate);
    return { host, port, tls: speaksTls ? this.#tls : undefined, logins: engineLogins(access) };
  }

  /** Notes what an engine of that version was started with. */
  started(wanted: WantedInstance, version: string): void {
    this.#version = version;
    this.#directives = liveSettings(wanted, version);
    this.#access = wanted.access;
    this.#isSite = wanted.isSite;
    this.#certificate = wanted.certificate;
  }

  /** What a running engine shows and trusts; undefined when it speaks no TLS. */
  get certificate(): EngineCertificate | undefined {
    return this.#certificate;
  }

  /** With one CONFIG SET of what differs; throws the client's Fault, and what fails is tried again with the next record. */
  async apply(wanted: WantedInstance): Promise<void> {
    await this.#applyAccess(wanted);
    await this.#applyCertificate(wanted);
    const directives = liveSettings(wanted, this.#version);
    const changed = changedSettings(this.#directives, directives);
    if (changed.length === 0) return;
    await callEngine(this.#within(wanted), "CONFIG", "SET", ...changed);
    this.#directives = directives;
    this.#log.info("engine settings changed", { changed });
  }

  /** Lets an engine that appends nothing to its disk write everything there when it is asked to end. */
  async saveAtEnd(wanted: WantedInstance): Promise<void> {
    if (wanted.directives["appendonly"] === "yes") return;
    try {
      await callEngine(this.#within(wanted), "CONFIG", "SET", "save", "3600 1");
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#log.warn("an engine cannot be asked to save its data before it ends", { error });
    }
  }

  /** Open connections stay; new ones need one of the new passwords. */
  async #applyAccess(wanted: WantedInstance): Promise<void> {
    const [before, { access, isSite }] = [this.#access, wanted];
    if (JSON.stringify(access) === JSON.stringify(before) && isSite === this.#isSite) return;
    // an earlier attempt whose answer was lost has done it, or has not
    const logins = [...engineLogins(before), ...engineLogins(access)];
    const client = await connectEngine({ ...this.#within(wanted), logins });
    try {
      for (const [user, ...rules] of userRules(wanted))
        await client.call("ACL", "SETUSER", user ?? "", "resetpass", ...rules);
      await client.call("CONFIG", "SET", ...Object.entries(accessSettings(access)).flat());
    } finally {
      client.close();
    }
    this.#access = access;
    this.#isSite = isSite;
    this.#log.info("who may do what at an engine has changed", { passwordsOfClients: access.clients.length, isSite });
  }

  /** Connections that are open stay; new ones see the new certificate. */
  async #applyCertificate(wanted: WantedInstance): Promise<void> {
    const { certificate } = wanted;
    if (certificate === undefined || isDeepStrictEqual(certificate, this.#certificate)) return;
    await writeCertificate(this.#files, certificate, this.#mode);
    const settings = Object.entries(certificateSettings(this.#files)).flat();
    await callEngine(this.#within(wanted), "CONFIG", "SET", ...settings);
    this.#certificate = certificate;
    this.#log.info("an engine has another certificate");
  }

  #within(wanted: WantedInstance): EngineOptions {
    return { ...this.addressOf(wanted), timeoutMs: TIMEOUT_MS };
  }
}
