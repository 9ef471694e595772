/**
 * The reply to HELLO as the client of an endpoint gets it: with its own number, not that of the connection to the engine, and with the role
 * of what it talks to. The engine may have greeted the proxy while it was still a replica, before a move. `isCluster`: clients see a cluster.
 */
export function greetingFor(greeting: Buffer, id: number, isCluster: boolean): Buffer {
  const text = greeting.toString("latin1");
  if (!/^[*%]/.test(text)) return greeting;
  const own = text
    .replace(/(\r\nid\r\n:)\d+/, `$1${id}`)
    .replace("\r\nrole\r\n$7\r\nreplica\r\n", "\r\nrole\r\n$6\r\nmaster\r\n");
  const shown = isCluster ? own.replace("\r\nmode\r\n$10\r\nstandalone\r\n", "\r\nmode\r\n$7\r\ncluster\r\n") : own;
  return Buffer.from(shown, "latin1");
}
