import { keysIn, passageOf, type Destinations, type StreamedCommand } from "../slots/passage.ts";

/** What is done with a command that the source has executed. */
export type FollowedStep =
  | { readonly kind: "none" }
  /** It goes to the endpoint, and these of its words are keys. */
  | { readonly kind: "sent"; readonly keys: readonly number[] }
  /** An endpoint of several shards refuses it. */
  | { readonly kind: "crossing" }
  /** It is not known what it does to keys. */
  | { readonly kind: "unknown" };

/** What is done with that command, for an endpoint whose shards have these slots. Transactions are dissolved: nobody reads before the end. */
export function followedStep(command: StreamedCommand, shards: Destinations): FollowedStep {
  if (command.name === "MULTI" || command.name === "EXEC") return NONE;
  const passage = passageOf(command, shards);
  switch (passage.kind) {
    case "dropped":
      return NONE;
    case "whole":
      return { kind: "sent", keys: keysIn(command) ?? [] };
    case "split":
      // what is split by an endpoint: the others are refused there
      return command.name === "MSETNX" ? CROSSING : { kind: "sent", keys: passage.keys };
    case "crossing":
      return CROSSING;
    case "everywhere":
      return { kind: "sent", keys: [] };
    case "databases":
      return command.name === "SWAPDB" ? UNKNOWN : { kind: "sent", keys: [] };
    case "unknown":
      return UNKNOWN;
  }
}

/** The database that a command names besides the selected one. */
export function otherDatabaseOf(command: StreamedCommand): number | undefined {
  if (command.name === "MOVE") return Number(command.wordAt(2));
  if (command.name !== "COPY") return undefined;
  return command.wordAt(3) === "DB" ? Number(command.wordAt(4)) : undefined;
}

const NONE: FollowedStep = { kind: "none" };
const CROSSING: FollowedStep = { kind: "crossing" };
const UNKNOWN: FollowedStep = { kind: "unknown" };
