/** The servers that the URL of a log names: one, or the members of a cluster of which one is the primary at a time, as `postgres://user:password@a:5432,b:5432/name`. */

const PROTOCOLS = new Set(['postgres:', 'postgresql:']);
/** Protocol with user and password, the hosts, and the rest. */
const URL_PARTS = /^([a-z]+:\/\/(?:[^@/?#]*@)?)([^/?#@]+)(.*)$/;
/** The key of libpq by which a URL with several hosts says that it means the primary; a log means no other one. */
const ATTRIBUTES = 'target_session_attrs';
const PRIMARY = new Set(['read-write', 'primary']);

/** A URL for each server, in their order; null where it is none of a PostgreSQL, or asks for anything but the primary. */
export function logServers(url: string): readonly URL[] | null {
  const [, head = '', hosts = '', rest = ''] = URL_PARTS.exec(url) ?? [];
  const servers: URL[] = [];
  for (const host of hosts.split(',')) {
    if (host === '' || !URL.canParse(head + host + rest)) return null;
    const server = new URL(head + host + rest);
    const wanted = server.searchParams.get(ATTRIBUTES);
    if (!PROTOCOLS.has(server.protocol) || (wanted !== null && !PRIMARY.has(wanted))) return null;
    server.searchParams.delete(ATTRIBUTES);
    servers.push(server);
  }
  return servers;
}
