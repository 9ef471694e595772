import { once } from "node:events";
import { createServer } from "node:https";
import { text } from "node:stream/consumers";
import { createAuthority, issue } from "#kit/pki/authority";

/** What an API server asks a webhook. */
export interface Question {
  readonly uid: string;
  readonly operation: string;
  readonly name: string;
  readonly namespace: string;
  readonly kind: object;
  readonly resource: object;
  readonly object: object | null;
  readonly oldObject: object | null;
  readonly dryRun: boolean;
  readonly userInfo: { readonly username: string; readonly groups: readonly string[] };
}

/** The response part of a review (the uid is filled in), silence, or something that is no review. */
export type Reply = Readonly<Record<string, unknown>> | "never" | "noise";

export interface Hook extends AsyncDisposable {
  readonly url: string;
  /** The authority of its certificate, as a configuration carries it. */
  readonly caBundle: string;
  readonly asked: Question[];
}

/** A real https server that answers reviews, on a free port of loopback with an authority of its own. */
export async function startHook(judge: (question: Question) => Reply): Promise<Hook> {
  const now = new Date();
  const authority = createAuthority({ commonName: "hooks", now, days: 1 });
  const leaf = { commonName: "hook", dnsNames: [], ipAddresses: ["127.0.0.1"], usages: ["server" as const] };
  const { certificate, key } = issue(authority, { ...leaf, now, days: 1 });
  const asked: Question[] = [];
  const server = createServer({ cert: certificate, key }, (request, response) => {
    void text(request).then((body) => {
      const { apiVersion, kind, request: question } = JSON.parse(body);
      asked.push(question);
      const reply = judge(question);
      if (reply === "never") return;
      if (reply === "noise") response.end("<html>");
      else response.end(JSON.stringify({ apiVersion, kind, response: { uid: question.uid, ...reply } }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `https://127.0.0.1:${port}/check`,
    caBundle: Buffer.from(authority.certificate).toString("base64"),
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
