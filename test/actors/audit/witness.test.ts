/** A witness and a log that asks it, both of this house. The answers are those of C2SP tlog-witness, "add-checkpoint"; contract: docs/contract/audit.md §3, §6 (anchor, fork and rollback). */
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { askWitness, type WitnessPeer } from '#actors/audit/ask-witness.ts';
import { Cosigning } from '#actors/audit/cosign-round.ts';
import { Witness } from '#actors/audit/witness.ts';
import { readCheckpoint } from '#storage/segment/checkpoint.ts';
import { readOnlyFiles } from '#storage/segment/files.ts';
import { cosignedAt, writeNote } from '#storage/segment/note.ts';
import { writeAddCheckpoint } from '#storage/segment/add-checkpoint.ts';
import { verifyByNoble } from '#storage/segment/verify/ed25519.ts';
import { verifyLog } from '#storage/segment/verify/verify-log.ts';
import { BookPlace, LOG } from './book.ts';

const NOW = Date.UTC(2026, 0, 2);

/** A witness that knows the log of a place. */
async function witnessOf(place: BookPlace) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);
  const verifier = { name: 'witness.example/1', publicKey };
  const kept = new Map<string, string>();
  const witness = new Witness({
    logs: new Map([[`skep/${LOG}`, await place.verifier()]]),
    store: {
      get: (origin) => Promise.resolve(kept.get(origin) ?? null),
      put: (origin, note) => Promise.resolve(void kept.set(origin, note)),
    },
    verifier,
    sign: (message) => sign(null, message, privateKey),
    now: () => NOW,
  });
  const sent: string[] = [];
  const send: WitnessPeer['send'] = (body) => {
    sent.push(body.split('\n')[0]!);
    return witness.add(Buffer.from(body));
  };
  const peer: WitnessPeer = { url: 'http://witness', verifier, send };
  return { witness, peer, verifier, sent, kept };
}

/** A log of seven records, and its parts as a request names them. */
async function logOf(count: number, place = new BookPlace()) {
  const book = place.open(1000);
  const log = await book.open(LOG);
  onTestFinished(() => book.close());
  await place.append(log, count);
  await log.published(count);
  return { place, book, log, head: log.head! };
}

const post = (witness: Witness, body: string) => witness.add(Buffer.from(body));

describe('add-checkpoint', () => {
  test('200: the first checkpoint from nothing, the next with its proof; the line is a cosignature/v1', async () => {
    const { place, log, head } = await logOf(7);
    const { witness, verifier } = await witnessOf(place);
    const first = await post(witness, writeAddCheckpoint(0, [], head.note));
    expect(first).toMatchObject({ status: 200 });
    const note = readCheckpoint(Buffer.from(head.note + first.body))!.note;
    expect(cosignedAt(note, verifier, verifyByNoble)).toBe(NOW / 1000);
    await place.append(log, 5);
    await log.published(12);
    const proof = await log.hashes(12).consistency(7);
    expect(await post(witness, writeAddCheckpoint(7, proof, log.head!.note))).toMatchObject({ status: 200 });
    // The same again: "old" is its size now, and nothing has to be proven.
    expect(await post(witness, writeAddCheckpoint(12, [], log.head!.note))).toMatchObject({ status: 200 });
  });

  test('409 with the size that it knows, where the old size is another', async () => {
    const { place, head } = await logOf(7);
    const { witness } = await witnessOf(place);
    const other = await post(witness, writeAddCheckpoint(3, [], head.note));
    expect(other).toEqual({ status: 409, type: 'text/x.tlog.size', body: '0\n' });
    await post(witness, writeAddCheckpoint(0, [], head.note));
    expect(await post(witness, writeAddCheckpoint(0, [], head.note))).toMatchObject({ status: 409, body: '7\n' });
  });

  test('409 for another root of the same size, 422 for a proof that does not hold, and nothing is cosigned', async () => {
    const { place, head } = await logOf(7);
    const { witness, kept } = await witnessOf(place);
    await post(witness, writeAddCheckpoint(0, [], head.note));
    const before = [...kept];
    // The same key, another history.
    place.forget();
    const other = await logOf(7, place);
    expect(other.head.root).not.toBe(head.root);
    expect(await post(witness, writeAddCheckpoint(7, [], other.head.note))).toMatchObject({ status: 409, body: '7\n' });
    await place.append(other.log, 2);
    await other.log.published(9);
    const proof = await other.log.hashes(9).consistency(7);
    expect(await post(witness, writeAddCheckpoint(7, proof, other.log.head!.note))).toMatchObject({ status: 422 });
    expect(await post(witness, writeAddCheckpoint(7, [], other.log.head!.note))).toMatchObject({ status: 422 });
    expect([...kept]).toEqual(before);
  });

  test('400, 403, 404: what is no request, not signed by the log, of an unknown log', async () => {
    const { place, head } = await logOf(7);
    const { witness } = await witnessOf(place);
    const stranger = (await logOf(1)).head;
    for (const body of [
      '',
      'old 0\n',
      `old 07\n\n${head.note}`,
      `old -1\n\n${head.note}`,
      `old 0\nnothash\n\n${head.note}`,
    ])
      expect(await post(witness, body)).toMatchObject({ status: 400 });
    expect(await post(witness, writeAddCheckpoint(8, [], head.note))).toMatchObject({ status: 400 });
    expect(await post(witness, writeAddCheckpoint(0, [], stranger.note))).toMatchObject({ status: 403 });
    const [text] = head.note.split('\n\n');
    const elsewhere = writeNote(`${text!.replace('main', 'other')}\n`, [head.note.split('\n\n')[1]!]);
    expect(await post(witness, writeAddCheckpoint(0, [], elsewhere))).toMatchObject({ status: 404 });
    const proof = [Buffer.alloc(32)];
    expect(await post(witness, writeAddCheckpoint(0, proof, head.note))).toMatchObject({ status: 422 });
  });

  test('two at once are judged one after the other: only one of them continues what was cosigned', async () => {
    const { place, log, head } = await logOf(3);
    const { witness } = await witnessOf(place);
    await place.append(log, 2);
    await log.published(5);
    const both = [head.note, log.head!.note].map((note) => post(witness, writeAddCheckpoint(0, [], note)));
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 409]);
  });
});

describe('a log that has itself cosigned', () => {
  test('keeps the cosigned checkpoint beside it; the verifier wants the witness where it is told to', async () => {
    const { place, book, log } = await logOf(7);
    const { peer, verifier, sent } = await witnessOf(place);
    const cosigning = new Cosigning(book);
    await cosigning.cosign(LOG, peer);
    expect(sent).toEqual(['old 7', 'old 0']);
    await cosigning.cosign(LOG, peer); // nothing new
    await place.append(log, 5);
    await log.published(12);
    await cosigning.cosign(LOG, peer);
    expect(sent).toEqual(['old 7', 'old 0', 'old 7']);
    const cosigned = readCheckpoint((await log.read('cosigned'))!)!;
    expect(cosigned.size).toBe(12);
    const files = readOnlyFiles(join(place.directory, LOG));
    const trust = { publicKey: (await place.verifier()).publicKey, name: null, origin: null, verify: verifyByNoble };
    expect(await verifyLog(files, { ...trust, witness: verifier }, 'directory')).toMatchObject({ verdict: 'good' });
    const stranger = { ...verifier, publicKey: trust.publicKey };
    const refused = await verifyLog(files, { ...trust, witness: stranger }, 'directory');
    expect(refused.tampered).toMatchObject({ file: 'cosigned', what: 'is not cosigned by the witness' });
    await log.files.remove('cosigned');
    expect(await verifyLog(files, { ...trust, witness: verifier }, 'directory')).toMatchObject({
      verdict: 'incomplete',
      missing: ['cosigned'],
    });
  });

  test('and was brought back whole, with its signed heads, is refused as a rollback when it is opened', async () => {
    const place = new BookPlace();
    const { peer } = await witnessOf(place);
    place.peer = peer;
    let book = place.open(1000);
    let log = await book.open(LOG);
    await place.append(log, 3);
    await book.close();
    const old = place.keep();
    book = place.open(1000);
    log = await book.open(LOG);
    await place.append(log, 4);
    await log.published(7);
    await new Cosigning(book).cosign(LOG, peer);
    await book.close();
    old.bringBack();
    book = place.open(1000);
    await expect(book.open(LOG)).rejects.toMatchObject({ why: 'rollback' });
    await expect(book.open(LOG)).rejects.toThrow('the witness at http://witness has cosigned more records');
    expect((await book.openToRead(LOG)).head?.size).toBe(3);
  });

  test('and was begun anew is refused too, before its first record', async () => {
    const { place, book } = await logOf(2);
    const { peer } = await witnessOf(place);
    await new Cosigning(book).cosign(LOG, peer);
    place.forget();
    place.peer = peer;
    await expect(place.open(1000).open(LOG)).rejects.toMatchObject({ why: 'rollback' });
  });

  test('a witness that is unreachable or answers nonsense is no evidence', async () => {
    const { place, log, head } = await logOf(2);
    const { peer } = await witnessOf(place);
    const answers = [
      { status: 404, type: '', body: '' },
      { status: 200, type: '', body: 'thank you\n' },
      { status: 200, type: '', body: '' },
      { status: 409, type: 'text/x.tlog.size', body: 'many\n' },
      { status: 500, type: '', body: '' },
    ];
    const judged = { origin: log.origin, verifier: log.key.verifier, head, files: log.files };
    for (const answer of answers)
      await expect(askWitness(judged, { ...peer, send: () => Promise.resolve(answer) }, 2)).rejects.toThrow(
        'http://witness',
      );
    await log.close();
    place.peer = { ...peer, send: () => Promise.reject(new Error('refused')) };
    const again = await place.open(1000).open(LOG);
    await place.append(again, 1);
    await again.close();
  });
});
