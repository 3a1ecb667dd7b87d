/** The vault's certificates: signing, alone and durable; OCSP answers, fresh and kept; a list of 100,000 entries signed again. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '#config/limits.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import { CertificateBook, type CertificateOrder } from '#actors/vault/authority/certificate-book.ts';
import { Responder } from '#actors/vault/authority/responder.ts';
import { SealedKeys } from '#actors/vault/authority/sealed-keys.ts';
import { Barrier } from '#actors/vault/seal/barrier.ts';
import { Seal } from '#actors/vault/seal/seal.ts';
import { NO_NAMES } from '#actors/vault/pki/alt-name.ts';
import { spkiOf } from '#actors/vault/pki/public-key.ts';
import { RevocationList } from '#actors/vault/pki/revocation-list.ts';
import { newSerial } from '#actors/vault/pki/serial.ts';
import { openLmdbVault } from '#storage/vault/lmdb.ts';
import type { BenchCase } from './harness.ts';
import type { Figure } from './kit/figure.ts';
import { functionMs, timeFunction } from './kit/function-bench.ts';
import { ocspRequest } from './kit/ocsp-request.ts';
import { timesOf } from './kit/stats.ts';

const LIST_ENTRIES = 100_000;
const LIST_MS_MAX = 100;
const IN_FLIGHT = 64;
const DURABLE_PER_SECOND_MIN = 5000;
const FRESH_PER_SECOND_MIN = 15_000;

/** A keeper's certificates on an LMDB store of their own. */
async function openBook(dataDir: string) {
  const directory = await mkdtemp(join(dataDir, 'pki-'));
  const onFatal = (error: unknown): never => {
    throw error;
  };
  const store = await openLmdbVault(directory, { onFatal });
  const seal = new Seal(store, 'sealed');
  await seal.unseal(randomBytes(32), null);
  const ids = new IdSource(systemClock);
  const ports = {
    store,
    barrier: new Barrier({ store, seal, random: randomBytes }),
    clock: systemClock,
    random: (bytes: number) => randomBytes(bytes),
    nextId: () => ids.next(),
    assertOpen: () => {},
    trustDomain: 'bench.test',
    scope: { datacenter: 'dc1', cluster: 'main' },
    places: {},
  };
  const keys = new SealedKeys(ports);
  const book = new CertificateBook(ports, keys);
  return {
    keys,
    book,
    responder: new Responder(ports, keys, book),
    close: async () => {
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
}

function newOrder(): CertificateOrder {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    kind: 'service',
    subject: { commonName: 'api' },
    names: { ...NO_NAMES, dns: ['api.bench.test'], uri: ['spiffe://bench.test/api'] },
    spki: spkiOf(publicKey),
    isRsa: false,
    lifetimeMs: limits.pki.serviceMs,
    issuedBy: 'bench',
  };
}

interface Rate {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms?: number;
}

/** Runs calls, so many at once, for a time; calls a second and how long each took. */
async function inFlight(run: () => Promise<unknown>, ms: number): Promise<Rate> {
  const took: number[] = [];
  const began = performance.now();
  const lane = async (): Promise<void> => {
    while (performance.now() - began < ms) {
      const from = performance.now();
      await run();
      took.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  const perSecond = (1000 * took.length) / (performance.now() - began);
  return { perSecond, ...timesOf(took) };
}

function figureOf(name: string, { perSecond, ...times }: Rate, than: number | null): Figure {
  const figure = { name, unit: 'op/s', value: perSecond, ...times, errors: 0 } as const;
  return than === null ? figure : { ...figure, target: { of: 'value', bound: 'min', than } };
}

export const pki: BenchCase = {
  name: 'pki',
  measures: 'certificates signed alone and durably, OCSP fresh and kept, a list of 100,000 entries',
  target: 'durable ≥ 5,000/s, OCSP ≥ 15,000/s, list ≤ 100 ms',
  http: false,
  seconds: (options) => (5 * functionMs(options)) / 1000,
  async run({ options, dataDir }) {
    const { book, keys, responder, close } = await openBook(dataDir);
    try {
      const ms = functionMs(options);
      const { maker, issuer } = await keys.authority();
      const order = newOrder();
      const serial = newSerial(randomBytes);
      const sign = () => maker.make({ ...order, serial, nowMs: Date.now() });
      const durable = await inFlight(() => book.issue(order), ms);
      const request = ocspRequest(issuer.certId.sha1, (await book.issue(order))!.serial);
      const fresh = await inFlight(() => responder.answer(request), ms);
      const text = request.toString('base64');
      const kept = await inFlight(() => responder.answerGet(text), ms);
      const list = new RevocationList(issuer);
      for (let i = 0; i < LIST_ENTRIES; i++) list.add(newSerial(randomBytes), Date.now(), 'superseded');
      const signed = await timeFunction('pki list signed again', () => list.sign(1, Date.now()), ms);
      return [
        await timeFunction('pki certificate signed', sign, ms),
        figureOf('pki certificate durable', durable, DURABLE_PER_SECOND_MIN),
        figureOf('pki OCSP fresh', fresh, FRESH_PER_SECOND_MIN),
        figureOf('pki OCSP kept', kept, null),
        { ...signed, target: { of: 'p50Ms', bound: 'max', than: LIST_MS_MAX } },
      ];
    } finally {
      await close();
    }
  },
};
