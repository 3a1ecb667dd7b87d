/** Which images a host makes when, and how many wait: docs/contract/content.md §5.4. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { ImageMaker } from '#actors/content/image/image-maker.ts';
import { imagesOf } from '#actors/content/image/image-size.ts';
import type { ImageMade, ImageWish, JobEnd, Jobs } from '#actors/kit/jobs.ts';
import { MemoryBlobs } from '#test/storage/blob/memory.ts';

type End = JobEnd<ImageMade>;

const SIZE = imagesOf({ a: { width: 1, height: 1, fit: 'cover', format: 'webp' } }).get('a')!;
const IMAGE: End = { kind: 'done', result: { kind: 'image', bytes: new Uint8Array([1]) } };

/** Jobs that end when the test says so. */
class SlowJobs implements Jobs {
  readonly bodies: ImageWish[] = [];
  readonly #ends: ((end: End) => void)[] = [];

  run(_kind: unknown, body: unknown): Promise<never> {
    this.bodies.push(body as ImageWish);
    return new Promise<End>((resolve) => this.#ends.push(resolve)) as Promise<never>;
  }

  async end(end: End): Promise<void> {
    await expect.poll(() => this.#ends.length).toBeGreaterThan(0);
    this.#ends.shift()!(end);
  }
}

async function stage() {
  const blobs = new MemoryBlobs();
  const upload = await blobs.begin();
  await upload.write(Buffer.from('image'));
  const { sha256 } = await upload.seal();
  await upload.publish();
  const jobs = new SlowJobs();
  const maker = new ImageMaker(jobs);
  const wish = (tenantNo: number, store: string, more: object = {}) =>
    maker.make({ tenantNo, store: { blobs, name: store }, sha256, bytes: 5, size: SIZE, ...more }, 0);
  return { jobs, maker, wish, blobs, sha256 };
}

test('the file goes to the job in memory that both threads share', async () => {
  const { jobs, wish } = await stage();
  const made = wish(1, 'a');
  await jobs.end(IMAGE);
  expect(await made).toEqual(IMAGE.kind === 'done' ? IMAGE.result : null);
  expect(Buffer.from(jobs.bodies[0]!.source).toString()).toBe('image');
});

test('one is made at a time, and callers that want the same one wait for it', async () => {
  const { jobs, wish } = await stage();
  const all = [wish(1, 'a'), wish(1, 'a'), wish(1, 'b'), wish(2, 'a')];
  expect(all[0]).toBe(all[1]);
  for (let i = 1; i <= 3; i++) {
    await expect.poll(() => jobs.bodies.length).toBe(i);
    await new Promise((resolve) => setImmediate(resolve));
    expect(jobs.bodies).toHaveLength(i);
    await jobs.end(IMAGE);
  }
  expect((await Promise.all(all)).map(({ kind }) => kind)).toEqual(['image', 'image', 'image', 'image']);
});

test('a tenant has some places, all tenants have more, and places come free', async () => {
  const { jobs, wish } = await stage();
  const { imagesOfTenantMax: own, imagesWaitingMax: all } = limits.content;
  const waiting = Array.from({ length: own }, (_, i) => wish(1, `s${i}`));
  expect(await wish(1, 'more')).toEqual({ kind: 'busy' });
  for (let i = own; i < all; i++) waiting.push(wish(2 + Math.floor(i / own), `s${i}`));
  expect(await wish(99, 'late')).toEqual({ kind: 'busy' });
  await jobs.end(IMAGE);
  await waiting[0];
  const late = wish(99, 'late');
  for (let i = 1; i <= all; i++) await jobs.end(IMAGE);
  await Promise.all(waiting);
  expect((await late).kind).toBe('image');
});

describe('a job that', () => {
  test.each([
    [{ kind: 'killed', why: 'time' }, 'bad'],
    [{ kind: 'killed', why: 'crash' }, 'bad'],
    [{ kind: 'busy' }, 'busy'],
  ] as const)('is %j says so, and the next one is made', async (end, kind) => {
    const { jobs, wish } = await stage();
    const made = wish(1, 'a');
    await jobs.end(end);
    expect((await made).kind).toBe(kind);
    const next = wish(1, 'a');
    await jobs.end(IMAGE);
    expect((await next).kind).toBe('image');
  });
});

test('a file that cannot be read rejects, and the next one is made', async () => {
  const { jobs, wish } = await stage();
  await expect(wish(1, 'a', { sha256: '0'.repeat(64) })).rejects.toThrow('no blob');
  const next = wish(1, 'a');
  await jobs.end(IMAGE);
  expect((await next).kind).toBe('image');
});

test('without the package no job is asked again for a while', async () => {
  const { jobs, maker, wish, blobs, sha256 } = await stage();
  const made = wish(1, 'a');
  await jobs.end({ kind: 'done', result: { kind: 'missing', message: 'install it' } });
  expect(await made).toEqual({ kind: 'missing', message: 'install it' });
  expect(await wish(1, 'b')).toEqual({ kind: 'missing', message: 'install it' });
  expect(jobs.bodies).toHaveLength(1);
  const later = maker.make(
    { tenantNo: 1, store: { blobs, name: 'b' }, sha256, bytes: 5, size: SIZE },
    limits.content.imageMissingMs,
  );
  await jobs.end(IMAGE);
  expect((await later).kind).toBe('image');
});

test('another declaration of a size has another key, the same one has the same', () => {
  const declared = { width: 10, height: 20, fit: 'cover', format: 'webp' } as const;
  const keys = [
    declared,
    { ...declared, width: 20, height: 10 },
    { ...declared, fit: 'inside' },
    { ...declared, format: 'png' },
  ] as const;
  expect(new Set(keys.map((size) => imagesOf({ x: size }).get('x')!.key)).size).toBe(keys.length);
  expect(imagesOf({ y: { ...declared } }).get('y')!.key).toBe(imagesOf({ x: declared }).get('x')!.key);
});
