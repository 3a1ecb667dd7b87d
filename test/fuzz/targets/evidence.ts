/** Files of logs, which witnesses and auditors fetch and send: what is read is written again byte for byte. */
import { createPublicKey, verify } from 'node:crypto';
import { linear, type Target } from '#test/fuzz/target.ts';
import { must } from './must.ts';

const ORIGIN = 'skep.example/tenant/acme/shop/dev/main';
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

export async function checkpointTarget(): Promise<Target> {
  const { checkpointText, readCheckpoint } = await import('#storage/segment/checkpoint.ts');
  const { cosignatureLine, cosignedAt, isSignedBy, readVerifierKey, signatureLine, verifierKey, writeNote } =
    await import('#storage/segment/note.ts');
  const { readAddCheckpoint, writeAddCheckpoint } = await import('#storage/segment/add-checkpoint.ts');
  const { readSuccessions, successionText, addSuccession } = await import('#storage/segment/succession.ts');
  const { readManifest, segmentFirst, writeManifest } = await import('#storage/segment/manifest.ts');
  const { parseTilePath, tilePath } = await import('#storage/segment/tile-path.ts');
  const verifier = { name: ORIGIN, publicKey: Buffer.alloc(32, 9) };
  const head = { size: 300, root: Buffer.alloc(32, 5) };
  const text = checkpointText(ORIGIN, head);
  const line = signatureLine(verifier, Buffer.alloc(64, 1));
  const note = writeNote(text, [line, cosignatureLine(verifier, 1_700_000_000, Buffer.alloc(64, 2))]);
  const byNode = (signature: Uint8Array, message: Uint8Array, raw: Uint8Array): boolean => {
    const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, raw]), format: 'der', type: 'spki' });
    return verify(null, message, key, signature);
  };
  const manifest = {
    first: 0,
    last: 299,
    bytes: 9,
    sha256: 'a'.repeat(64),
    size: 300,
    root: Buffer.alloc(32).toString('base64'),
    checkpoint: note,
  };
  return {
    name: 'checkpoint',
    form: 'text',
    covers: ['/storage/segment/'],
    seeds: [
      note,
      writeAddCheckpoint(256, [Buffer.alloc(32, 1), Buffer.alloc(32, 2)], note),
      addSuccession(null, successionText(ORIGIN, head, verifier, { ...verifier, publicKey: Buffer.alloc(32, 3) }), [
        line,
        line,
      ]),
      writeManifest(manifest),
      verifierKey(verifier),
      'tile/0/x001/234.p/7',
      'tile/entries/000',
      'segments/0000000000000300.log',
    ],
    words: [
      '\u2014 ',
      '\n\n',
      '\n',
      'old ',
      '+',
      'tile/',
      '.p/',
      'x001/',
      '/key-succession',
      ORIGIN,
      '9007199254740993',
      '00',
    ],
    bytesMax: 16_384,
    stepsMax: linear(3000, 30),
    run: (input) => {
      const bytes = input;
      const whole = input.toString();
      const found = readCheckpoint(bytes);
      if (found !== null) {
        must(found.note.text.startsWith(checkpointText(found.origin, found)), 'another checkpoint');
        must(!isSignedBy(found.note, verifier, byNode), 'a signature that is none');
        must(cosignedAt(found.note, verifier, byNode) === null, 'a cosignature that is none');
      }
      const sent = readAddCheckpoint(bytes);
      if (sent !== null) {
        const end = bytes.indexOf('\n\n') + 2;
        must(writeAddCheckpoint(sent.old, sent.proof, bytes.toString('utf8', end)) === whole, 'another request');
      }
      must(readSuccessions(bytes, ORIGIN, byNode)?.length !== 1, 'a succession that no key signed');
      const sealed = readManifest(whole);
      if (sealed !== null) must(writeManifest(sealed) === whole, 'another manifest');
      const key = readVerifierKey(whole);
      if (key !== null)
        must(
          [1, 4].some((type) => verifierKey(key, type) === whole.trim()),
          'another key',
        );
      const tile = parseTilePath(whole);
      if (tile !== null) must(tilePath(tile) === whole, 'another path');
      void segmentFirst(whole);
    },
  };
}

export async function tileTarget(): Promise<Target> {
  const { readBundle, writeBundle } = await import('#storage/segment/bundle.ts');
  const { tileHashes } = await import('#storage/segment/fringe.ts');
  const { isTorn, readLine, writeLine } = await import('#storage/segment/line.ts');
  const { openLine, sealLine, GENESIS } = await import('#storage/log/chain.ts');
  return {
    name: 'tile',
    form: 'bytes',
    covers: ['/storage/segment/', '/storage/log/chain.ts'],
    seeds: [
      writeBundle([Buffer.from('a'), Buffer.alloc(0), Buffer.alloc(300, 7)]),
      Buffer.alloc(64, 3),
      Buffer.concat([writeLine(Buffer.from('{"seq":1}')), writeLine(Buffer.from('{"seq":2}'))]),
      sealLine('{"id":"a"}', GENESIS).line,
    ],
    words: ['\0\0', '\xff\xff', '\n', ',"prev":"', ',"hash":"', ',"erased":true'],
    bytesMax: 65_536,
    stepsMax: linear(2000, 30),
    run: (input) => {
      const entries = readBundle(input);
      if (entries !== null) must(writeBundle(entries).equals(input), 'another bundle');
      const hashes = tileHashes(input);
      if (hashes !== null) must(Buffer.concat(hashes).equals(input), 'another tile');
      const line = readLine(input, 0);
      if (line !== null) must(writeLine(line.entry).equals(input.subarray(0, line.end)), 'another line');
      void isTorn(input, 0);
      const opened = openLine(input);
      if (opened !== null && !opened.erased)
        must(Buffer.from(sealLine(opened.body, opened.prev).line).equals(input), 'another line of the log');
    },
  };
}
