/** The vault's own certificate authority as an issuer of callers' certificates, and its periodic work: revocation lists and keys. */
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { pkiUrlOf } from '#config/resolve-vault.ts';
import type { Keeper } from '#actors/vault/keeper.ts';
import { PkiRoom } from '#actors/vault/pki-room.ts';
import { operatorAnchors } from './operator-anchors.ts';

export interface KeeperPki {
  readonly room: PkiRoom;
  /** Reads the issuers of the configuration again; the vault's own authority stays. */
  trust(): void;
  close(): void;
}

export function pkiOf(keeper: Keeper, platform: Platform): KeeperPki {
  const { vault } = platform;
  const base = pkiUrlOf(platform);
  const places = base === undefined ? {} : { crlUrl: `${base}/pki/crl`, ocspUrl: `${base}/pki/ocsp` };
  const room = new PkiRoom(keeper, places);
  let own: Awaited<ReturnType<PkiRoom['anchor']>> | null = null;
  let listsEndMs = Infinity;
  const trust = (): void => {
    const operators = operatorAnchors(vault);
    ({ listsEndMs } = operators);
    keeper.parts.callers.trust([...operators.anchors, ...(own === null ? [] : [own])]);
  };
  const anchor = async (): Promise<void> => {
    own = await room.anchor();
    trust();
  };
  /** Replaces the own issuer where the authority has another certificate now. */
  const anchorAgain = async (): Promise<void> => {
    const { facts } = await room.keys.authority();
    if (own !== null && own.certificate.serialNumber !== facts.serial) await anchor();
  };
  keeper.onOpened.push(async () => {
    if (keeper.parts.highWater.why !== null) return; // after a rollback nothing in the store is trusted
    await anchor();
  });
  keeper.checks.set('crl', () => (room.lists.isFresh ? null : 'the revocation list has ended and cannot be signed'));
  keeper.checks.set('operators', () =>
    keeper.parts.clock.now() < listsEndMs
      ? null
      : 'a revocation list of operators has ended: put a new one, then SIGHUP',
  );
  const tending = setInterval(() => {
    if (keeper.parts.seal.state === 'sealed') return;
    room
      .tend()
      .then(anchorAgain)
      .catch((error: unknown) =>
        keeper.parts.log.warn(
          { err: error },
          'revocation lists and keys of the authority could not be renewed now: this is tried again',
        ),
      );
  }, limits.pki.tendMs).unref();
  return { room, trust, close: () => clearInterval(tending) };
}
