import { join } from "node:path";
import type { Identities } from "./identities.ts";

/** Where the programs of a control plane listen. */
export interface Addresses {
  /** Of the API server, on port 6443. */
  readonly api: string;
  /** Of everything that only the control plane itself talks to. */
  readonly own: string;
  /** Where programs of this machine reach the API server, on the same port: `api` itself, or an address that leads to it. */
  readonly outside: string;
}

/** The services of the cluster get their addresses out of it; the first is the API server's. */
export const SERVICE_RANGE = "10.96.0.0/16";
const API_SERVICE_ADDRESS = "10.96.0.1";
export const API_PORT = 6443;

const API_NAMES = [
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];

/** etcd for one control plane that need not last: it does not wait for the disk. */
export function etcdArguments(folder: string, { own }: Addresses): string[] {
  const [client, peer] = [`http://${own}:2379`, `http://${own}:2380`];
  return flags({
    name: "test",
    "data-dir": join(folder, "etcd"),
    "listen-client-urls": client,
    "advertise-client-urls": client,
    "listen-peer-urls": peer,
    "initial-advertise-peer-urls": peer,
    "initial-cluster": `test=${peer}`,
    "unsafe-no-fsync": "true",
    "log-level": "warn",
  });
}

/** A kube-apiserver with the authorizers and admission of an ordinary cluster. */
export function apiServerArguments(identities: Identities, { api, own, outside }: Addresses): string[] {
  const { file } = identities;
  const reachable = [...new Set([api, outside, API_SERVICE_ADDRESS])];
  identities.server("kube-apiserver", { name: "kube-apiserver" }, reachable, API_NAMES);
  return flags({
    "etcd-servers": `http://${own}:2379`,
    "bind-address": api,
    "advertise-address": api,
    "secure-port": String(API_PORT),
    "tls-cert-file": file("kube-apiserver.crt"),
    "tls-private-key-file": file("kube-apiserver.key"),
    "client-ca-file": file("ca.crt"),
    "authorization-mode": "Node,RBAC",
    "enable-admission-plugins": "NodeRestriction",
    "allow-privileged": "true",
    "service-cluster-ip-range": SERVICE_RANGE,
    "service-account-issuer": "https://kubernetes.default.svc.cluster.local",
    "service-account-key-file": file("service-accounts.crt"),
    "service-account-signing-key-file": file("service-accounts.key"),
    "requestheader-client-ca-file": file("front-proxy-ca.crt"),
    "requestheader-allowed-names": "front-proxy",
    "requestheader-extra-headers-prefix": "X-Remote-Extra-",
    "requestheader-group-headers": "X-Remote-Group",
    "requestheader-username-headers": "X-Remote-User",
    "proxy-client-cert-file": file("front-proxy.crt"),
    "proxy-client-key-file": file("front-proxy.key"),
    "kubelet-client-certificate": file("kubelet-client.crt"),
    "kubelet-client-key": file("kubelet-client.key"),
    "kubelet-certificate-authority": file("ca.crt"),
    "kubelet-preferred-address-types": "InternalIP",
    // webhooks are called at the pods behind their Service: there is no kube-proxy beside the API server
    "enable-aggregator-routing": "true",
    "endpoint-reconciler-type": api.startsWith("127.") ? "none" : "lease", // endpoints may not be loopback addresses
    profiling: "false",
  });
}

/** A kube-controller-manager with every controller. One credential serves them all: one for each takes 5 s longer to start. */
export function controllerManagerArguments(identities: Identities, { api, own }: Addresses): string[] {
  const { file } = identities;
  const user = { name: "system:kube-controller-manager", groups: ["system:masters"] };
  const kubeconfig = identities.kubeconfig("kube-controller-manager", `https://${api}:${API_PORT}`, user);
  return flags({
    kubeconfig,
    "authentication-kubeconfig": kubeconfig,
    "authorization-kubeconfig": kubeconfig,
    "bind-address": own,
    "leader-elect": "false",
    "root-ca-file": file("ca.crt"),
    "service-account-private-key-file": file("service-accounts.key"),
    "cluster-signing-cert-file": file("ca.crt"),
    "cluster-signing-key-file": file("ca.key"),
    "service-cluster-ip-range": SERVICE_RANGE,
    "allocate-node-cidrs": "false",
    profiling: "false",
  });
}

/** `--name=value` for each, in the order given. */
export function flags(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}
