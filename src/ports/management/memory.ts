import { routes } from "./routes.ts";
import type { ReplyOf, RouteName } from "./routes.ts";

/** The last answer of a route, and its entity tag. */
export interface Remembered<N extends RouteName> {
  readonly entityTag: string;
  readonly reply: ReplyOf<N>;
}

/** Last answers, one a route. */
export interface AnswerMemory {
  about<N extends RouteName>(name: N): Remembered<N> | undefined;
  /** Keeps an answer about the whole cluster that has an entity tag; no other. */
  keep<N extends RouteName>(name: N, entityTag: string, reply: ReplyOf<N>): void;
}

/** A memory that is empty at first. */
export function rememberAnswers(): AnswerMemory {
  const known: { [N in RouteName]?: Remembered<N> } = {};
  return {
    about: (name) => known[name],
    keep: (name, entityTag, reply) => {
      const { method, path } = routes[name];
      if (method !== "GET" || path.includes(":") || entityTag === "") return;
      Object.assign(known, { [name]: { entityTag, reply } });
    },
  };
}
