/** Real data for the demo tenant: countries and cities from public packages, sent through the same path as an import. */
import type { Node } from '#runtime/node.ts';
import { cityRows, countryRows } from './rows.ts';
import { DEMO_TENANT } from './sample.ts';

const CHUNK_ROWS = 1000;
/** Chunks in flight at once: the next is read while the last becomes durable. */
const CHUNKS_IN_FLIGHT = 4;

/** Called with the number of rows, then with the number loaded so far. */
export interface LoadProgress {
  begin(total: number): void;
  update(done: number): void;
}

/** Imports missing rows (rows are found by their key), so an interrupted load continues where it ended. */
export async function loadDemoData(node: Node, progress: LoadProgress): Promise<void> {
  const countries = await countryRows();
  const cities = await cityRows();
  let done = 0;
  const add = (rows: number): void => progress.update((done += rows));
  progress.begin(countries.length + cities.length);
  await importRows(node, 'country', countries, add);
  await importRows(node, 'city', cities, add);
}

async function importRows(
  node: Node,
  entity: string,
  rows: readonly object[],
  add: (rows: number) => void,
): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  for (let from = 0; from < rows.length; from += CHUNK_ROWS) {
    const chunk = rows.slice(from, from + CHUNK_ROWS);
    const sent = node
      .ask(DEMO_TENANT, 'data', 'rows.import', { entity, rows: chunk, present: 'skip' })
      .then((result) => {
        const { errors } = result as { errors: readonly string[] };
        if (errors.length > 0) throw new Error(`demo data: ${entity}: ${errors[0]!}`);
        inFlight.delete(sent);
        add(chunk.length);
      });
    inFlight.add(sent);
    if (inFlight.size >= CHUNKS_IN_FLIGHT) await Promise.race(inFlight);
  }
  await Promise.all(inFlight);
}
