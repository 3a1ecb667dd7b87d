/** The operations envelope: a hundred durable creates in one turn, acknowledged together. */
import type { BenchCase } from './harness.ts';
import { changingRow, type DevFile } from './kit/dev-file.ts';
import { httpSeconds, measureHttp } from './kit/http-load.ts';
import type { BodyPart, LoadRequest } from './kit/load-script.ts';

const CONNECTIONS = 64;
const SECONDS = 20;
const CREATES = 100;
const ROWS_PER_SECOND = 15_000;

function body({ sample }: DevFile): BodyPart[] {
  const parts: BodyPart[] = [];
  for (let i = 0; i < CREATES; i++) {
    const before = i === 0 ? '{"operations":[' : ',';
    parts.push(`${before}{"data":{"${sample.entity}":`, ...changingRow(sample.create), '}}');
  }
  return [...parts, ']}'];
}

const request = (dev: DevFile, token: string): LoadRequest => ({
  method: 'POST',
  headers: { ...dev.headers, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
  body: body(dev),
});

export const envelope: BenchCase = {
  name: 'envelope-100',
  measures: `operations envelopes of ${CREATES} durable creates, ${CONNECTIONS} connections`,
  target: `≥ ${ROWS_PER_SECOND / CREATES}/s (${ROWS_PER_SECOND} rows/s)`,
  http: true,
  seconds: (options) => httpSeconds({ seconds: SECONDS }, options),
  run: async (bench) => [
    await measureHttp(bench, {
      name: 'envelope-100',
      url: ({ gateway }) => `${gateway}/data/rest`,
      request,
      connections: CONNECTIONS,
      seconds: SECONDS,
      expect: 200,
      target: { of: 'value', bound: 'min', than: ROWS_PER_SECOND / CREATES },
      note: `${CREATES} rows a request`,
    }),
  ],
};
