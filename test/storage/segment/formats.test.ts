import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import { readBundle, writeBundle } from '#storage/segment/bundle.ts';
import { checkpointText, readCheckpoint } from '#storage/segment/checkpoint.ts';
import { Fringe, type Tile } from '#storage/segment/fringe.ts';
import { HashReader } from '#storage/segment/hash-reader.ts';
import { EMPTY_ROOT, leafHash, rootOver } from '#storage/segment/hash.ts';
import { isTorn, readLine, writeLine } from '#storage/segment/line.ts';
import {
  cosignatureLine,
  cosignedAt,
  cosignedMessage,
  isSignedBy,
  readNote,
  readVerifierKey,
  signatureLine,
  verifierKey,
  writeNote,
} from '#storage/segment/note.ts';
import type { VerifyBytes } from '#storage/segment/note.ts';
import { verifyConsistency, verifyInclusion } from '#storage/segment/proof.ts';
import { TILE_WIDTH, parseTilePath, tilePath, tileWidth } from '#storage/segment/tile-path.ts';
import { verifyByNoble } from '#storage/segment/verify/ed25519.ts';

/** The eight entries that implementations of RFC 6962 test with, and the roots over the first n of them. */
const ENTRIES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const leafOf = (no: number): Buffer => leafHash(Buffer.from(`entry ${no}`));

/** A tree over made entries: its leaves, and its tiles by path as a log would publish them. */
function treeOf(size: number) {
  const leaves = Array.from({ length: size }, (_, no) => leafOf(no));
  const fringe = new Fringe();
  const files = new Map<string, Uint8Array>();
  const keep = (tile: Tile): void => void files.set(tilePath(tile), tile.bytes);
  for (const leaf of leaves) fringe.push(leaf, keep);
  for (const tile of fringe.partials()) keep(tile);
  const reader = new HashReader(async (path) => files.get(path) ?? null, size);
  return { leaves, fringe, files, reader };
}

const rootOf = (leaves: readonly Uint8Array[]): Uint8Array => (leaves.length === 0 ? EMPTY_ROOT : rootOver(leaves));

describe('the tree (RFC 6962 §2.1)', () => {
  test('has the known roots', () => {
    const fringe = new Fringe();
    const roots = [hex(fringe.root())];
    for (const entry of ENTRIES) {
      fringe.push(leafHash(Buffer.from(entry, 'hex')), () => undefined);
      roots.push(hex(fringe.root()));
    }
    expect(roots).toEqual(ROOTS);
  });

  test('agrees with the recursive definition at every size past two full tiles', () => {
    const { leaves } = treeOf(2 * TILE_WIDTH + 3);
    const fringe = new Fringe();
    for (const [at, leaf] of leaves.entries()) {
      fringe.push(leaf, () => undefined);
      if (at % 37 === 0 || at > 2 * TILE_WIDTH - 4)
        expect(hex(fringe.root())).toBe(hex(rootOf(leaves.slice(0, at + 1))));
    }
  });

  test('grows on from the hashes of its unfinished tiles', () => {
    const { leaves, fringe } = treeOf(700);
    const half = treeOf(300).fringe;
    const levels = Fringe.widths(300).map((width, level) => {
      const tile = half.partials().find((one) => one.level === level);
      return Array.from({ length: width }, (_, at) => tile!.bytes.subarray(at * 32, at * 32 + 32));
    });
    const again = Fringe.at(300, levels);
    for (const leaf of leaves.slice(300)) again.push(leaf, () => undefined);
    expect(hex(again.root())).toBe(hex(fringe.root()));
  });
});

describe('proofs from tiles', () => {
  test('of any entry and any two sizes verify, and of nothing else', async () => {
    const sizes = fc.integer({ min: 1, max: 1100 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(), fc.nat(), async (size, pick, cut) => {
        const { leaves, reader, fringe } = treeOf(size);
        const index = pick % size;
        const from = 1 + (cut % size);
        const proof = await reader.inclusion(index);
        expect(verifyInclusion(leaves[index]!, index, size, proof, fringe.root())).toBe(true);
        expect(verifyInclusion(leafOf(size), index, size, proof, fringe.root())).toBe(false);
        expect(verifyInclusion(leaves[index]!, (index + 1) % (size + 1), size, proof, fringe.root())).toBe(false);
        expect(verifyInclusion(leaves[index]!, index, size, [...proof, leaves[0]!], fringe.root())).toBe(false);
        const path = await reader.consistency(from);
        const before = rootOf(leaves.slice(0, from));
        expect(verifyConsistency(from, size, before, fringe.root(), path)).toBe(true);
        expect(verifyConsistency(from, size, leafOf(size), fringe.root(), path)).toBe(false);
        expect(verifyConsistency(from, size, before, leafOf(size), path)).toBe(false);
        expect(verifyConsistency(from, size, before, fringe.root(), [...path, leaves[0]!])).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  test('refuse sizes that are none', () => {
    const leaf = leafOf(0);
    expect(verifyInclusion(leaf, 0, 1, [], leaf)).toBe(true);
    expect(verifyInclusion(leaf, -1, 1, [], leaf)).toBe(false);
    expect(verifyInclusion(leaf, 0, 0, [], leaf)).toBe(false);
    expect(verifyConsistency(0, 1, EMPTY_ROOT, leaf, [])).toBe(false);
    expect(verifyInclusion(Buffer.alloc(0), 0, 1, [], Buffer.alloc(0))).toBe(false);
    expect(verifyConsistency(2, 1, leaf, leaf, [])).toBe(false);
    expect(verifyConsistency(1, 1, leaf, leaf, [leaf])).toBe(false);
    expect(verifyConsistency(1, 2, leaf, leaf, [])).toBe(false);
  });
});

describe('tile paths (C2SP tlog-tiles)', () => {
  test('are those of the specification', () => {
    expect(tilePath({ level: 0, index: 1234067, width: 256 })).toBe('tile/0/x001/x234/067');
    expect(tilePath({ level: 'entries', index: 273, width: 112 })).toBe('tile/entries/273.p/112');
    expect(tilePath({ level: 1, index: 1, width: 17 })).toBe('tile/1/001.p/17');
  });

  test.each(['tile/0/1', 'tile/00/001', 'tile/0/x000/001', 'tile/0/001.p/256', 'tile/0/001.p/0', 'tile/../001', 'x'])(
    'refuse %s',
    (path) => expect(parseTilePath(path)).toBeNull(),
  );

  test('come back as they went', () => {
    const place = fc.record({
      level: fc.oneof(fc.integer({ min: 0, max: 62 }), fc.constant('entries' as const)),
      index: fc.integer({ min: 0, max: 2 ** 40 }),
      width: fc.integer({ min: 1, max: 256 }),
    });
    fc.assert(
      fc.property(place, (one) => {
        expect(parseTilePath(tilePath(one))).toEqual(one);
      }),
    );
  });

  test('know how far a tile reaches', () => {
    expect(tileWidth({ level: 0, index: 0 }, 70_000)).toBe(256);
    expect(tileWidth({ level: 0, index: 273 }, 70_000)).toBe(112);
    expect(tileWidth({ level: 1, index: 1 }, 70_000)).toBe(17);
    expect(tileWidth({ level: 2, index: 0 }, 70_000)).toBe(1);
    expect(tileWidth({ level: 3, index: 0 }, 70_000)).toBe(0);
  });
});

/** The example of the signed-note specification. */
const NEUMANN = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const EXAMPLE = `If you think cryptography is the answer to your problem,
then you don't know what your problem is.

\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`;

const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const byNode: VerifyBytes = (signature, message, raw) => {
  const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, raw]), format: 'der', type: 'spki' });
  return verify(null, message, key, signature);
};

describe('signed notes (C2SP signed-note)', () => {
  test.each([
    ['node:crypto', byNode],
    ['@noble/ed25519', verifyByNoble],
  ])('the example of the specification verifies by %s', (_name, check) => {
    const verifier = readVerifierKey(NEUMANN)!;
    expect(isSignedBy(readNote(Buffer.from(EXAMPLE))!, verifier, check)).toBe(true);
    expect(isSignedBy(readNote(Buffer.from(EXAMPLE.replace('answer', 'answes')))!, verifier, check)).toBe(false);
    expect(verifierKey(verifier)).toBe(NEUMANN);
  });

  test('are signed as the example was', () => {
    const seed = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1);
    const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
    const text = EXAMPLE.slice(0, EXAMPLE.indexOf('\n\n') + 1);
    const line = signatureLine(readVerifierKey(NEUMANN)!, sign(null, Buffer.from(text), key));
    expect(writeNote(text, [line])).toBe(EXAMPLE);
  });

  test('no byte can be changed without notice', () => {
    const verifier = readVerifierKey(NEUMANN)!;
    const bytes = Buffer.from(EXAMPLE);
    const passed: number[] = [];
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 0x01;
      const note = readNote(changed);
      if (note !== null && isSignedBy(note, verifier, byNode)) passed.push(at);
    }
    expect(passed).toEqual([]);
  });

  test('a witness signs the time with it (C2SP tlog-cosignature)', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    const witness = { name: 'witness.example/w1', publicKey: raw };
    const text = 'example.com/log\n1\nroot\n';
    const line = cosignatureLine(witness, 1_679_315_147, sign(null, cosignedMessage(text, 1_679_315_147), privateKey));
    const note = readNote(Buffer.from(writeNote(text, [line])))!;
    expect(cosignedAt(note, witness, verifyByNoble)).toBe(1_679_315_147);
    expect(cosignedAt({ ...note, text: 'another\n' }, witness, verifyByNoble)).toBeNull();
    expect(isSignedBy(note, witness, verifyByNoble)).toBe(false);
  });

  test.each([
    '',
    'text\n',
    'text\n\n',
    'text\n\n\u2014 name\n',
    'text\n\n\u2014 a+b AAAAAAAA\n',
    'te\u0001xt\n\n\u2014 a AAAAAAA=\n',
  ])('refuses %j', (text) => expect(readNote(Buffer.from(text))).toBeNull());

  test('checkpoints carry origin, size and root (C2SP tlog-checkpoint)', () => {
    const text = checkpointText('example.com/behind-the-sofa', { size: 20_852_163, root: leafOf(1) });
    const note = Buffer.from(`${text}\n\u2014 a ${Buffer.alloc(68, 1).toString('base64')}\n`);
    expect(readCheckpoint(note)).toMatchObject({ origin: 'example.com/behind-the-sofa', size: 20_852_163 });
    for (const bad of [
      text.replace('20852163', '020852163'),
      text.replace('=', ''),
      text.slice(text.indexOf('\n') + 1),
    ])
      expect(readCheckpoint(Buffer.from(note.toString().replace(text, bad)))).toBeNull();
  });
});

describe('bundles and lines', () => {
  const entries = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 256 });

  test('bundles come back as they went', () => {
    fc.assert(
      fc.property(entries, (all) => {
        expect(readBundle(writeBundle(all))!.map(hex)).toEqual(all.map(hex));
      }),
    );
    expect(readBundle(Buffer.from([0, 3, 1, 2]))).toBeNull();
    expect(readBundle(Buffer.from([0]))).toBeNull();
    expect(() => writeBundle([Buffer.alloc(65_536)])).toThrow('65536');
  });

  test('every changed byte of a line shows, and a torn one is distinguished from a bad one', () => {
    const one = writeLine(Buffer.from('{"a":1}'));
    const two = writeLine(Buffer.from('{"b":22}'));
    expect(one.toString()).toMatch(/^[0-9a-f]{8} 7 \{"a":1\}\n$/);
    for (let at = 0; at < one.length; at++) {
      const changed = Buffer.from(one);
      changed[at]! ^= 0x20;
      expect(readLine(changed, 0)).toBeNull();
    }
    for (let cut = 1; cut < two.length; cut++) {
      const torn = Buffer.concat([one, two.subarray(0, cut)]);
      expect(readLine(torn, readLine(torn, 0)!.end)).toBeNull();
      expect(isTorn(torn, one.length)).toBe(true);
    }
    expect(isTorn(Buffer.concat([Buffer.from('bad\n'), one]), 0)).toBe(false);
  });
});
