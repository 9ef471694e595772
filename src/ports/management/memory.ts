import { routes } from "./routes.ts";
import type { ReplyOf, RouteName } from "./routes.ts";

/** The last answer of a route, and the tag that the server knows it by. */
export interface Remembered<N extends RouteName> {
  readonly entityTag: string;
  readonly reply: ReplyOf<N>;
}

/** Last answers, one a route. */
export interface Memory {
  about<N extends RouteName>(name: N): Remembered<N> | undefined;
  /** Keeps what can be asked for again: an answer about the whole cluster that has a tag. */
  keep<N extends RouteName>(name: N, entityTag: string, reply: ReplyOf<N>): void;
}

/** A memory that is empty at first. */
export function rememberAnswers(): Memory {
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
