/** Real data for the demo tenant: countries and cities that others collected, sent through the rows that import uses. */
import type { Node } from '#runtime/node.ts';
import { cityRows, countryRows } from './rows.ts';
import { DEMO_TENANT } from './sample.ts';

const CHUNK_ROWS = 1000;
/** Chunks on their way at once: the next is read while the last becomes durable. */
const CHUNKS_IN_FLIGHT = 4;

/** Told how many rows there are, then how many are in by now. */
export interface LoadProgress {
  begin(total: number): void;
  update(done: number): void;
}

/** Imports what is not there yet (rows are found by their key), so an interrupted load goes on where it ended. */
export async function loadDemoData(node: Node, progress: LoadProgress): Promise<void> {
  const countries = await countryRows();
  const cities = cityRows();
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
