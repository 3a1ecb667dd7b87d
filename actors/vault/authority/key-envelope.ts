/** A P-256 key in an envelope of the barrier. Its bytes are zeroed after sealing and after opening; callers get a `KeyObject`. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { PkiPorts, Place } from './ports.ts';

const NODE = '_node';

export const keyPlace = (name: string, version: number): Place => ({ tenant: NODE, name, version });

export interface NewKey {
  readonly key: KeyObject;
  /** PKCS #8 in an envelope, base64. */
  readonly closed: string;
}

/** A new key in an envelope bound to its place. */
export async function makeKey({ barrier }: PkiPorts, place: Place): Promise<NewKey> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const plain = privateKey.export({ format: 'der', type: 'pkcs8' });
  try {
    return { key: privateKey, closed: (await barrier.close(place, plain)).toString('base64') };
  } finally {
    plain.fill(0);
  }
}

export async function openKey({ barrier }: PkiPorts, place: Place, closed: string): Promise<KeyObject> {
  const plain = await barrier.open(place, Buffer.from(closed, 'base64'));
  try {
    return createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' });
  } finally {
    plain.fill(0);
  }
}
