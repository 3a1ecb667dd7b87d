/** The certificates of the gateway: those that the platform file names, and those that the node gains by itself (runtime/acme/). */
import type { Platform } from '#config/platform.ts';
import { fallbackPlace, orderedPairs } from '#runtime/acme/places.ts';
import type { DoorTls, TlsFiles } from './port.ts';

/** Undefined where the gateway speaks plain HTTP. */
export function gatewayTls(platform: Pick<Platform, 'gateway' | 'storage'>): DoorTls | undefined {
  const { tls } = platform.gateway;
  if (tls === undefined) return undefined;
  const first = tls.cert === undefined ? inOne(fallbackPlace(platform.storage.dir)) : filesOf(tls.cert, tls.key!);
  const others: TlsFiles[] = [
    ...tls.others.map(({ cert, key }) => filesOf(cert, key)),
    ...orderedPairs(platform).map(({ file }) => ({ ...inOne(file), isAwaited: true as const })),
  ];
  return others.length === 0 ? first : { ...first, others };
}

const filesOf = (certFile: string, keyFile: string): TlsFiles => ({ keyFile, certFile });
const inOne = (file: string): TlsFiles => filesOf(file, file);
