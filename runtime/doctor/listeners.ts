/** The listeners of a platform file: whether their ports are free, what of them can be read on a network, and how long certificates last. */
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { isLoopback, isNearHost, parseBind } from '#config/bind.ts';
import type { Platform } from '#config/platform.ts';
import { fault, ok, warning, type Finding } from './finding.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** ACME clients renew thirty days before the end. */
const DAYS_LEFT_MIN = 14;

interface Listener {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

interface Pair {
  readonly key: string;
  readonly files: { readonly cert: string; readonly key: string };
}

/** `isRunning`: a node of this directory serves, so that its ports are taken by itself. */
export async function examineListeners(platform: Platform, isRunning: boolean, nowMs: number): Promise<Finding[]> {
  const listeners = listenersIn(platform);
  const ports = isRunning ? [] : await Promise.all(listeners.map(portOf));
  return [...ports, ...exposure(platform, listeners), ...pairsOf(platform).map((pair) => certificate(pair, nowMs))];
}

function listenersIn({ gateway, listeners }: Platform): Listener[] {
  const challenges = gateway.tls?.acme?.http_bind ?? null;
  const all = { gateway: gateway.bind, ...listeners, 'for ACME': challenges };
  return Object.entries(all).flatMap(([name, bind]) => (bind === null ? [] : [{ name, ...parseBind(bind)! }]));
}

function portOf({ name, host, port }: Listener): Promise<Finding> {
  const check = `listener ${name}`;
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be bound: ${error.message}`;
      resolve(
        fault(
          check,
          `${host}:${port} ${why}`,
          'stop that program, change the bind, or set SKEP_PORT_BASE to move all listeners',
        ),
      );
    });
    server.listen(port, host, () => server.close(() => resolve(ok(check, `${host}:${port} is free`))));
  });
}

function exposure(platform: Platform, listeners: readonly Listener[]): Finding[] {
  const open = (name: string) => listeners.find((one) => one.name === name && !isLoopback(one.host));
  const gateway = open('gateway');
  const operations = open('operations');
  const plain =
    gateway === undefined || platform.gateway.tls !== undefined
      ? []
      : [
          warning(
            'gateway',
            `${gateway.host}:${gateway.port} takes credentials over plain HTTP`,
            'set gateway.tls, or let a proxy terminate TLS and bind the gateway to an address that it alone reaches',
          ),
        ];
  const told =
    operations === undefined || isNearHost(operations.host)
      ? []
      : [
          warning(
            'operations',
            `${operations.host}:${operations.port} shows names of tenants and their load to its network`,
            'bind it to loopback or a private address',
          ),
        ];
  return [...plain, ...told];
}

function pairsOf({ gateway, listeners, vault, audit }: Platform): Pair[] {
  const named: readonly (readonly [key: string, isOn: boolean, files: Partial<Pair['files']> | undefined])[] = [
    ['gateway.tls', true, gateway.tls],
    ...(gateway.tls?.others ?? []).map((pair, i) => [`gateway.tls.others[${i}]`, true, pair] as const),
    ['vault.tls', vault.enabled, vault.tls],
    ['audit.tls', audit.enabled && listeners.audit !== null, audit.tls],
  ];
  return named.flatMap(([key, isOn, files]) =>
    isOn && files?.cert !== undefined && files.key !== undefined
      ? [{ key, files: { cert: files.cert, key: files.key } }]
      : [],
  );
}

function certificate({ key, files }: Pair, nowMs: number): Finding {
  try {
    const shown = new X509Certificate(readFileSync(files.cert));
    if (!shown.checkPrivateKey(createPrivateKey(readFileSync(files.key))))
      return fault(key, `${files.key} is not the key of ${files.cert}`, 'put the key of this certificate there');
    const days = Math.floor((Date.parse(shown.validTo) - nowMs) / DAY_MS);
    const mend = 'renew it: a node that serves reads it when it changes';
    if (days < 0) return fault(key, `${files.cert} has expired on ${shown.validTo}`, mend);
    if (Date.parse(shown.validFrom) > nowMs)
      return fault(key, `${files.cert} is not valid before ${shown.validFrom}`, 'set the clock, or use another one');
    const detail = `${files.cert} is valid for ${days} more days`;
    return days < DAYS_LEFT_MIN ? warning(key, detail, mend) : ok(key, detail);
  } catch (error) {
    return fault(
      key,
      `${files.cert} and ${files.key} cannot be used: ${(error as Error).message}`,
      'put a PEM certificate and its key there',
    );
  }
}
