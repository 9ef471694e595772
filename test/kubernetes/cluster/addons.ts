// A program of a cluster's center, `addons.ts <address> <folder>`: the name server on that address, and the maker of volumes, which are
// folders in that folder. KUBECONFIG says where the API server is.
import { argv, env, stderr } from "node:process";
import { jsonLog } from "#kit/base/log";
import { EndpointSlices, PersistentVolumeClaims, PersistentVolumes, Services } from "#kit/kube/builtin";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import { startInformer } from "#kit/kube/informer";
import { runController } from "#kit/reconcile/controller";
import { systemClock } from "#kit/reconcile/system-clock";
import { addressesOf } from "./dns-names.ts";
import { serveDns } from "./dns-server.ts";
import { enqueueAll, provide, takeBack } from "./volumes.ts";

const [address = "", volumes = ""] = argv.slice(2);
const log = jsonLog(
  (line) => stderr.write(line),
  () => new Date(),
);
const always = new AbortController().signal; // the program that started this one ends it
const following = { log, clock: systemClock, signal: always };
const kube = connect(loadKubeConfig(env));

const services = startInformer(kube, Services, following);
const slices = startInformer(kube, EndpointSlices, following);
await serveDns(address, (name) =>
  addressesOf(name, {
    service: (namespace, service) => services.get({ namespace, name: service }),
    slices: (namespace, service) =>
      slices
        .list()
        .filter(({ metadata }) => metadata.namespace === namespace)
        .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === service),
  }),
);

enqueueAll(
  startInformer(kube, PersistentVolumeClaims, following),
  runController({ name: "provide", reconcile: (key) => provide(kube, volumes, key), ...following }),
);
enqueueAll(
  startInformer(kube, PersistentVolumes, following),
  runController({ name: "take back", reconcile: (key) => takeBack(kube, volumes, key), ...following }),
);
