/** The answer of an action as text: the same at once and in slices. */
import { expect, test } from 'vitest';
import { renderResult, renderResultInSlices } from '#actors/data/action/run-action.ts';
import { limits } from '#config/limits.ts';
import { productOf } from '#test/kit/data-call.ts';
import { Engine } from '#test/kit/data-session.ts';

test('rows that are written in slices give the same text, and other turns run meanwhile', async () => {
  const engine = new Engine(productOf([]));
  const many = 3 * limits.data.sliceScanRowsMax;
  for (const count of [0, 1, limits.sql.strideRows, limits.sql.strideRows + 1, many]) {
    const rows = Array.from({ length: count }, (_, n) => ({ n, text: `"${n}"`, none: null }));
    for (const outcome of [{ total: count, rows }, { total: count }])
      for (const whole of [true, false])
        expect(await renderResultInSlices(engine.session(), outcome, whole)).toBe(renderResult(outcome, whole));
  }
  expect(engine.yields).toBeGreaterThanOrEqual(4);
});
