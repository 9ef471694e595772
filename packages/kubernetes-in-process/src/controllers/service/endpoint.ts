import type { Endpoint, EndpointPort } from "kubernetes-types/discovery/v1.js";
import type { Pod, Service, ServicePort } from "kubernetes-types/core/v1.js";
import type { Stored } from "../../../../controller-kit/src/kube/kube.ts";
import { isOver, isReady } from "../../../../controller-kit/src/kube/pods.ts";
import { isTerminating } from "../pods/state.ts";

/** A pod behind a Service: where it answers, and on which ports of its own. */
export interface ServiceBackend {
  readonly endpoint: Endpoint;
  readonly ports: readonly EndpointPort[];
}

/** The pod as a backend of the Service; undefined while it has no address or has run to its end. */
export function backendOf(service: Stored<Service>, pod: Stored<Pod>): ServiceBackend | undefined {
  const ip = pod.status?.podIP ?? "";
  if (ip === "" || isOver(pod)) return undefined;
  return { endpoint: endpointOf(service, pod, ip), ports: portsOf(service, pod) };
}

function endpointOf(service: Stored<Service>, pod: Stored<Pod>, ip: string): Endpoint {
  const { name, namespace = "", uid } = pod.metadata;
  const { hostname, subdomain, nodeName } = pod.spec ?? {};
  const serving = isReady(pod);
  const terminating = isTerminating(pod);
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  return {
    addresses: [ip],
    conditions: { ready, serving, terminating },
    targetRef: { kind: "Pod", name, namespace, uid },
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(hostname !== undefined && subdomain === service.metadata.name ? { hostname } : {}),
  };
}

function portsOf(service: Stored<Service>, pod: Stored<Pod>): EndpointPort[] {
  return (service.spec?.ports ?? []).flatMap((port) => {
    const number = targetOf(port, pod);
    const { appProtocol } = port;
    const named = {
      name: port.name ?? "",
      protocol: port.protocol ?? "TCP",
      ...(appProtocol === undefined ? {} : { appProtocol }),
    };
    return number === undefined ? [] : [{ ...named, port: number }];
  });
}

/** Undefined when no container of the pod has a port of the name that the Service wants. */
function targetOf(port: ServicePort, pod: Stored<Pod>): number | undefined {
  const target = port.targetPort ?? port.port;
  if (typeof target === "number") return target;
  const ports = (pod.spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return ports.find(({ name, protocol = "TCP" }) => name === target && protocol === (port.protocol ?? "TCP"))
    ?.containerPort;
}
