/** A witness over HTTP: one request, one answer, bounded in time and size. */
import { limits } from '#config/limits.ts';
import type { WitnessPeer } from '#actors/audit/ask-witness.ts';
import type { AnchorSettings } from '#actors/audit/settings.ts';
import { readVerifierKey } from '#actors/audit/store.ts';

/** The witness of a setting. Throws when its verifier key is malformed; the platform file's check refuses that too. */
export function witnessPeer({ url, key }: AnchorSettings): WitnessPeer {
  const verifier = readVerifierKey(key);
  if (verifier === null) throw new Error(`the anchor ${url} has no verifier key (<name>+<id>+<key>): ${key}`);
  const place = `${url.replace(/\/$/, '')}/add-checkpoint`;
  return {
    url,
    verifier,
    send: async (body) => {
      const signal = AbortSignal.timeout(limits.audit.witnessMs);
      const answer = await fetch(place, { method: 'POST', body, redirect: 'error', signal });
      return { status: answer.status, type: answer.headers.get('content-type') ?? '', body: await textOf(answer, url) };
    },
  };
}

async function textOf({ body }: Response, url: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    parts.push(part as Uint8Array);
    bytes += (part as Uint8Array).length;
    if (bytes > limits.audit.witnessBodyBytesMax) throw new Error(`${url} answered more than ${bytes} bytes`);
  }
  return Buffer.concat(parts).toString();
}
