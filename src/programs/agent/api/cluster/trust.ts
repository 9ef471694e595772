import type { InstanceSupervisor } from "../../../../mechanisms/supervisor/instances.ts";
import type { ReplyOf } from "../../../../ports/management/routes.ts";
import { authoritiesIn, signersOf } from "#kit/pki/trust";
import type { EngineTls } from "../../../../ports/resp/engine-tls.ts";
import type { NodeLink } from "../../node/link.ts";
import type { NodeProxy } from "../../node/proxy.ts";
import type { MountedSecret } from "../../runtime/mounted-secret.ts";

/** The programs of a node that verify, or show a certificate. */
export interface TrustContext {
  readonly tls: Pick<MountedSecret<"tls.crt" | "ca.crt">, "current">;
  readonly engineTls: Pick<EngineTls, "certificate">;
  readonly supervisor: Pick<InstanceSupervisor, "certificates">;
  readonly proxy: Pick<NodeProxy, "shown">;
  readonly link: Pick<NodeLink, "used">;
}

type Trust = Pick<ReplyOf<"localTrust">, "trusts" | "shows">;

/** The authorities that every program of this node trusts and that signed what it shows: those in use, not only those asked for. */
export function nodeTrust(context: TrustContext): () => Trust {
  const signers = rememberedSigners();
  return () => {
    const own = context.tls.current();
    const proxy = context.proxy.shown();
    const link = context.link.used();
    const pairs = [
      context.engineTls.certificate,
      ...proxy.engines,
      link?.engineCertificate,
      ...context.supervisor.certificates(),
    ];
    const used = pairs.filter((pair) => pair !== undefined);
    const linked = link === undefined ? [] : [link.certificate];
    const trusted = [
      own["ca.crt"],
      ...linked.map(({ authorities }) => authorities),
      ...used.map(({ authority }) => authority),
    ];
    const shown = [own["tls.crt"], ...[...used, ...linked, ...proxy.endpoints].map(({ certificate }) => certificate)];
    const [first = [], ...others] = [...new Set(trusted)].map(authoritiesIn);
    const trusts = first.filter((id) => others.every((ids) => ids.includes(id)));
    return { trusts, shows: signers([...new Set(shown)], [...new Set(trusted)].join("\n")) };
  };
}

/** A node may have a thousand endpoints, and is asked again and again. */
function rememberedSigners(): (certificates: readonly string[], trusted: string) => string[] {
  let known = new Map<string, readonly string[]>();
  let knownFor = "";
  return (certificates, trusted) => {
    if (trusted !== knownFor) known = new Map();
    knownFor = trusted;
    known = new Map(certificates.map((each) => [each, known.get(each) ?? signersOf([each], trusted)]));
    return [...new Set([...known.values()].flat())];
  };
}
