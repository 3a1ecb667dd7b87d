/** What an import does inside the host: lines are read, checked and staged; the chunk is then dropped, for the journal has cases of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readerOf } from '#actors/data/bulk/format.ts';
import { Importer } from '#actors/data/bulk/importer.ts';
import type { Line } from '#actors/data/bulk/line.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { partOf } from '#actors/data/part.ts';
import { sessionAs } from '#actors/data/rest/session.ts';
import { dataService } from '#actors/data/service.ts';
import { Work } from '#actors/host/work.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import type { BenchCase } from './harness.ts';
import { layProduct, readProduct } from './kit/bench-product.ts';
import type { Figure } from './kit/figure.ts';
import { number } from './kit/format.ts';
import { functionMs, timeCalls } from './kit/function-bench.ts';
import { withTurns, type Turns } from './kit/turns.ts';

const ROWS = 1000;
const FORMATS = ['jsonl', 'csv'] as const;
const FIELDS = ['country', 'name', 'population', 'latitude', 'longitude', 'feature_code'] as const;

const ROW = (no: number): Readonly<Record<(typeof FIELDS)[number], unknown>> => ({
  country: 'CH',
  name: `place, ${no}`,
  population: (no * 7919) % 1_000_000,
  latitude: 46.5,
  longitude: 7.25,
  feature_code: 'PPL',
});

const TEXTS: Readonly<Record<(typeof FORMATS)[number], string>> = {
  jsonl: Array.from({ length: ROWS }, (_, no) => JSON.stringify(ROW(no))).join('\n'),
  csv: [
    FIELDS.join(','),
    ...Array.from({ length: ROWS }, (_, no) => {
      const row = ROW(no);
      return FIELDS.map((name) => JSON.stringify(row[name])).join(',');
    }),
  ].join('\n'),
};

async function linesOf(format: (typeof FORMATS)[number], model: EntityModel): Promise<Line[]> {
  const reader = await readerOf(format, model);
  const lines = [...reader.read(TEXTS[format]), ...reader.end()];
  if (lines.length !== ROWS) throw new Error(`${format} has ${lines.length} lines`);
  return lines;
}

async function staged({ activation }: Turns, format: (typeof FORMATS)[number]): Promise<void> {
  const work = new Work(activation);
  const session = sessionAs(work, INTERNAL, partOf(activation).models);
  const model = session.model('place')!;
  const options = { chunkRows: ROWS, skipErrors: false, dryRun: true, skipPresent: false };
  const importer = new Importer(work, session, model, options);
  await importer.add(await linesOf(format, model));
  await importer.flush();
  if (importer.report.imported !== ROWS) throw new Error(JSON.stringify(importer.report));
}

/** A call is of many rows. */
const perRow = ({ value, p50Ms: _p50, p99Ms: _p99, p999Ms: _p999, ...figure }: Figure): Figure => ({
  ...figure,
  unit: 'rows/s',
  value: value * ROWS,
});

export const importTurn: BenchCase = {
  name: 'import-turn',
  measures: `lines read, and lines read, checked and staged with two indexes inside the host, JSONL and CSV, ${number(ROWS)} at a time`,
  target: '',
  http: false,
  seconds: (options) => (5 * functionMs(options)) / 1000,
  async run({ dataDir, options }) {
    const dir = await mkdtemp(join(dataDir, 'import-turn-'));
    layProduct(dir);
    const wish = { product: readProduct(dir), services: () => [dataService()] };
    await rm(dir, { recursive: true });
    return withTurns(dataDir, wish, async (turns) => {
      const ms = functionMs(options);
      const model = partOf(turns.activation).models.get('place')!;
      const figures: Figure[] = [];
      for (const format of FORMATS) {
        figures.push(perRow(await timeCalls(`import-turn ${format} read`, () => linesOf(format, model), ms)));
        const stage = () => staged(turns, format);
        figures.push(perRow(await timeCalls(`import-turn ${format} staged`, stage, ms, 'the chunk is dropped')));
      }
      return figures;
    });
  },
};
