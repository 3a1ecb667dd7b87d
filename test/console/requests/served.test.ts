/** Which operations the page of requests sends itself. That its list is the listener's: test/runtime/describe/fresh.test.ts. */
import { expect, test } from 'vitest';
import { isServed } from '#console/requests/served.ts';

test.each([
  ['GET /data/rest/city', true],
  ['GET /data/rest/city/id/{id}', true],
  ['POST /data/x/reports/daily', true],
  ['DELETE /data/rest/city', false],
  ['GET /data/rest/city/id/{id}/versions', false],
  ['GET /data/changes', false],
])('%s: %s', (id, value) => expect(isServed({ id })).toBe(value));
