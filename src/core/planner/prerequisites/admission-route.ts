import type { Service, ServicePort } from "kubernetes-types/core/v1.js";
import type { EndpointSlice } from "kubernetes-types/discovery/v1.js";
import { assertNever } from "#kit/base/assert-never";
import { applyFile, getObjects, leadToOperator } from "../../api/kubectl.ts";
import { ADMISSION_PORT, ADMISSION_SERVICE, OPERATOR_NAME } from "../../api/names.ts";
import type { AdmissionRoute, ClusterEnvironment } from "./environment.ts";
import { unreadyOperatorRemedy } from "./unready-operator.ts";

/** The API server finds the port of the Service by its number, and addresses by the name of that port. */
export function admissionRoute(
  service: Pick<Service, "spec"> | undefined,
  slices: readonly Pick<EndpointSlice, "endpoints" | "ports">[],
): AdmissionRoute {
  if (service === undefined)
    return { endpoints: 0, closed: `service ${ADMISSION_SERVICE} is not there`, lacks: "service" };
  const port = service.spec?.ports?.find(isCalled);
  const { type, selector = {} } = service.spec ?? {};
  // its controller leaves the slices of such a Service as they are
  const isLeft = type === "ExternalName" || Object.keys(selector).length === 0;
  // a slice without endpoints has null in place of both lists
  const isOpen = ({ ports }: Pick<EndpointSlice, "ports">): boolean =>
    (ports ?? []).some(
      ({ name = "", port: number }) => name === (port?.name ?? "") && number === ADMISSION_PORT.targetPort,
    );
  const endpoints = (port === undefined || isLeft ? [] : slices.filter(isOpen))
    .flatMap((slice) => slice.endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false).length;
  if (endpoints > 0) return { endpoints, closed: "", lacks: "nothing" };
  const wrong = wrongIn(service, port);
  if (wrong.length === 0)
    return { endpoints, closed: `no address is ready behind service ${ADMISSION_SERVICE}`, lacks: "pods" };
  return { endpoints, closed: `service ${ADMISSION_SERVICE} ${wrong.join(", and ")}`, lacks: "lead" };
}

/** The port that webhook configurations call. */
function isCalled({ port, protocol = "TCP" }: ServicePort): boolean {
  return port === ADMISSION_PORT.port && protocol === ADMISSION_PORT.protocol;
}

/** What the Service says that does not lead to the operator. */
function wrongIn({ spec }: Pick<Service, "spec">, port: ServicePort | undefined): readonly string[] {
  const { type = "ClusterIP", selector = {}, ports = [] } = spec ?? {};
  const chosen = Object.entries(selector).map((label) => label.join("="));
  const target = port?.targetPort ?? port?.port ?? "";
  const right = [ADMISSION_PORT.targetPort, ADMISSION_PORT.name];
  return [
    ...(type === "ExternalName" ? ["is of type ExternalName"] : []),
    ...(port === undefined
      ? [
          `has no port ${ADMISSION_PORT.port}, which the API server calls (it has ${ports.map(portText).join(", ") || "none"})`,
        ]
      : right.some((one) => one === target)
        ? []
        : [
            `leads port ${ADMISSION_PORT.port} to ${target}, where the operator answers at ${ADMISSION_PORT.targetPort}`,
          ]),
    ...(chosen.join() === `name=${OPERATOR_NAME}`
      ? []
      : [
          `leads to pods with ${chosen.join(",") || "no label"}, where those of the operator have name=${OPERATOR_NAME}`,
        ]),
  ];
}

function portText({ port, protocol = "TCP", targetPort = port }: ServicePort): string {
  return `${port}${protocol === "TCP" ? "" : `/${protocol}`} -> ${targetPort}`;
}

/** What opens it again; `operator` where the caller knows it. */
export function openingRemedy({ lacks }: AdmissionRoute, operator?: ClusterEnvironment["operator"]): string {
  switch (lacks) {
    case "service":
      return `make it again: ${applyFile("deploy/admission/webhook.yaml")}`;
    case "lead":
      return `lead it to the operator: ${leadToOperator(ADMISSION_SERVICE)}`;
    case "pods":
    case "nothing":
      return operator?.read === true && operator.value.ready === 0 ? unreadyOperatorRemedy(operator.value) : LOOK;
    default:
      return assertNever(lacks);
  }
}

const LOOK = `look for its addresses: ${getObjects(`endpointslices -l kubernetes.io/service-name=${ADMISSION_SERVICE}`)}`;
