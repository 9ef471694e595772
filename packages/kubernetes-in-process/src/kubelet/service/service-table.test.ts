import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServiceSpec } from "kubernetes-types/core/v1.js";
import type { Endpoint, EndpointSlice } from "kubernetes-types/discovery/v1.js";
import type { Stored } from "../../../../controller-kit/src/kube/kube.ts";
import { serviceTable } from "./service-table.ts";

const READY = { ready: true, serving: true, terminating: false };
const ENDING = { ready: false, serving: true, terminating: true };
const web: ServiceSpec = { clusterIP: "127.42.250.1", ports: [{ port: 80 }] };

const cases: { name: string; spec: ServiceSpec; slices: Stored<EndpointSlice>[]; want: string[] }[] = [
  {
    name: "ready endpoints of all slices take connections",
    spec: web,
    slices: [slice([at("127.42.1.1", READY)]), slice([at("127.42.1.2", READY), at("127.42.1.3", { ready: false })])],
    want: ["127.42.250.1:80 -> 127.42.1.1:8080 127.42.1.2:8080"],
  },
  {
    name: "an endpoint that says nothing counts as ready",
    spec: web,
    slices: [slice([{ addresses: ["127.42.1.1"] }])],
    want: ["127.42.250.1:80 -> 127.42.1.1:8080"],
  },
  {
    name: "a slice without endpoints offers none",
    spec: web,
    slices: [{ ...slice([]), endpoints: JSON.parse("null") }],
    want: ["127.42.250.1:80 -> "],
  },
  {
    name: "where none is ready, those that serve while they end take connections",
    spec: web,
    slices: [slice([at("127.42.1.1", ENDING), at("127.42.1.2", { ...ENDING, serving: false })])],
    want: ["127.42.250.1:80 -> 127.42.1.1:8080"],
  },
  {
    name: "ports go to the endpoint port of the same name",
    spec: {
      clusterIP: "127.42.250.1",
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 81 },
      ],
    },
    slices: [
      slice(
        [at("127.42.1.1", READY)],
        [
          { name: "b", port: 9 },
          { name: "a", port: 8 },
        ],
      ),
    ],
    want: ["127.42.250.1:80 -> 127.42.1.1:8", "127.42.250.1:81 -> 127.42.1.1:9"],
  },
  {
    name: "slices of other services and namespaces are not its own",
    spec: web,
    slices: [slice([at("127.42.1.1", READY)], undefined, "other")],
    want: ["127.42.250.1:80 -> "],
  },
  { name: "a headless service has nothing to serve", spec: { ...web, clusterIP: "None" }, slices: [], want: [] },
  {
    name: "a service without an address yet has nothing to serve",
    spec: { ports: [{ port: 80 }] },
    slices: [],
    want: [],
  },
  { name: "UDP ports are left out", spec: { ...web, ports: [{ port: 53, protocol: "UDP" }] }, slices: [], want: [] },
];

for (const { name, spec, slices, want } of cases) {
  test(`service table: ${name}`, () => {
    const service = { apiVersion: "v1", kind: "Service", metadata: { ...META, name: "web" }, spec };
    const table = serviceTable([service], slices);
    const text = table.map(
      ({ listen, backends }) =>
        `${listen.host}:${listen.port} -> ${backends.map(({ host, port }) => `${host}:${port}`).join(" ")}`,
    );
    assert.deepEqual(text, want);
  });
}

const META = { namespace: "shop", uid: "u", resourceVersion: "1" };

function slice(
  endpoints: Endpoint[],
  ports: EndpointSlice["ports"] = [{ port: 8080 }],
  service = "web",
): Stored<EndpointSlice> {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: "s",
      namespace: "shop",
      uid: "u",
      resourceVersion: "1",
      labels: { "kubernetes.io/service-name": service },
    },
    addressType: "IPv4",
    endpoints,
    ports,
  };
}

function at(address: string, conditions: NonNullable<Endpoint["conditions"]>): Endpoint {
  return { addresses: [address], conditions };
}
