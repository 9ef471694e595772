/** Operations of such APIs that this product does not have, and what comes closest. */
interface NotOffered {
  /** Absent: every method. */
  readonly method?: "POST";
  /** With `:name` for one part, and `*` for the rest. */
  readonly paths: readonly string[];
  readonly instead: string;
}

/** What is not offered; of two entries that a path matches, the first counts. */
export const NOT_OFFERED: readonly NotOffered[] = [
  {
    paths: ["import", "import_reset_status", "export", "export_reset_status", "backup_reset_status"].map(ofDatabase),
    instead:
      "POST /v1/bdbs/<uid>/actions/backup saves a database, and /actions/restore fills one that was made with awaits_data",
  },
  {
    paths: ["rebalance", "revamp", "optimize_shards_placement", "stop_traffic", "resume_traffic"].map(ofDatabase),
    instead: "POST /v1/nodes/<uid>/actions/maintenance_on moves what a node holds",
  },
  { method: "POST", paths: ["/v1/bdbs/:uid/actions/:action"], instead: "PUT /v1/bdbs/<uid> changes a database" },
  {
    paths: ["/v1/bdbs/:uid/modules/*"],
    instead: "modules follow the version of the database: POST /v1/bdbs/<uid>/upgrade",
  },
  {
    paths: ["/v1/bdbs/:uid/peer_stats*", "/v1/bdbs/:uid/sync_source_stats*", "/v1/bdbs/:uid/syncer_state*"],
    instead: "GET /v1/crdbs",
  },
  {
    paths: ["/v1/shards/actions/*", "/v1/shards/:uid/actions/*"],
    instead: "POST /v1/nodes/<uid>/actions/maintenance_on moves primaries",
  },
  { paths: ["/v1/nodes/check*", "/v1/nodes/status", "/v1/nodes/:uid/status"], instead: "GET /v1/nodes" },
  {
    method: "POST",
    paths: ["/v1/nodes/:uid/actions/:action"],
    instead: "a node has maintenance_on and maintenance_off; the number of nodes is spec.nodes of the cluster",
  },
  {
    paths: ["/v1/bdbs/alerts*", "/v1/nodes/alerts*", "/v1/cluster/alerts*", "/v1/shards/alerts*"],
    instead: "GET /v1/logs, and the events of the objects",
  },
  { paths: ["/v1/cluster/check"], instead: "`storectl preflight`" },
  { paths: ["/v1/cluster/actions*"], instead: "POST /v1/nodes/<uid>/actions/maintenance_on moves leadership too" },
  {
    paths: ["/v1/users/password", "/v1/users/authorize", "/v1/users/refresh_jwt"],
    instead: "PUT /v1/users/<uid> with password",
  },
  { method: "POST", paths: ["/v1/bootstrap/*"], instead: "the operator makes clusters and adds nodes" },
  {
    method: "POST",
    paths: ["/v1/crdb_tasks/:id/actions/cancel"],
    instead: "an edit of the StoreEnterpriseActiveActiveDatabase takes back what another edit asks for",
  },
  { paths: ["/v1/crdbs/:guid/*"], instead: "GET /v1/crdbs" },
  { paths: ["/v1/usage_report", "/v1/diagnostics*", "/v1/debuginfo*"], instead: "`storectl support-bundle`" },
  { paths: ["/v2/modules/user-defined*", "/v2/local/modules/*"], instead: "POST /v2/modules" },
  { paths: ["/v2/bdbs"], instead: "POST /v1/bdbs" },
  {
    paths: [
      "/v1/bdb_groups*",
      "/v1/suffix*",
      "/v1/cm_settings",
      "/v1/job_scheduler",
      "/v1/services",
      "/v1/migrations*",
    ],
    instead: "nothing: this product has none of that",
  },
  {
    paths: ["/v1/ldap_mappings*", "/v1/ocsp*", "/v1/cluster/certificates*", "/v1/cluster/ldap", "/v1/cluster/sso*"],
    instead: "nothing: this product has none of that",
  },
];

/** What comes closest to an operation that is not offered; undefined for any other. */
export function insteadOf(method: string, path: string): string | undefined {
  const found = NOT_OFFERED.find(
    (one) => (one.method ?? method) === method && one.paths.some((each) => patternOf(each).test(path)),
  );
  return found?.instead;
}

function ofDatabase(action: string): string {
  return `/v1/bdbs/:uid/actions/${action}`;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, "[^/]+").replace("*", ".*")}$`);
}
