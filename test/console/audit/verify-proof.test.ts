/**
 * The console's own verification of proofs: the public vectors of transparency-dev (test/storage/segment/vectors), proofs of every record of real logs of many sizes, and the same proofs with one thing changed, which must
 * not hold and must say what does not.
 */
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fromBase64, toBase64, type Bytes } from '#console/audit/bytes.ts';
import { fingerprintOf } from '#console/audit/keys.ts';
import { isIncluded } from '#console/audit/merkle.ts';
import { verifyProof, type ProofAsk, type Verdict } from '#console/audit/verify-proof.ts';
import { HashReader } from '#storage/segment/hash-reader.ts';
import { readVerifierKey, verifierKey } from '#storage/segment/note.ts';
import { verifyByNoble } from '#storage/segment/verify/ed25519.ts';
import { verifyProof as verifyProofByCommand } from '#storage/segment/verify/verify-proof.ts';
import { ORIGIN, appendSome, placeOfLog, recordOf } from '#test/storage/segment/kit.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';

interface Vector {
  readonly kind: string;
  readonly name: string;
  readonly leafIdx: number;
  readonly treeSize: number;
  readonly root: string | null;
  readonly leafHash: string | null;
  readonly proof: readonly string[];
  readonly wantErr: boolean;
}

const bytes = (base64: string | null): Bytes => new Uint8Array(Buffer.from(base64 ?? '', 'base64'));

test('the public vectors of inclusion are judged as their authors judge them', async () => {
  const file = new URL('../../storage/segment/vectors/merkle.jsonl', import.meta.url);
  const vectors = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Vector)
    .filter(({ kind }) => kind === 'inclusion');
  expect(vectors.length).toBeGreaterThan(90);
  expect(vectors.filter(({ wantErr }) => !wantErr).length).toBeGreaterThan(5);
  const misjudged: string[] = [];
  for (const { name, leafIdx: index, treeSize: size, root, leafHash, proof, wantErr } of vectors) {
    const holds = await isIncluded({ leaf: bytes(leafHash), index, size, path: proof.map(bytes), root: bytes(root) });
    if (holds === wantErr) misjudged.push(name);
  }
  expect(misjudged).toEqual([]);
});

interface GivenProof {
  readonly index: number;
  readonly entry: string;
  readonly proof: readonly string[];
  readonly checkpoint: string;
}

const LONG = 120_000;
const SIZES = [1, 2, 3, 5, 8, 13, 64];
const PER_LOG = 12;

/** Proofs of a real log of so many records: of the first one, the last one, and some between. */
async function proofsOf(size: number): Promise<ProofAsk[]> {
  const place = placeOfLog();
  const log = await place.open();
  await appendSome(log, size);
  await log.published(size);
  const reader = new HashReader((path) => log.files.read(path), size);
  const some = new Set([0, size - 1, ...Array.from({ length: PER_LOG }, (_, i) => Math.floor((i * size) / PER_LOG))]);
  const made: ProofAsk[] = [];
  for (const index of some) {
    const entry = recordOf(index).toString();
    const proof: GivenProof = {
      index,
      entry,
      proof: (await reader.inclusion(index)).map((hash) => Buffer.from(hash).toString('base64')),
      checkpoint: log.head!.note,
    };
    made.push({ proof, key: verifierKey(place.verifier), origin: ORIGIN, index, record: JSON.parse(entry) as unknown });
  }
  await log.close();
  return made;
}

const faultOf = (verdict: Verdict): string => (verdict.kind === 'bad' ? verdict.fault : verdict.kind);
const given = ({ proof }: ProofAsk): GivenProof => proof as GivenProof;

/** The base64 text with one of its bits turned. */
function bent(base64: string, bit: number): string {
  const turned = fromBase64(base64)!;
  turned[(bit >> 3) % turned.length]! ^= 1 << (bit & 7);
  return toBase64(turned);
}

describe('proofs of real logs', () => {
  test(
    'hold by the verifier key and by PEM, and the record may have its members in any order',
    { timeout: LONG },
    async () => {
      for (const size of SIZES)
        for (const ask of await proofsOf(size)) {
          const verdict = await verifyProof(ask);
          expect(verdict).toMatchObject({ kind: 'good', size });
          const raw = readVerifierKey(ask.key)!.publicKey;
          const body = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]).toString('base64');
          const pem = `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----\n`;
          expect(await verifyProof({ ...ask, key: pem })).toEqual(verdict);
          const turned = Object.fromEntries(Object.entries(ask.record as object).toReversed());
          expect(await verifyProof({ ...ask, record: turned })).toEqual(verdict);
          expect(await fingerprintOf(pem)).toBe(await fingerprintOf(ask.key));
          expect(await fingerprintOf(pem)).toMatch(/^(?:[0-9a-f]{4} ){15}[0-9a-f]{4}$/);
        }
    },
  );

  test('agree with the verifier of the command line about every changed proof', { timeout: LONG }, async () => {
    const asks = (await Promise.all([1, 2, 5, 8, 13].map(proofsOf))).flat();
    const verdicts = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: asks.length - 1 }),
        fc.nat({ max: 511 }),
        fc.nat({ max: 6 }),
        async (at, bit, kind) => {
          const ask = asks[at]!;
          const { key } = ask;
          const proof = changed(given(ask), bit, kind);
          const { publicKey, name } = readVerifierKey(key)!;
          const theirs = verifyProofByCommand(JSON.stringify(proof), 'proof', {
            publicKey,
            name,
            origin: ORIGIN,
            verify: verifyByNoble,
          });
          const verdict = await verifyProof({ ...ask, proof, index: proof.index, record: recordIn(proof.entry) });
          const fault = faultOf(verdict);
          verdicts.set(fault, (verdicts.get(fault) ?? 0) + 1);
          // Where the path leads to the root, what is left to say is of the record that the page shows: an entry that is no JSON has none.
          expect(fault === 'good' || fault === 'record').toBe(theirs.verdict === 'good');
        },
      ),
      { numRuns: rounds({ suite: 200, ci: 1000 }) },
    );
    // The generator reaches each of them.
    for (const kind of ['good', 'path', 'signature', 'shape']) expect(verdicts.get(kind), kind).toBeGreaterThan(0);
  });

  test('say what does not hold', async () => {
    const [first, second] = await proofsOf(5);
    const [foreign] = await proofsOf(5);
    const faultWith = async (change: Partial<ProofAsk>) => faultOf(await verifyProof({ ...first!, ...change }));
    expect(await faultWith({ proof: null })).toBe('shape');
    expect(await faultWith({ proof: { ...given(first!), proof: 'x' } })).toBe('shape');
    expect(await faultWith({ proof: { ...given(first!), checkpoint: 'no note' } })).toBe('shape');
    expect(await faultWith({ key: 'a key' })).toBe('key');
    expect(await faultWith({ key: first!.key.replace('+', '+0') })).toBe('key');
    expect(await faultWith({ key: foreign!.key })).toBe('signature');
    expect(await faultWith({ proof: foreign!.proof })).toBe('signature');
    expect(await faultWith({ origin: 'skep.example/tenant/acme/shop/dev/other' })).toBe('origin');
    expect(await faultWith({ proof: { ...given(first!), entry: given(second!).entry } })).toBe('path');
    expect(await faultWith({ proof: second!.proof })).toBe('record');
    expect(await faultWith({ record: second!.record })).toBe('record');
    expect(await faultWith({ record: { ...(first!.record as object), action: 'nothing.happened' } })).toBe('record');
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'pem', type: 'spki' });
    expect(await faultWith({ key: rsa.toString() })).toBe('key');
  });
});

function changed(proof: GivenProof, bit: number, kind: number): GivenProof {
  const path = proof.proof;
  if (kind === 0) return proof;
  if (kind === 1) return { ...proof, entry: proof.entry.replace('test', `t${bit}`) };
  if (kind === 2 && path.length > 0)
    return { ...proof, proof: path.with(bit % path.length, bent(path[bit % path.length]!, bit)) };
  if (kind === 3) return { ...proof, proof: path.slice(1) };
  if (kind === 4) return { ...proof, index: proof.index ^ (1 << (bit % 4)) };
  if (kind === 5)
    return { ...proof, proof: [...path, bit % 2 === 0 ? 'no base64' : Buffer.alloc(bit % 40).toString('base64')] };
  const [text, line] = proof.checkpoint.split('\n\n') as [string, string];
  const [dash, name, signature] = line.trimEnd().split(' ') as [string, string, string];
  if (bit % 2 === 0) return { ...proof, checkpoint: `${text}\n\n${dash} ${name} ${bent(signature, bit)}\n` };
  const [origin, size, root] = text.split('\n') as [string, string, string];
  return { ...proof, checkpoint: `${origin}\n${size}\n${bent(root, bit)}\n\n${line}` };
}

function recordIn(entry: string): unknown {
  try {
    return JSON.parse(entry);
  } catch {
    return null;
  }
}
