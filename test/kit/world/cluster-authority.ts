import { once } from "node:events";
import { connect } from "node:tls";
import { clusterNames, LABELS, PORTS } from "../../../src/core/api/names.ts";
import type { DatabaseRecord } from "../../../src/core/api/records.ts";
import { ConfigMaps, Secrets } from "#kit/kube/builtin";
import type { Kube, Ref } from "#kit/kube/kube";
import { parseDatabaseRecord } from "../../../src/programs/agent/records/schema.ts";
import { nodeAddresses } from "./cluster-login.ts";

type ClusterRef = Required<Ref>;

/** Where something of a cluster shows a certificate, and the name in it. */
export interface TlsPlace {
  /** What it is, for the message of a failure. */
  readonly what: string;
  readonly host: string;
  readonly port: number;
  readonly servername: string;
}

/** With what a place is called: what the caller trusts, and what it shows. */
interface Caller {
  readonly ca: string;
  readonly cert?: string;
  readonly key?: string;
}

/** The texts of a Secret. */
export async function secretTexts(kube: Kube, ref: Ref): Promise<Readonly<Record<string, string>>> {
  const data = (await kube.get(Secrets, ref))?.data ?? {};
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, "base64").toString()]));
}

/** The databases of a cluster as they are recorded, also by nodes of older releases. */
export async function databaseRecords(kube: Kube, { name, namespace }: ClusterRef): Promise<readonly DatabaseRecord[]> {
  const labelSelector = `${LABELS.cluster}=${name},${LABELS.record}=database`;
  const { items } = await kube.list(ConfigMaps, { namespace, labelSelector });
  return items.map(({ data, metadata }) => parseDatabaseRecord(data?.["record"] ?? "", metadata.name));
}

/** The management APIs, the endpoints that speak TLS, and the engines that do. */
export async function tlsPlaces(kube: Kube, rec: ClusterRef): Promise<readonly TlsPlace[]> {
  const { name, namespace } = rec;
  const hosts = await nodeAddresses(kube, rec);
  const secure = (await databaseRecords(kube, rec)).filter(({ tlsMode }) => tlsMode !== "disabled");
  const management = { port: PORTS.management, servername: clusterNames.dnsName(name, namespace) };
  const engines = { servername: clusterNames.engineName(name, namespace) };
  return [
    ...hosts.map((host) => ({ what: `management API of ${host}`, host, ...management })),
    ...secure.flatMap((database) => {
      const endpoint = { port: database.port, servername: clusterNames.databaseHost(database.name, namespace) };
      return [
        ...hosts.map((host) => ({ what: `endpoint of ${host}`, host, ...endpoint })),
        ...database.shards.flatMap(({ instances }) =>
          instances.map(({ node, port }) => {
            const host = hosts[node - 1] ?? "";
            return { what: `engine of ${host}`, host, port, ...engines };
          }),
        ),
      ];
    }),
  ];
}

/** The certificate that a place shows to a caller who trusts it, and lets in; rejects when one of them refuses the other. */
export async function shownBy({ host, port, servername }: TlsPlace, caller: Caller): Promise<string> {
  const socket = connect({ host, port, servername, ...caller });
  try {
    const failed = once(socket, "close").then(() => Promise.reject(new Error("the connection was closed")));
    failed.catch(() => undefined); // the handshake was first
    await Promise.race([once(socket, "secureConnect"), failed]);
    // with TLS 1.3 a caller learns after its handshake whether it is let in
    socket.write("PING\r\n\r\n");
    await Promise.race([once(socket, "data"), failed]);
    return socket.getPeerX509Certificate()?.toString() ?? "";
  } finally {
    socket.destroy();
  }
}
