/**
 * The power goes while a node is at work: what a disk may hold then is built out of a recording of everything that the node did to its
 * files, and recovered. What was acknowledged is there, once, and nothing is half there. The model of the disk: images/disk.ts, images/pick.ts;
 * docs/decisions/platform.md PL-14. Rounds: test/kit/rounds.ts; SKEP_TEST_KEEP names a directory for images with violations.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canBreakDisk } from '#test/kit/failing-disk.ts';
import { rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { TALLY_FILE } from '#test/kit/tally.ts';
import { judgeImages } from '#test/crash/images/campaign.ts';
import { recordNode, unlikeDirectory, type RecordedNode } from '#test/crash/images/recorded.ts';
import { startOn } from '#test/crash/images/start.ts';

/** A campaign records a node once for many images. */
const isCampaign = process.env[TALLY_FILE] !== undefined;
const IMAGES = rounds(isCampaign ? { suite: 1500, ci: 3000 } : { suite: 80, ci: 80 });
const STARTS = Math.ceil(IMAGES / 100);
/** As many as it takes to be sure; a control ends with the first violation. */
const CONTROL_IMAGES = 100;
const SHOWN = 4;
const SEED = testSeed();
const LIMIT = { timeout: 120_000 + IMAGES * 1000 };

describe.runIf(canBreakDisk())('a loss of power', LIMIT, () => {
  let dir: string;
  let node: RecordedNode;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'skep-images-'));
    node = await recordNode(dir);
  }, 120_000);
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  test('the recording holds everything that the node did to its files, and every kind of them', () => {
    expect(unlikeDirectory(node)).toEqual([]);
    const named = node.records
      .filter(({ kind }) => kind !== 'write' && kind !== 'note')
      .map(({ bytes }) => bytes.toString());
    for (const made of [
      /^journal\/\d{10}-[a-z0-9-]+\/0000000002\.segment$/,
      /^audit\/logs\/tenant\/.*\/segments\/\d{16}\.json$/,
      /^content\/\d+\/media\/[0-9a-f]{2}\/[0-9a-f]{64}$/,
    ])
      expect(
        named.flatMap((text) => text.split('\0')).some((path) => made.test(path)),
        String(made),
      ).toBe(true);
    expect(node.records.some(({ kind, flag }) => kind === 'write' && flag)).toBe(true);
  });

  test('what was acknowledged is there, once, and nothing is half there', LIMIT, async () => {
    const bad = await judgeImages(node, { count: IMAGES, seed: SEED });
    expect(bad.map(({ violations, ...where }) => ({ ...where, violations: violations.slice(0, SHOWN) }))).toEqual([]);
  });

  test(`a whole node starts over it, and serves (${STARTS})`, LIMIT, async () => {
    const bad = await judgeImages(node, {
      count: STARTS,
      seed: SEED + 1,
      recover: (dataDir, ledger, judge) => startOn(node.site, dataDir, ledger, judge),
    });
    expect(bad).toEqual([]);
  });

  test.each([
    ['all files', /^/, / was answered and is missing$/],
    ['the journals', /^journal(\/|$)/, / was answered and is missing$/],
    ['the shards', /^shards(\/|$)/, /^fault: |missing$/],
    ['the log of submissions', /^intake(\/|$)/, /^submission: .* missing$|^fault: intake/],
    ['the audit logs', /^audit\/logs\/tenant/, /^record: .* missing$|^fault: audit/],
    ['the assets', /^content(\/|$)/, /^fault: rows: the file of an asset/],
  ])('a disk that ignores the syncs of %s is found out', LIMIT, async (_files, ignored, expected) => {
    const ignores = (path: string): boolean => ignored.test(path);
    const bad = await judgeImages(node, { count: CONTROL_IMAGES, seed: SEED + 2, ignores, until: expected });
    expect(bad.flatMap(({ violations }) => violations).some((violation) => expected.test(violation))).toBe(true);
  });
});
