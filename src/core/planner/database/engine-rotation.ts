import type { DatabaseRecord } from "../../api/records.ts";

/** The passwords by which nodes reach the engines of a database, as its Secret holds them. */
export interface EnginePasswords {
  /** The password in use; absent until a node of release 0.4.0 or later has led the cluster. */
  readonly internal?: string;
  /** Absent until the password is first replaced. `step` grows with each change, so that a proxy can say which change it has taken. */
  readonly rotation?: { readonly step: number; readonly next?: string; readonly former?: string };
}

/** What a rotation does next: the next password is accepted besides, is used, or the former one ends. */
type RotationAct = "offer" | "use" | "end";

/** An act that is due, for the rotation that begins or has begun `since`, while the passwords are those of `step`. */
export interface DueRotation {
  readonly act: RotationAct;
  readonly since: string;
  readonly step: number;
}

/**
 * The act that is due for the cluster's password at the engines of a database: the password is replaced after that of the management API was, at
 * `replacedAt` (ISO instant). Nothing begins before engines refuse clients: nodes of older releases know no password of the cluster.
 */
export function rotationDue(
  { passwords, createdTime }: Pick<DatabaseRecord, "passwords" | "createdTime">,
  replacedAt: string | undefined,
): DueRotation | undefined {
  const { engines, rotation } = passwords ?? {};
  const step = rotation?.step ?? 0;
  if (rotation !== undefined && rotation.state !== "ended")
    return { act: rotation.state === "offered" ? "use" : "end", since: rotation.since, step };
  if (replacedAt === undefined || engines !== "closed") return undefined;
  return replacedAt > (rotation?.since ?? createdTime) ? { act: "offer", since: replacedAt, step } : undefined;
}

/** The passwords after an act; unchanged when the act was done before, or was decided on other passwords. */
export function withRotation<T extends EnginePasswords>(held: T, due: Omit<DueRotation, "since">, fresh: string): T {
  const { internal, rotation = { step: 0 } } = held;
  if (rotation.step !== due.step) return held;
  const step = rotation.step + 1;
  switch (due.act) {
    case "offer":
      return rotation.next === undefined ? { ...held, rotation: { step, next: fresh } } : held;
    case "use": {
      const { next } = rotation;
      if (next === undefined || internal === undefined) return held;
      return { ...held, internal: next, rotation: { step, former: internal } };
    }
    case "end":
      return rotation.former === undefined ? held : { ...held, rotation: { step } };
  }
}
