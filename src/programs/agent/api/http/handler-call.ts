import type { BodyOf, ReplyOf, RouteName } from "../../../../ports/management/routes.ts";

/** What a handler gets: path parameters as text, and the validated body. */
export interface HandlerCall<N extends RouteName> {
  readonly params: Readonly<Record<string, string>>;
  readonly body: BodyOf<N>;
  /** Those parameters of the query that the route has. */
  readonly query: Readonly<Record<string, string>>;
  /** uid of the node that forwarded this write because it does not lead; absent when a client called. */
  readonly forwardedBy?: string;
}

/** One handler a route: a route without one does not compile. */
export type Handlers = { readonly [N in RouteName]: (call: HandlerCall<N>) => Promise<ReplyOf<N>> };

/** The uid that the path of a call names. */
export function uidParam(params: Readonly<Record<string, string>>): { readonly uid: string } {
  return { uid: params.uid ?? "" };
}
