import type { VersionVector } from "../../core/merge/operations/version-vector.ts";
import type { beginSite, EngineSiteOptions } from "./begin-site.ts";
import type { Capture } from "./operations/capture.ts";
import type { EngineWriter } from "./operations/engine-writer.ts";
import type { Wakeup } from "./operations/wakeup.ts";
import { confirmWrites } from "./summary/confirmation.ts";
import { followDisk } from "./summary/durability.ts";
import type { SiteProgress } from "./summary/progress.ts";

/** What a site works with as long as it lasts. */
export interface RunningSite {
  readonly options: Pick<EngineSiteOptions, "clock" | "confirmedBy" | "signal">;
  readonly capture: Pick<Capture, "follow">;
  readonly writer: Pick<EngineWriter, "run">;
  readonly progress: SiteProgress;
  /** Something was written into the engine. */
  readonly written: Wakeup;
  /** What its replicas have, too. */
  readonly onConfirmed: (reached: VersionVector) => void;
  /** Brings it to where it takes what other sites send, and goes on from there. */
  readonly catchUp: () => Promise<void>;
}

/** Each part lasts until the signal comes; the first that fails ends them all. */
export async function runSite(
  { options, capture, writer, progress, written, onConfirmed, catchUp }: RunningSite,
  { begin, stream, confirming: { replicas, disk } }: Awaited<ReturnType<typeof beginSite>>,
): Promise<void> {
  const { signal, clock, confirmedBy } = options;
  const clients = [begin.client, replicas, disk];
  const writes = { changed: written, latest: () => progress.latest };
  const confirmation = { client: replicas, clock, replicas: confirmedBy, signal };
  const closed = clients.map(({ closed: end }) =>
    end.then((fault) => {
      if (!signal.aborted) throw fault;
    }),
  );
  try {
    await Promise.all([
      capture.follow(stream),
      writer.run(),
      confirmWrites(confirmation, writes, onConfirmed),
      followDisk({ client: disk, clock, signal }, writes, (reached) => (progress.durable = reached)),
      catchUp(),
      ...closed,
    ]);
  } finally {
    for (const client of clients) client.close();
  }
}
