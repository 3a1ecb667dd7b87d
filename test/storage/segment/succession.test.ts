/** A log that gets a new key: a verifier with either key accepts both parts, if both keys have signed the succession and not otherwise. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkpointText, readCheckpoint } from '#storage/segment/checkpoint.ts';
import { readOnlyFiles } from '#storage/segment/files.ts';
import { segmentPath } from '#storage/segment/manifest.ts';
import { signatureLine, writeNote } from '#storage/segment/note.ts';
import { addSuccession, KEYS_FILE, readSuccessions, successionText } from '#storage/segment/succession.ts';
import { verifyByNoble } from '#storage/segment/verify/ed25519.ts';
import type { VerifyReport } from '#storage/segment/verify/report.ts';
import { verifyLog } from '#storage/segment/verify/verify-log.ts';
import { verifySegment } from '#storage/segment/verify/verify-segment.ts';
import { appendSome, byNode, ORIGIN, placeOfLog, type LogPlace } from './kit.ts';

const SMALL = { bounds: { recordsMax: 4, bytesMax: 100_000 } };

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const verifier = { name: ORIGIN, publicKey: raw };
  const line = (text: string): string => signatureLine(verifier, sign(null, Buffer.from(text), privateKey));
  return {
    verifier,
    signer: { sign: line },
    trust: { publicKey: raw, name: null, origin: ORIGIN, verify: verifyByNoble },
  };
}
type Key = ReturnType<typeof newKey>;

const of = ({ verifier, signer }: Key) => ({ ...SMALL, verifier, signer });
const path = (place: LogPlace, name: string): string => join(place.directory, name);

async function grow(place: LogPlace, key: Key, count: number): Promise<void> {
  const log = await place.open(of(key));
  await appendSome(log, count);
  await log.close();
}

/** Says that `next` follows `old`, signed by the keys that are given. */
function succeed(place: LogPlace, old: Key, next: Key, by: readonly Key[] = [old, next], root?: Uint8Array): void {
  const file = path(place, KEYS_FILE);
  const head = readCheckpoint(readFileSync(path(place, 'checkpoint')))!;
  const text = successionText(ORIGIN, { size: head.size, root: root ?? head.root }, old.verifier, next.verifier);
  const present = existsSync(file) ? readFileSync(file) : null;
  writeFileSync(
    file,
    addSuccession(
      present,
      text,
      by.map(({ signer }) => signer.sign(text)),
    ),
  );
}

const verdict = async (place: LogPlace, { trust }: Key): Promise<Pick<VerifyReport, 'verdict' | 'tampered'>> =>
  verifyLog(readOnlyFiles(place.directory), trust, 'directory');
const GOOD = { verdict: 'good', tampered: null };

/** Six records of one key, then as many of each that follows. */
async function logOf(...keys: readonly Key[]): Promise<LogPlace> {
  const place = placeOfLog();
  for (const [at, key] of keys.entries()) {
    if (at > 0) succeed(place, keys[at - 1]!, key);
    await grow(place, key, 6);
  }
  return place;
}

describe('a rotation that both keys have signed', () => {
  test('is accepted, and the whole log verifies by the first key, the last one and each between', async () => {
    const keys = [newKey(), newKey(), newKey()];
    const place = await logOf(...keys);
    for (const key of keys) expect(await verdict(place, key)).toMatchObject(GOOD);
    for (const first of [0, 4, 12])
      for (const key of keys)
        expect(await verifySegment(path(place, segmentPath(first)), key.trust), `${first}`).toMatchObject(GOOD);
    expect(await verdict(place, newKey())).toMatchObject({ verdict: 'tampered' });
  });

  test('has the present key sign at once what the one before had signed last', async () => {
    const [old, next] = [newKey(), newKey()];
    const place = await logOf(old);
    succeed(place, old, next);
    await (await place.open(of(next))).close();
    const { note, size } = readCheckpoint(readFileSync(path(place, 'checkpoint')))!;
    expect([size, note.signatures.map((line) => line.keyId.toString('hex'))]).toEqual([6, [expect.any(String)]]);
    expect(writeNote(note.text, [next.signer.sign(note.text)])).toBe(readFileSync(path(place, 'checkpoint'), 'utf8'));
    for (const key of [old, next]) expect(await verdict(place, key)).toMatchObject(GOOD);
  });

  test('before it is in force a copy by the old key verifies by the new one, too', async () => {
    const [old, next] = [newKey(), newKey()];
    const place = await logOf(old);
    succeed(place, old, next);
    for (const key of [old, next]) expect(await verdict(place, key)).toMatchObject(GOOD);
  });
});

describe('what is no rotation: the log is not opened, and does not verify by the new key', () => {
  const cases: readonly (readonly [string, (old: Key, next: Key) => readonly Key[] | null])[] = [
    ['a new key and nothing else', () => null],
    ['a note that the new key alone has signed', (_old, next) => [next]],
    ['a note that the old key alone has signed', (old) => [old]],
    ['a note that a third key has signed for the old one', (_old, next) => [newKey(), next]],
  ];
  test.each(cases)('%s', async (_what, signers) => {
    const [old, next] = [newKey(), newKey()];
    const place = await logOf(old);
    const by = signers(old, next);
    if (by !== null) succeed(place, old, next, by);
    const before = readFileSync(path(place, 'checkpoint'));
    await expect(place.open(of(next))).rejects.toMatchObject({ why: 'damage' });
    expect(readFileSync(path(place, 'checkpoint'))).toEqual(before);
    expect((await verdict(place, next)).verdict).toBe('tampered');
  });

  test('a link that does not follow the one before, and a file that is cut', async () => {
    const [a, b, c] = [newKey(), newKey(), newKey()];
    const place = await logOf(a);
    succeed(place, a, b);
    succeed(place, a, c);
    expect(readSuccessions(readFileSync(path(place, KEYS_FILE)), ORIGIN, byNode)).toBeNull();
    expect((await verdict(place, a)).verdict).toBe('tampered');
    writeFileSync(path(place, KEYS_FILE), '["');
    await expect(place.open(of(a))).rejects.toMatchObject({ why: 'damage' });
    expect((await verdict(place, a)).tampered).toMatchObject({ file: KEYS_FILE });
  });
});

describe('an old key that is stolen', () => {
  test('signs no more: a later checkpoint of it is refused by whichever key verifies', async () => {
    const [old, next] = [newKey(), newKey()];
    const place = await logOf(old, next);
    const file = path(place, 'checkpoint');
    const { size, root } = readCheckpoint(readFileSync(file))!;
    const text = checkpointText(ORIGIN, { size, root });
    writeFileSync(file, writeNote(text, [old.signer.sign(text)]));
    for (const key of [old, next])
      expect((await verdict(place, key)).tampered).toMatchObject({
        file: 'checkpoint',
        what: 'is not signed by the key',
      });
    await expect(place.open(of(next))).rejects.toMatchObject({ why: 'damage' });
  });

  test('opens the log no more', async () => {
    const [old, next] = [newKey(), newKey()];
    const place = await logOf(old, next);
    await expect(place.open(of(old))).rejects.toThrow('names another key than the one in hand');
  });
});

test('a root that is not that of the records is found, though both keys have signed it', async () => {
  const [old, next] = [newKey(), newKey()];
  const place = await logOf(old);
  succeed(place, old, next, [old, next], Buffer.alloc(32, 7));
  await grow(place, next, 6);
  for (const key of [old, next]) expect((await verdict(place, key)).tampered).toMatchObject({ file: KEYS_FILE });
});

test('without its file of keys the log verifies by the new key no more: its first manifests are of another', async () => {
  const [old, next] = [newKey(), newKey()];
  const place = await logOf(old, next);
  chmodSync(path(place, KEYS_FILE), 0o600);
  rmSync(path(place, KEYS_FILE));
  for (const key of [old, next]) expect((await verdict(place, key)).verdict).toBe('tampered');
});
