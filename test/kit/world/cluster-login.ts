import { parseClusterAccess, type ClusterAccess, type Login } from "../../../src/core/api/cluster-access.ts";
import { ACCESS_KEY, clusterNames, LABELS, PORTS } from "../../../src/core/api/names.ts";
import { Pods, Secrets } from "#kit/kube/builtin";
import type { Kube, Ref } from "#kit/kube/kube";
import { managementClient, type ManagementClient } from "../../../src/ports/management/client.ts";

type ClusterRef = Required<Ref>;

/** The text of a key of a Secret; empty when there is none. */
async function secretText(kube: Kube, ref: Ref, key: string): Promise<string> {
  return Buffer.from((await kube.get(Secrets, ref))?.data?.[key] ?? "", "base64").toString();
}

/** What the Secret of a cluster says. */
export async function loginOf(kube: Kube, rec: ClusterRef): Promise<Login> {
  const [username, password] = await Promise.all(["username", "password"].map((key) => secretText(kube, rec, key)));
  return { username: username ?? "", password: password ?? "" };
}

/** Where a change of its password is. */
export async function accessOf(kube: Kube, { name, namespace }: ClusterRef): Promise<ClusterAccess> {
  const text = await secretText(kube, { name: clusterNames.nodeTlsSecret(name), namespace }, ACCESS_KEY);
  const access = parseClusterAccess(text);
  if (access === undefined) throw new Error(`the cluster ${name} has no record of its password: ${text}`);
  return access;
}

/** Addresses of the nodes of a cluster. */
export async function nodeAddresses(kube: Kube, { name, namespace }: ClusterRef): Promise<readonly string[]> {
  const labelSelector = `${LABELS.cluster}=${name},${LABELS.role}=node`;
  const { items } = await kube.list(Pods, { namespace, labelSelector });
  return items.flatMap(({ status }) => status?.podIP ?? []);
}

/** A client of one node, which trusts what the cluster publishes now. */
async function clientOfNode(
  kube: Kube,
  { name, namespace }: ClusterRef,
  address: string,
  login: Login,
): Promise<ManagementClient> {
  return managementClient({
    addresses: () => [address],
    port: PORTS.management,
    serverName: clusterNames.dnsName(name, namespace),
    ca: await secretText(kube, { name: clusterNames.nodeTlsSecret(name), namespace }, "ca.crt"),
    timeoutMs: 5_000,
    ...login,
  });
}

/** What a node says to a login: `accepted`, `refused`, or why it says nothing. */
export async function askLogin(kube: Kube, rec: ClusterRef, address: string, login: Login): Promise<string> {
  const client = await clientOfNode(kube, rec, address, login);
  try {
    await client.call("nodes");
    return "accepted";
  } catch (error) {
    return /401|unauthorized/i.test(String(error)) ? "refused" : String(error);
  } finally {
    await client.close();
  }
}
