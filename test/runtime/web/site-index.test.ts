/** How long a site's list of files counts, and what becomes of it when its host does not answer. */
import { beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { WebAnswer } from '#runtime/host-verbs.ts';
import { SiteIndex } from '#runtime/web/site-index.ts';

const tenant = (no = 1): TenantEntry => ({
  no,
  position: parsePosition('a:b:c:d')!,
  shard: 0,
  state: 'active',
  localdir: '/p',
});
const file = (name: string) => ({ name, at: 0, size: 1, sha256: 'x' });

let now: number;
let asked: (string | null)[];
let answer: () => Promise<WebAnswer>;
let failures: boolean[];
let index: SiteIndex;

beforeEach(() => {
  now = 0;
  asked = [];
  failures = [];
  answer = () => Promise.resolve({ revision: 'r1', files: [file('/index.html')] });
  index = new SiteIndex({
    ask: (_tenant, known) => {
      asked.push(known);
      return answer();
    },
    now: () => now,
    failed: (_tenant, _error, isServed) => void failures.push(isServed),
  });
});

const names = async (one = tenant()): Promise<string[]> => [...(await index.of(one)).files.keys()];

test('one ask serves all requests for a while; then the host says whether its revision is still the known one', async () => {
  await Promise.all([names(), names()]);
  now = limits.web.freshMs - 1;
  expect(await names()).toEqual(['/index.html']);
  expect(asked).toEqual([null]);
  now = limits.web.freshMs;
  answer = () => Promise.resolve({ revision: 'r1', files: null });
  expect(await names()).toEqual(['/index.html']);
  now += limits.web.freshMs;
  answer = () => Promise.resolve({ revision: 'r2', files: [file('/new.html')] });
  expect(await names()).toEqual(['/new.html']);
  expect(asked).toEqual([null, 'r1', 'r1']);
});

test('a host that does not answer leaves what was served before; without that the request fails, and the next one asks again', async () => {
  answer = () => Promise.reject(new Error('gone'));
  await expect(names()).rejects.toThrow('gone');
  answer = () => Promise.resolve({ revision: 'r1', files: [file('/a')] });
  expect(await names()).toEqual(['/a']);
  now = limits.web.freshMs;
  answer = () => Promise.reject(new Error('gone'));
  expect(await names()).toEqual(['/a']);
  expect(failures).toEqual([false, true]);
});

test('a tenant that was made anew under the same key has none of the earlier one’s files', async () => {
  await names();
  answer = () => Promise.resolve({ revision: null, files: [] });
  expect(await names(tenant(2))).toEqual([]);
  expect(asked).toEqual([null, null]);
});
