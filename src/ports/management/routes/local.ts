import { z } from "zod";
import type { MoverQuestion } from "../mover-control.ts";
import type { ProxyCommand } from "../proxy-control.ts";
import { LINK_STATUS } from "../records/active-active.ts";
import { RESTORED_FILE, type FileRestore } from "../records/backups.ts";
import { CONSENT, KEPT_RECORD, LOCAL_INSTANCE, TRUST, VOUCHED } from "../records/local.ts";
import { MOVER_REPLY } from "../records/mover.ts";
import { PROXY_REPLY } from "../records/proxy.ts";
import { json, route } from "../route.ts";

/** What concerns the one node that is asked. */
export const localRoutes = {
  localInstances: route(
    "GET",
    "/v1/local/instances",
    "cluster",
    "the cluster leader asks a node about its own engine processes",
    z.array(LOCAL_INSTANCE),
  ),
  localModule: route(
    "GET",
    "/v1/local/modules/:uid",
    "cluster",
    "a node fetches the shared object of an installed module from another one",
    "bytes",
  ),
  localRecord: route(
    "GET",
    "/v1/local/records/:uid",
    "cluster",
    "the cluster leader fetches what a node keeps of the record of a database",
    KEPT_RECORD,
  ),
  localTrust: route(
    "GET",
    "/v1/local/trust",
    "cluster",
    "the operator asks each node whether it has read what changes, before it goes on",
    TRUST,
  ),
  localLink: route(
    "GET",
    "/v1/local/link",
    "cluster",
    "a node asks the one with the primary how its link serves Active-Active databases",
    z.array(LINK_STATUS),
  ),
  localMover: route(
    "POST",
    "/v1/local/mover",
    "cluster",
    "the cluster leader asks a node how far its mover is with the shards of a database",
    MOVER_REPLY,
    json<MoverQuestion>(),
  ),
  localRestore: route(
    "POST",
    "/v1/local/restore",
    "cluster",
    "the cluster leader asks a node to put a file of a backup where an engine of it starts from, and how far it is",
    RESTORED_FILE,
    json<FileRestore>(),
  ),
  localVouch: route(
    "POST",
    "/v1/local/vouch",
    "cluster",
    "a node that does not reach the Kubernetes API asks the others not to take over its databases",
    VOUCHED,
    json<{ readonly node: number; readonly transitions?: number }>(),
  ),
  localConsent: route(
    "POST",
    "/v1/local/consent",
    "cluster",
    "the cluster leader asks the others for their consent before it takes over from a node",
    CONSENT,
    json<{ readonly node: number }>(),
  ),
  localProxy: route(
    "POST",
    "/v1/local/proxy",
    "cluster",
    "the cluster leader holds and releases the endpoints of a node",
    PROXY_REPLY,
    json<ProxyCommand>(),
  ),
} as const;
