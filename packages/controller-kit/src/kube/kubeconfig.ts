import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { fileTrouble } from "../base/file-trouble.ts";
import { Fault } from "../base/fault.ts";
import { faults } from "./faults.ts";

/** How to reach one API server, and as whom. Holds secrets: never log it. */
export interface KubeConfig {
  /** `https://host:port`, a path allowed. */
  readonly server: string;
  /** PEM; absent means the certificates that Node trusts. */
  readonly ca?: string;
  /** Name to verify in the server's certificate when it is not the host of `server`. */
  readonly serverName?: string;
  readonly clientCertificate?: { readonly certificate: string; readonly key: string };
  /** Asked before each request, because tokens in files are renewed. */
  readonly token?: () => string;
  /** Namespace to work in when nothing else says. */
  readonly namespace: string;
}

type ReadFile = (path: string) => string;

/** Reads kubeconfig files as kubectl does: the first file that has a context, cluster or user of a name wins. */
export function readKubeconfig(paths: readonly string[], readFile: ReadFile, context?: string): KubeConfig {
  const files = paths.map((path) => parseFile(path, readFile));
  const current = context ?? files.find((file) => file["current-context"])?.["current-context"];
  if (!current) throw new Fault(faults.badConfig, `${paths.join(", ")} names no current context`);
  const chosen = find(
    files.flatMap((file) => file.contexts),
    "context",
    current,
  ).context;
  const cluster = find(
    files.flatMap((file) => file.clusters),
    "cluster",
    chosen.cluster,
  ).cluster;
  const user =
    chosen.user === undefined
      ? {}
      : find(
          files.flatMap((file) => file.users),
          "user",
          chosen.user,
        ).user;
  return {
    ...serverOf(cluster, chosen.cluster, readFile),
    ...identityOf(user, chosen.user ?? "", readFile),
    namespace: chosen.namespace ?? "default",
  };
}

const text = z.string().min(1).optional();
const Context = z.looseObject({ cluster: z.string(), user: text, namespace: text });
const Cluster = z.looseObject({
  server: z.string(),
  "certificate-authority": text,
  "certificate-authority-data": text,
  "tls-server-name": text,
  "insecure-skip-tls-verify": z.boolean().optional(),
});
const User = z.looseObject({
  token: text,
  tokenFile: text,
  "client-certificate": text,
  "client-certificate-data": text,
  "client-key": text,
  "client-key-data": text,
});
/** kubectl writes an empty list as null. */
function listOf<Item extends z.ZodType>(item: Item): z.ZodPreprocess<z.ZodArray<Item>> {
  return z.preprocess((value) => value ?? [], z.array(item));
}
const File = z.looseObject({
  "current-context": z.string().nullish(),
  contexts: listOf(z.looseObject({ name: z.string(), context: Context })),
  clusters: listOf(z.looseObject({ name: z.string(), cluster: Cluster })),
  users: listOf(z.looseObject({ name: z.string(), user: z.preprocess((value) => value ?? {}, User) })),
});

function parseFile(path: string, readFile: ReadFile): z.infer<typeof File> {
  let content: unknown;
  try {
    content = parse(readFile(path), { maxAliasCount: 100 });
  } catch (error) {
    throw new Fault(faults.badConfig, `the kubeconfig ${path} cannot be read: ${fileTrouble(error)}`, { path }, error);
  }
  const file = File.safeParse(content);
  if (!file.success)
    throw new Fault(faults.badConfig, `${path} is no kubeconfig: ${z.prettifyError(file.error)}`, { path });
  return besideFile(file.data, dirname(path));
}

/** Paths inside a kubeconfig are relative to the file's own folder. */
function besideFile(file: z.infer<typeof File>, folder: string): z.infer<typeof File> {
  const located = <Part extends object>(part: Part, names: readonly (keyof Part & string)[]): Part =>
    Object.assign(
      {},
      part,
      ...names.map((name) => (typeof part[name] === "string" ? { [name]: resolve(folder, part[name]) } : {})),
    );
  return {
    ...file,
    clusters: file.clusters.map((each) => ({ ...each, cluster: located(each.cluster, ["certificate-authority"]) })),
    users: file.users.map((each) => ({
      ...each,
      user: located(each.user, ["tokenFile", "client-certificate", "client-key"]),
    })),
  };
}

function find<Entry extends { name: string }>(entries: readonly Entry[], kind: string, name: string): Entry {
  const found = entries.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  const known = entries.map((entry) => entry.name).join(", ") || "none";
  throw new Fault(faults.badConfig, `the kubeconfig has no ${kind} "${name}", only: ${known}`, { kind, name });
}

function serverOf(
  cluster: z.infer<typeof Cluster>,
  name: string,
  readFile: ReadFile,
): Pick<KubeConfig, "server" | "ca" | "serverName"> {
  if (cluster["insecure-skip-tls-verify"] === true || !cluster.server.startsWith("https://")) {
    throw new Fault(
      faults.badConfig,
      `cluster "${name}" is not verified by TLS, which this program insists on: put its authority (PEM, base64) into certificate-authority-data and take insecure-skip-tls-verify away`,
      {
        server: cluster.server,
      },
    );
  }
  const ca = pem(cluster["certificate-authority-data"], cluster["certificate-authority"], readFile);
  const serverName = cluster["tls-server-name"];
  return {
    server: cluster.server,
    ...(ca === undefined ? {} : { ca }),
    ...(serverName === undefined ? {} : { serverName }),
  };
}

function identityOf(
  user: z.infer<typeof User>,
  name: string,
  readFile: ReadFile,
): Pick<KubeConfig, "token" | "clientCertificate"> {
  const certificate = pem(user["client-certificate-data"], user["client-certificate"], readFile);
  const key = pem(user["client-key-data"], user["client-key"], readFile);
  const { token, tokenFile } = user;
  if (
    certificate === undefined &&
    token === undefined &&
    tokenFile === undefined &&
    ("exec" in user || "auth-provider" in user)
  ) {
    throw new Fault(faults.badConfig, `user "${name}" logs in with a plugin; a token or client certificate is needed`, {
      user: name,
    });
  }
  return {
    ...(certificate === undefined || key === undefined ? {} : { clientCertificate: { certificate, key } }),
    ...(tokenFile === undefined ? {} : { token: () => readFile(tokenFile).trim() }),
    ...(token === undefined ? {} : { token: () => token }),
  };
}

function pem(data: string | undefined, path: string | undefined, readFile: ReadFile): string | undefined {
  if (data !== undefined) return Buffer.from(data, "base64").toString("utf8");
  return path === undefined ? undefined : readFile(path);
}
