/** The console over a tenant of a million rows in Debian's Chromium, on a real node: the grid up to the last row, filters and orders, the sheet of a row, rows that refer to one, a file, and picked rows that are changed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import type { TestNode } from '#test/kit/test-node.ts';

const LONG = 240_000;
const SOON = { timeout: 60_000, interval: 50 };
const CLERK = 'clerk@example.org';
const MILLION = 1_000_000;
/** Rows of one import. */
const CHUNK = 100_000;
const DEPOTS = 100;
const PER_DEPOT = MILLION / DEPOTS;
const ALL = ['create', 'read', 'update', 'delete'].map((one) => `${one}: { language: cel, rule: 'true' }`).join(', ');
const FILES: Readonly<Record<string, string>> = {
  'product.yaml': 'name: parcels\nroles: { clerk: counts parcels }\n',
  'entities/parcel.yaml': `entities:
  depot:
    fields: { id: { type: string }, name: { type: string, required: true } }
    access: { ${ALL} }
  parcel:
    fields:
      id: { type: string }
      weight: { type: integer, required: true, min: 1 }
      label: { type: string, required: true }
      depot_id: { type: ref, ref: { entity: depot }, index: true }
    access: { ${ALL} }
`,
};

/** Keys have their order, so that a place in the grid tells which row must be there. */
const keyAt = (no: number): string => `p${String(no).padStart(7, '0')}`;
/** No two are equal. */
const weightAt = (no: number): number => ((no * 7) % MILLION) + 1;
const parcelLine = (no: number): string =>
  `{"id":"${keyAt(no)}","weight":${weightAt(no)},"label":"Parcel ${no}","depot_id":"d${no % DEPOTS}"}`;

const CAUGHT = `
  globalThis.saved = [];
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => { void blob.text().then((text) => globalThis.saved.push(text)); return make.call(URL, blob); };
  globalThis.held = Promise.resolve();
  const send = fetch;
  globalThis.fetch = async (url, init) => {
    if (String(url).includes('/data/bulk') && !String(url).includes('dryrun')) await globalThis.held;
    return send(url, init);
  };
`;

describe.skipIf(!hasChromium)('a million rows in a browser', () => {
  let console: ConsoleNode;
  let it: TestNode;
  let page: ConsolePage;

  const bring = async (entity: string, lines: readonly string[]): Promise<void> => {
    const headers = { ...(await it.service()), 'Content-Type': 'application/x-ndjson' };
    const path = `${it.gateway}/data/bulk?entity=${entity}&format=jsonl`;
    const answer = await fetch(path, { method: 'POST', headers, body: lines.join('\n') });
    expect(await answer.json()).toMatchObject({ imported: lines.length, errors: [] });
  };
  beforeAll(async () => {
    console = await ConsoleNode.start({ files: FILES, before: CAUGHT });
    ({ it, page } = console);
    await console.ensure(CLERK, ['clerk']);
    const depots = Array.from({ length: DEPOTS }, (_, no) => `{"id":"d${no}","name":"Depot ${no}"}`);
    await bring('depot', depots);
    const began = performance.now();
    for (let from = 0; from < MILLION; from += CHUNK)
      await bring(
        'parcel',
        Array.from({ length: CHUNK }, (_, at) => parcelLine(from + at)),
      );
    const seconds = (performance.now() - began) / 1000;
    process.stderr.write(`a million rows came in within ${seconds.toFixed(0)} s\n`);
  }, CONSOLE_MS_MAX);
  // Each of its rows is examined, which takes longer than a hook may.
  afterAll(() => console?.stop(), CONSOLE_MS_MAX);

  /** Texts of a column from the top, of the rows that are in the page; empty while one of them is awaited. */
  const column = (at: number): Promise<string[]> =>
    page.page.run(`
      const rows = [...document.querySelectorAll('.grid-row')];
      if (rows.some((row) => row.querySelector('.waiting'))) return [];
      return rows.toSorted((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((row) => row.children[${at}].innerText);`) as Promise<
      string[]
    >;
  const beginsWith = (key: string) => expect.poll(async () => (await column(0))[0], SOON).toBe(key);
  const endsWith = (key: string) => expect.poll(async () => (await column(0)).at(-1), SOON).toBe(key);
  const scrollTo = (share: number) =>
    page.page.run(
      `const grid = document.querySelector('.grid'); grid.scrollTop = ${share} * (grid.scrollHeight - grid.clientHeight);`,
    );

  test('the grid leads to the first row, to one in the middle, and to the last', { timeout: LONG }, async () => {
    await console.open('/data/parcel', CLERK);
    await page.shows('1,000,000 rows');
    await page.shows('Rows 1 to 500,000 of 1,000,000');
    await beginsWith(keyAt(0));
    await page.isSound('million-rows');
    await scrollTo(1);
    await endsWith(keyAt(499_999));
    await page.click('Later rows');
    await page.shows('Rows 500,001 to 1,000,000 of 1,000,000');
    await beginsWith(keyAt(500_000));
    await page.has('document.querySelector(".grid").ariaRowCount', String(MILLION + 1));
    await scrollTo(1);
    await endsWith(keyAt(MILLION - 1));
    await page.isSound('million-end');
    // The keyboard goes over the edge by itself.
    await scrollTo(0);
    await beginsWith(keyAt(500_000));
    await page.page.run('document.querySelector(".grid").focus()');
    await page.press('ArrowUp');
    await page.shows('Rows 1 to 500,000 of 1,000,000');
    await endsWith(keyAt(499_999));
    await page.has('document.querySelector(".grid-row [data-active]").id', 'cell-499999-0');
    page.isQuiet();
  });

  test('an order and a filter find their rows among all, and stand in the address', { timeout: LONG }, async () => {
    await page.page.run('document.querySelector(".grid").scrollTop = 0');
    await page.click('id');
    await page.has('location.search', '?orderby=id');
    await page.click('id');
    await beginsWith(keyAt(MILLION - 1));
    await page.has('location.search', '?orderby=-id');
    await console.open('/data/parcel?depot_id[eq]=d7&weight[gte]=500000', CLERK);
    await page.shows('5,000 rows');
    await beginsWith(keyAt(71_507));
    await page.isSound('million-filtered');
    page.isQuiet();
  });

  test('the rows of a filter leave as a file, and an export of all says where it ends', { timeout: LONG }, async () => {
    await page.click('Export');
    await page.shows('Export 5,000 rows');
    await page.click('JSON lines (NDJSON)');
    await page.has('saved.length', 1);
    const lines = String(await page.page.run('return saved[0]'))
      .trim()
      .split('\n');
    expect(lines.length).toBe(5_000);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ depot_id: 'd7' });
    await page.click('Remove the filter depot_id');
    await page.click('Remove the filter weight');
    await page.shows('1,000,000 rows');
    await page.click('Export');
    await page.shows('Export 200,000 rows');
    await page.press('Escape');
    await page.count('[role=menu]', 0);
    page.isQuiet();
  });

  test('a depot names how many rows refer to it, and leads to them', { timeout: LONG }, async () => {
    await console.open('/data/depot?row=d7', CLERK);
    await page.click('Related');
    await page.has('document.querySelector(".related [data-count]")?.dataset.count', String(PER_DEPOT));
    await page.isSound('million-related');
    await page.click('Show all in the grid: parcel by depot_id');
    await page.shows('10,000 rows');
    await beginsWith(keyAt(7));
    page.isQuiet();
  });

  test('a row in the middle is opened and changed in its sheet', { timeout: LONG }, async () => {
    const key = keyAt(543_210);
    await console.open(`/data/parcel?row=${key}`, CLERK);
    await page.has('document.querySelector(".sheet input[name=label]")?.value', 'Parcel 543210');
    await page.type('label', 'Found again');
    await page.click('Save');
    const label = async (): Promise<unknown> => {
      const { json } = await it.call('GET', `/data/rest/parcel/id/${key}`, await it.service());
      return (json as { data: { label: string }[] }).data[0]!.label;
    };
    await expect.poll(label, SOON).toBe('Found again');
    await page.isSound('million-row');
    await page.click('Close');
    page.isQuiet();
  });

  test('rows that are picked far below are changed together', { timeout: LONG }, async () => {
    await console.open('/data/parcel', CLERK);
    await page.shows('1,000,000 rows');
    await page.click('Later rows');
    await beginsWith(keyAt(500_000));
    for (const no of [500_001, 500_002, 500_003]) {
      const box = `document.querySelector('.grid-pick input[aria-label="Pick row ${keyAt(no)}"]')`;
      await page.has(`${box} !== null`, true);
      await page.page.run(`${box}.click()`);
    }
    await page.click('Change 3 rows …');
    await page.type('Field that is changed', 'label');
    await page.type('label', 'Marked');
    await page.click('Change 3 rows');
    await page.shows('3 rows were changed.');
    await page.isSound('million-changed');
    const { json } = await it.call(
      'GET',
      '/data/rest/parcel?label[eq]=Marked&id[gte]=p0500000&id[lte]=p0500009',
      await it.service(),
    );
    expect((json as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual(
      [500_001, 500_002, 500_003].map(keyAt),
    );
    page.isQuiet();
  });

  test('a file of rows goes in by parts, is stopped, and goes on', { timeout: LONG }, async () => {
    await console.open('/data/parcel?import=1', CLERK);
    await page.shows('It is checked first');
    await page.page.run(`
      const lines = ['id,weight,label,depot_id', ...Array.from({ length: 12000 }, (_, no) => 'q' + (10000 + no) + ',1,Late ' + no + ',d1')];
      const input = document.querySelector('.sheet input[type=file]');
      const files = new DataTransfer();
      files.items.add(new File([lines.join('\\n')], 'late.csv'));
      input.files = files.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));`);
    await page.shows('12,000 rows fit.');
    await page.page.run('globalThis.held = new Promise((go) => { globalThis.release = go; })');
    await page.click('Import 12,000 rows');
    await page.shows('0 taken, 0 refused so far');
    await page.has(`document.querySelector('.sheet button[aria-label=Close]').disabled`, true);
    await page.isSound('import-running');
    await page.click('Stop');
    await page.page.run('globalThis.release()');
    await page.shows('5,000 rows were written. The rest of the file was not sent.');
    await page.isSound('import-stopped');
    await page.click('Go on');
    await page.shows('12,000 rows were written.');
    await page.shows('1,012,000 rows');
    page.isQuiet();
  });
});
