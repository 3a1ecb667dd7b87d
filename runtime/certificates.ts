/** Certificates by ACME, where the platform file asks for them: what orders them is loaded on no other node. */
import { systemClock } from '#actors/kit/clock.ts';
import type { AcmeKeeper, Renewed } from './acme/keeper.ts';
import type { NodeParts } from './node-parts.ts';

/** What orders them, with the pairs on the disk prepared for the doors, which open next; null on a node that orders none. */
export async function certificatesOf({ degraded, events, live, log }: NodeParts): Promise<AcmeKeeper | null> {
  const { platform } = live;
  if (platform.service !== null || platform.gateway.tls?.acme === undefined) return null;
  const [{ AcmeKeeper }, { preparePairs }] = await Promise.all([import('./acme/keeper.ts'), import('./acme/pairs.ts')]);
  await preparePairs(platform, log, systemClock.now());
  return new AcmeKeeper({ platform, clock: systemClock, log, degraded, events, random: Math.random });
}

export async function renewCertificate(keeper: AcmeKeeper | null, name: string): Promise<Renewed> {
  if (keeper === null)
    throw new Error(
      'no node that orders certificates serves this directory\n    set gateway.tls.acme, start the node, and try again',
    );
  return keeper.renew(name);
}
