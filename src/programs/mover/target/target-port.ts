import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { Fault, messageOf } from "#kit/base/fault";
import type { EngineCertificate } from "../../../core/api/engine-certificate.ts";
import type { EngineLogin } from "../../../core/api/engine-login.ts";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { argumentsOf } from "../../../ports/resp/command-frame.ts";
import { KEEP_ALIVE } from "../../../ports/resp/dial.ts";
import { FrameScanner, INCOMPLETE } from "../../../ports/resp/frame-scanner.ts";
import { faults } from "../faults.ts";
import type { TargetFeed } from "./target-feed.ts";

export interface TargetPortOptions {
  readonly listen: Address;
  readonly feed: TargetFeed;
  /** Who may be let in; with an empty password: everybody. */
  readonly logins: readonly EngineLogin[];
  /** Present when the engine connects with TLS. */
  readonly certificate?: EngineCertificate;
}

/** Where the engine of one target finds the mover, which answers it as a primary does. */
export class TargetPort {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(options: TargetPortOptions) {
    const accept = (socket: Socket): void => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      serveReplica(socket, options);
    };
    const { certificate: shown } = options;
    this.#server =
      shown === undefined
        ? createServer({ noDelay: true, ...KEEP_ALIVE }, accept)
        : createTlsServer({ ...contextOf(shown), noDelay: true, ...KEEP_ALIVE }, accept);
  }

  /** Listens; MOVER_CANNOT_LISTEN when the port is taken. */
  static async open(options: TargetPortOptions): Promise<TargetPort> {
    const port = new TargetPort(options);
    const { host, port: wanted } = options.listen;
    await new Promise<void>((resolve, reject) => {
      port.#server.once("error", (error) => {
        reject(new Fault(faults.cannotListen, `${host}:${wanted}: ${messageOf(error)}`));
      });
      port.#server.listen(wanted, host, resolve);
    });
    return port;
  }

  /** Where it listens. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** An engine shows a certificate of the cluster, and gets one. */
function contextOf({ certificate, key, authority }: EngineCertificate) {
  return {
    cert: certificate,
    key,
    ca: authority,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: "TLSv1.3",
  } as const;
}

/** Answers what an engine asks before it is a replica, and takes what it acknowledges afterwards. */
function serveReplica(socket: Socket, { feed, logins }: TargetPortOptions): void {
  const scanner = new FrameScanner({ maxFrameBytes: MOST_REQUEST_BYTES });
  let begun: Buffer[] = [];
  let isKnown = logins.some(({ password }) => password === "");
  let isAttached = false;
  const answer = (frame: Buffer): void => {
    const [name = "", ...args] = argumentsOf(frame);
    const command = name.toUpperCase();
    if (command === "AUTH") isKnown ||= isLogin(logins, args);
    if (isAttached) {
      if (command === "REPLCONF") feed.acknowledge(Number(args[1]));
      return;
    }
    isAttached = command === "PSYNC" && isKnown && feed.attach(socket);
    if (!isAttached) socket.write(replyTo(command, isKnown));
  };
  socket.on("error", () => undefined); // `close` follows
  socket.on("data", (bytes: Buffer) => {
    try {
      for (let at = 0; at < bytes.length;) {
        // a replica that loads its data sends an empty line now and then
        if (!scanner.inside && bytes[at] === LINE_FEED) {
          at += 1;
          continue;
        }
        const past = scanner.next(bytes, at, bytes.length);
        begun.push(bytes.subarray(at, past === INCOMPLETE ? bytes.length : past));
        if (past === INCOMPLETE) return;
        const frame = Buffer.concat(begun);
        begun = [];
        answer(frame);
        at = past;
      }
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      socket.destroy(error);
    }
  });
}

function replyTo(command: string, isKnown: boolean): string {
  switch (command) {
    case "PING":
      return "+PONG\r\n";
    case "AUTH":
      return isKnown ? "+OK\r\n" : "-WRONGPASS invalid username-password pair or user is disabled.\r\n";
    case "REPLCONF":
      return isKnown ? "+OK\r\n" : NO_AUTH;
    case "PSYNC":
      return isKnown ? "-ERR the data of this shard go to another engine\r\n" : NO_AUTH;
    default:
      return isKnown ? "-ERR the mover takes replicas alone\r\n" : NO_AUTH;
  }
}

/** With a user, or as the default one. */
function isLogin(logins: readonly EngineLogin[], args: readonly string[]): boolean {
  const [user, password] = args.length > 1 ? args : ["default", args[0]];
  return logins.some((login) => login.user === user && login.password !== "" && login.password === password);
}

const NO_AUTH = "-NOAUTH Authentication required.\r\n";
const LINE_FEED = 10;
const MOST_REQUEST_BYTES = 65_536;
