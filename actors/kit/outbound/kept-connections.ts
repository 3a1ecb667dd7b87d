/**
 * Connections that wait for a next request to the same origin. Their address was checked when they were made (guard.ts), so nothing of it
 * is checked again. They are for requests that carry their own proof: callers share them.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { limits } from '#config/limits.ts';

const { keptMs, keptOfOriginMax, keptOriginsMax } = limits.outbound;
const OPTIONS = { keepAlive: true, timeout: keptMs, maxFreeSockets: keptOfOriginMax } as const;

export class KeptConnections {
  readonly #http = new HttpAgent(OPTIONS);
  readonly #https = new HttpsAgent(OPTIONS);

  /** Null for a further origin where so many have waiting connections that none is kept for it. */
  agentOf({ protocol, hostname, port }: URL): HttpAgent | null {
    const agent = protocol === 'https:' ? this.#https : this.#http;
    const origins = Object.keys(agent.freeSockets);
    if (origins.length < keptOriginsMax) return agent;
    const own = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}:`;
    return origins.some((name) => name.startsWith(own)) ? agent : null;
  }
}
