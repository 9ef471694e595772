/** Engines as a licence counts them, named apart: `4 primaries and 4 replicas`; empty for none. */
export function instancesText(primaries: number, replicas: number): string {
  const primariesText = primaries === 1 ? "1 primary" : `${primaries} primaries`;
  const replicasText = replicas === 1 ? "1 replica" : `${replicas} replicas`;
  return [primaries > 0 ? primariesText : "", replicas > 0 ? replicasText : ""]
    .filter((text) => text !== "")
    .join(" and ");
}
