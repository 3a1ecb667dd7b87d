/** Joins the client of the trusted issuer's keys to the threads of this node. */
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import type { Log } from '#actors/host/activation.ts';
import { fetchJwks, jwksUrl } from './fetch-jwks.ts';
import { JwksClient } from './jwks-client.ts';
import type { TenantHostRoom } from './rooms/tenant-host-room.ts';
import { hearKeyCall, type KeyCall } from './threads/key-call.ts';

/** The client, not started; null when the platform file trusts this node alone or no issuer. */
export function trustedIssuer(
  platform: Platform,
  hosts: Pick<TenantHostRoom, 'trust'>,
  call: KeyCall,
  log: Log,
): JwksClient | null {
  const issuer = platform.jwks.issuers.iam;
  if (issuer === undefined || issuer === 'self') return null;
  const url = jwksUrl(issuer);
  return new JwksClient({
    fetch: (stopped) => fetchJwks(url, stopped),
    share: (keys) => hosts.trust(keys),
    hear: (then) => hearKeyCall(call, then),
    after: later,
    log,
  });
}

/** Starts the client and waits for its first fetch, at most `limits.jwks.startMs`: a node whose issuer is away serves all the same. */
export function firstLook(client: JwksClient): Promise<void> {
  return new Promise((resolve) => {
    const callOff = later(limits.jwks.startMs, resolve);
    void client.start().finally(callOff).then(resolve);
  });
}

function later(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
}
