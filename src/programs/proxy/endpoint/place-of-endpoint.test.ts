import assert from "node:assert/strict";
import { test } from "node:test";
import { endpointSettings } from "../../../core/api/settings/effects.ts";
import type { EndpointConfig, EnginePlace } from "../../../ports/management/proxy-control.ts";
import { endpointFor } from "../../../../test/kit/engines/proxy.ts";
import { settingsWith } from "../../../../test/kit/facts/settings.ts";
import { PlaceOfEndpoint } from "./place-of-endpoint.ts";

const nodes = [1, 2].map((node) => ({ node, host: `10.0.0.${node}` }));
const engineAt = (node: number): EnginePlace => ({ host: `10.0.0.${node}`, port: 20_001 });
const config: EndpointConfig = {
  ...endpointFor(undefined, { listen: { host: "10.0.0.1", port: 10_000 }, nodes }),
  settings: endpointSettings(settingsWith({ ossCluster: true })),
};

/** An endpoint of one shard whose connections are to this engine. */
function endpointAt(address: EnginePlace | undefined, given = config) {
  const route: { upstream: { readonly address: EnginePlace } | undefined } = { upstream: address && { address } };
  const endpoint: { config: EndpointConfig; readonly routes: readonly [typeof route] } = {
    config: given,
    routes: [route],
  };
  const place = new PlaceOfEndpoint(endpoint);
  const serving = (): number | undefined => place.map?.members.find(({ slots }) => slots.length > 0)?.node;
  return { endpoint, route, place, serving };
}

test("without the setting there is no map", () => {
  const { place } = endpointAt(engineAt(1), { ...config, settings: endpointSettings(settingsWith()) });
  assert.equal(place.map, undefined);
});

test("the map follows the primary that serves, before a configuration names it", () => {
  const { route, serving } = endpointAt(engineAt(1));
  assert.equal(serving(), 1);
  route.upstream = { address: engineAt(2) };
  assert.equal(serving(), 2);
});

test("while there is no primary, the slots stay where they were", () => {
  const { route, serving } = endpointAt(engineAt(2));
  assert.equal(serving(), 2);
  route.upstream = undefined;
  assert.equal(serving(), 2);
});

test("before the endpoint has connections, the configuration says where the primary is", () => {
  const shards = [{ id: 1, epoch: 1, primary: engineAt(2) }];
  assert.equal(endpointAt(undefined, { ...config, shards }).serving(), 2);
});

test("a map that is the same is the same object, also by another configuration", () => {
  const { endpoint, place } = endpointAt(engineAt(1));
  const before = place.map;
  endpoint.config = { ...config };
  assert.equal(place.map, before);
  endpoint.config = { ...config, nodes: nodes.slice(0, 1) };
  assert.notEqual(place.map, before);
});

test("with TLS the Service is the only node, because certificates name no other", () => {
  const settings = endpointSettings(settingsWith({ ossCluster: true, tlsMode: "enabled" }));
  const { place } = endpointAt(engineAt(2), { ...config, settings });
  assert.deepEqual(
    place.map?.members.map(({ host, port, slots }) => [host, port, slots]),
    [[config.service.host, config.service.port, [{ from: 0, to: 16_383 }]]],
  );
  assert.equal(place.map?.speaksTls, true);
});
