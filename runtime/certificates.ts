/** Certificates by ACME, where the platform file asks for them: what orders them is loaded on no other node. */
import type { Platform } from '#config/platform.ts';
import { acmeNames } from '#config/resolve-tls.ts';
import { sharesCertificates } from '#config/shared-vault.ts';
import type { Log } from '#actors/host/activation.ts';
import { systemClock } from '#actors/kit/clock.ts';
import type { AcmeKeeper, Renewed } from './acme/keeper.ts';
import type { Papers } from './acme/papers.ts';
import type { SharedPapers } from './acme/shared-papers.ts';
import type { NodeParts } from './node-parts.ts';

/** What orders them, with the pairs on the disk prepared for the doors, which open next; null on a node that orders none. */
export async function certificatesOf({ degraded, events, live, log }: NodeParts): Promise<AcmeKeeper | null> {
  const { platform } = live;
  if (platform.service !== null || platform.gateway.tls?.acme === undefined) return null;
  const [{ AcmeKeeper }, { preparePairs }] = await Promise.all([import('./acme/keeper.ts'), import('./acme/pairs.ts')]);
  const mirrored = live.mirror;
  live.mirror = null;
  await mirrored?.mirror.stop();
  const papers = mirrored?.papers ?? (await papersOf(platform, log));
  // The doors of a node that stood by show the newest ones already, and the place must not wait for a vault that is away.
  if (mirrored === null)
    await papers
      .fetch()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'certificates that nodes share cannot be read yet: those of this machine are shown'),
      );
  await preparePairs(platform, log, systemClock.now());
  return new AcmeKeeper({ platform, papers, clock: systemClock, log, degraded, events, random: Math.random });
}

/** Has the certificates in place that the doors of a node show while it stands by, and goes on so until `endMirror`, or until this node orders them. Does nothing where none are ordered; rejects where they cannot be had. */
export async function mirrorCertificates(
  { live, log }: Pick<NodeParts, 'live' | 'log'>,
  isOver: () => boolean,
): Promise<void> {
  const { platform } = live;
  if (!sharesCertificates(platform) || isOver()) return;
  if (live.mirror === null) {
    const { CertificateMirror } = await import('./acme/certificate-mirror.ts');
    const papers = await sharedPapers(platform, log);
    if (isOver()) return papers.close();
    live.mirror = { mirror: new CertificateMirror({ platform, papers, clock: systemClock, log }), papers };
  }
  await live.mirror.mirror.start();
}

/** Of a node that stops before it serves. */
export async function endMirror({ live }: Pick<NodeParts, 'live'>): Promise<void> {
  const { mirror: mirrored } = live;
  live.mirror = null;
  await mirrored?.mirror.stop();
  await mirrored?.papers.close();
}

async function papersOf(platform: Platform, log: Log): Promise<Papers> {
  if (sharesCertificates(platform)) return sharedPapers(platform, log);
  const { OwnPapers } = await import('./acme/own-papers.ts');
  return new OwnPapers(platform.storage.dir, systemClock, log);
}

async function sharedPapers(platform: Platform, log: Log): Promise<SharedPapers> {
  const [{ SharedPapers }, { unsealed, vaultStoreOf }] = await Promise.all([
    import('./acme/shared-papers.ts'),
    import('./cluster/in-vault.ts'),
  ]);
  const store = await vaultStoreOf(platform);
  return new SharedPapers({
    store,
    unsealed: (run) => unsealed(platform, store, ({ barrier }) => run(barrier)),
    dataDir: platform.storage.dir,
    names: acmeNames(platform),
    clock: systemClock,
    log,
  });
}

export async function renewCertificate(keeper: AcmeKeeper | null, name: string): Promise<Renewed> {
  if (keeper === null)
    throw new Error(
      'no node that orders certificates serves this directory\n    set gateway.tls.acme, start the node, and try again',
    );
  return keeper.renew(name);
}
