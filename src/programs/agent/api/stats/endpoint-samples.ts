import type { Sample, Samples } from "../../../../core/api/metrics/exposition.ts";
import type { DatabaseRecord } from "../../../../core/api/records.ts";
import type { EndpointCounts, EndpointStats } from "../../../../ports/management/proxy-control.ts";
import { ENDPOINT_NUMBERS } from "./endpoint-numbers.ts";

interface DatabaseLabels {
  readonly bdb: number;
  readonly database: string;
}

/** The labels of everything of a database. */
export function databaseLabels({ uid, name }: Pick<DatabaseRecord, "uid" | "name">): DatabaseLabels {
  return { bdb: uid, database: name };
}

/** What the endpoints of a node have counted. */
export function endpointSamples(databases: readonly DatabaseRecord[], endpoints: readonly EndpointStats[]): Samples {
  const names = new Map(databases.map(({ uid, name }) => [uid, name]));
  const labelled = endpoints.map((stats) => ({
    stats,
    labels: databaseLabels({ uid: stats.bdb, name: names.get(stats.bdb) ?? "" }),
  }));
  const each = (of: (stats: EndpointStats) => number | undefined) =>
    labelled.flatMap(({ stats, labels }) => {
      const value = of(stats);
      return value === undefined ? [] : [{ labels, value }];
    });
  const numbers = Object.entries(ENDPOINT_NUMBERS).map(([name, { of }]) => [name, each(of)] as const);
  const counted = labelled.flatMap(({ stats, labels }) =>
    stats.counted === undefined ? [] : [{ labels, counted: stats.counted }],
  );
  return {
    store_endpoint_listening: each(({ listening }) => (listening ? 1 : 0)),
    store_endpoint_held: each(({ held }) => (held ? 1 : 0)),
    ...Object.fromEntries(numbers),
    store_endpoint_moves_total: counted.flatMap(movesOf),
    store_endpoint_multi_slot_requests_total: counted.flatMap(crossingsOf),
    store_endpoint_request_seconds: counted.flatMap(latenciesOf),
    store_endpoint_hold_seconds: counted.flatMap(holdsOf),
  };
}

interface Counted {
  readonly labels: DatabaseLabels;
  readonly counted: EndpointCounts;
}

function movesOf({ labels, counted: { switchovers, failovers } }: Counted): Sample<"store_endpoint_moves_total">[] {
  return [
    { labels: { ...labels, kind: "switchover" }, value: switchovers },
    { labels: { ...labels, kind: "failover" }, value: failovers },
  ];
}

function crossingsOf({
  labels,
  counted: { crossings = {} },
}: Counted): Sample<"store_endpoint_multi_slot_requests_total">[] {
  return Object.entries(crossings).map(([command, value]) => ({ labels: { ...labels, command }, value }));
}

function latenciesOf({
  labels,
  counted: { answered, answeredLate },
}: Counted): Sample<"store_endpoint_request_seconds">[] {
  return [
    { labels: { ...labels, held: "no" }, value: answered },
    { labels: { ...labels, held: "yes" }, value: answeredLate },
  ];
}

function holdsOf({ labels, counted: { holds, outages } }: Counted): Sample<"store_endpoint_hold_seconds">[] {
  return [
    { labels: { ...labels, cause: "switchover" }, value: holds },
    { labels: { ...labels, cause: "outage" }, value: outages },
  ];
}
