import { expect, test } from 'vitest';
import { readTriggerSearch } from '#console/triggers/search.ts';

test('the address says which events are shown and which one is open; an outcome that is none is all of them', () => {
  const whole = { outcome: 'failed', trigger: 'told', event: '01M' };
  expect(readTriggerSearch(whole)).toEqual(whole);
  expect(readTriggerSearch({ outcome: 'delivered', trigger: '', event: ['01M', '02M'] })).toEqual({ event: '01M' });
  expect(readTriggerSearch({})).toEqual({});
});
