/** The grid at the console in Debian's Chromium, on a real node: the order of its columns; rows that were picked, saved as a file, changed in one field and deleted. Keys have commas, as they may. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import type { TestNode } from '#test/kit/test-node.ts';

const LONG = 240_000;
/** A modifier, as the debugging protocol has it. */
const SHIFT = 8;
const CLERK = 'clerk@example.org';
const ANY = `{ language: cel, rule: 'true' }`;
const ALL = ['create', 'read', 'update', 'delete', 'restore'].map((one) => `${one}: ${ANY}`).join(', ');
const FILES: Readonly<Record<string, string>> = {
  'product.yaml': 'name: store\nroles: { clerk: counts parts }\n',
  'entities/part.yaml': `entities:
  part:
    traits: [soft_delete, versioned]
    fields:
      id: { type: string }
      name: { type: string, required: true }
      stock: { type: integer, min: 0 }
      state: { type: enum, enum: [kept, sold] }
      note: { type: string }
    access: { ${ALL} }
`,
};
const PARTS = [
  { id: 'bolt, long', name: 'Bolt, long', stock: 1, state: 'kept' },
  { id: 'bolt, short', name: 'Bolt, short', stock: 2, state: 'kept' },
  { id: 'nut', name: 'Nut', stock: 3, state: 'kept' },
  { id: 'ring', name: 'Ring', stock: 4, state: 'kept' },
];

/** What the page would save is kept for the test, which may hold changes back, too. */
const CAUGHT = `
  globalThis.saved = [];
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => { void blob.text().then((text) => globalThis.saved.push(text)); return make.call(URL, blob); };
  globalThis.held = Promise.resolve();
  const send = fetch;
  globalThis.fetch = async (url, init) => { if (init?.method === 'PATCH') await globalThis.held; return send(url, init); };
`;

describe.skipIf(!hasChromium)('the grid in a browser', () => {
  let console: ConsoleNode;
  let it: TestNode;
  let page: ConsolePage;

  beforeAll(async () => {
    console = await ConsoleNode.start({ files: FILES, before: CAUGHT });
    ({ it, page } = console);
    await console.ensure(CLERK, ['clerk']);
    const { status, text } = await it.call('POST', '/data/rest/part', await it.service(), PARTS);
    expect(status, text).toBe(201);
  }, CONSOLE_MS_MAX);
  afterAll(() => console?.stop());

  const path = (id: string): string => `/data/rest/part/id/${encodeURIComponent(id)}`;
  const elsewhere = async (id: string, changes: object): Promise<void> => {
    const { status, text } = await it.call('PATCH', path(id), await it.service(), changes);
    expect(status, text).toBe(200);
  };
  /** A field of all parts in the order of their keys. */
  const kept = async (field: string): Promise<unknown[]> => {
    const { json } = await it.call('GET', '/data/rest/part?orderby=id', await it.service());
    return (json as { data: Record<string, unknown>[] }).data.map((row) => row[field]);
  };
  /** The texts of a column of the grid, from the top. */
  const column = (at: number, value: readonly string[]) =>
    page.has(
      `[...document.querySelectorAll('.grid-row')].toSorted((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((row) => row.children[${at}].innerText)`,
      value,
    );
  const pick = async (...ids: readonly string[]): Promise<void> => {
    for (const id of ids) {
      const box = `document.querySelector('.grid-pick input[aria-label=${JSON.stringify(`Pick row ${id}`)}]')`;
      await page.has(`${box} !== null`, true);
      await page.page.run(`${box}.click()`);
    }
  };
  /** The refused rows that the sheet names, with why. */
  const refused = (value: readonly string[]) =>
    page.has(
      `[...document.querySelectorAll('[aria-label="Rows that were refused"] tbody tr')].map((row) => row.innerText.replace('\\t', ': '))`,
      value,
    );

  test('picked rows whose keys have commas leave as a file, and no others', { timeout: LONG }, async () => {
    await console.open('/data/part?orderby=id', CLERK);
    await column(
      0,
      PARTS.map(({ id }) => id),
    );
    await pick('bolt, long', 'bolt, short', 'nut');
    await page.shows('3 picked');
    await page.click('Export 3 rows');
    await page.click('JSON lines (NDJSON)');
    await page.has('saved.length', 1);
    const lines = String(await page.page.run('return saved[0]'))
      .trim()
      .split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(['bolt, long', 'bolt, short', 'nut']);
    page.isQuiet();
  });

  test(
    'a field is changed in each; what another caller wrote meanwhile stays, and is told',
    { timeout: LONG },
    async () => {
      await page.click('Change 3 rows …');
      await page.type('Field that is changed', 'stock');
      await page.takes('Change 3 rows', false);
      await page.type('stock', '3');
      await page.shows('1 has this value already.');
      await page.takes('Change 2 rows', true);
      await page.isSound('bulk-change');
      await elsewhere('bolt, short', { stock: 20 });
      await page.click('Change 2 rows');
      await page.shows('1 row was changed. Refused: 1.');
      await refused(['Bolt, short · bolt, short: stock: Somebody else has changed this to “20” meanwhile.']);
      expect(await kept('stock')).toEqual([3, 20, 3, 4]);
      await column(2, ['3', '20', '3', '4']);
      await page.isSound('bulk-overtaken');
      // It is shown as it is by now, and may be changed so.
      await page.click('Change 1 row');
      await page.shows('1 row was changed.');
      expect(await kept('stock')).toEqual([3, 3, 3, 4]);
      page.isQuiet();
    },
  );

  test(
    'the node’s refusals are told by row; a field is emptied only where that is said',
    { timeout: LONG },
    async () => {
      await page.type('stock', '-1');
      await page.click('Change 3 rows');
      await page.shows('0 rows were changed. Refused: 3.');
      await page.has(`document.querySelectorAll('[aria-label="Rows that were refused"] tbody tr').length`, 3);
      await page.shows('must be at least 0');
      page.isQuiet('422');
      await page.type('Field that is changed', 'state');
      await page.takes('Change 3 rows', false);
      await page.page.run(`document.querySelector('.sheet input[type=checkbox]').click()`);
      await page.click('Change 3 rows');
      await page.shows('3 rows were changed.');
      expect(await kept('state')).toEqual([null, null, null, 'kept']);
      await column(3, ['–', '–', '–', 'kept']);
      await page.speak('Deutsch');
      await page.shows('3 Zeilen wurden geändert.');
      await page.isSound('bulk-change-german');
      await page.speak('English');
      await page.page.run(`document.querySelector('.sheet button[aria-label=Close]').click()`);
      await page.count('.sheet', 0);
      page.isQuiet();
    },
  );

  test('changes are stopped: what was written stays, and what was not begun is told', { timeout: LONG }, async () => {
    await page.click('Change 3 rows …');
    await page.type('Field that is changed', 'note');
    await page.type('note', 'seen');
    await page.page.run('globalThis.held = new Promise((go) => { globalThis.release = go; })');
    await page.click('Change 3 rows');
    await page.shows('0 of 3 rows');
    await page.has(`document.querySelector('.sheet button[aria-label=Close]').disabled`, true);
    await page.isSound('bulk-running');
    await page.click('Stop');
    await page.page.run('globalThis.release()');
    await page.shows('1 row was changed. Not begun: 2.');
    expect(await kept('note')).toEqual(['seen', null, null, null]);
    await page.page.run(`document.querySelector('.sheet button[aria-label=Close]').click()`);
    await page.count('.sheet', 0);
    page.isQuiet();
  });

  test(
    'picked rows are deleted once that is typed; one that was changed meanwhile stays',
    { timeout: LONG },
    async () => {
      await page.click('Delete 3 rows …');
      await page.shows('Deleted rows can be brought back');
      await page.typeName('3');
      await page.takes('Delete 3 rows', false);
      await page.typeName('3 part');
      await page.takes('Delete 3 rows', true);
      await page.isSound('bulk-delete');
      await elsewhere('nut', { note: 'wanted' });
      await page.click('Delete 3 rows');
      await page.shows('2 rows were deleted. Refused: 1.');
      expect(await kept('id')).toEqual(['nut', 'ring']);
      await column(0, ['nut', 'ring']);
      await page.shows('1 picked');
      await page.isSound('bulk-deleted');
      // As it was told to be by now, it is deleted at another try.
      await page.click('Try 1 row again');
      await page.shows('3 rows were deleted.');
      expect(await kept('id')).toEqual(['ring']);
      await page.page.run(`document.querySelector('.sheet button[aria-label=Close]').click()`);
      await page.count('.sheet', 0);
      page.isQuiet();
    },
  );

  test('deleted rows are picked and brought back together; one that is there stays', { timeout: LONG }, async () => {
    await console.open('/data/part?orderby=id&deleted=true', CLERK);
    await column(0, ['bolt, long', 'bolt, short', 'nut', 'ring']);
    await pick('bolt, long', 'bolt, short', 'nut', 'ring');
    await page.click('Restore 4 rows …');
    await page.shows('Not deleted, and left as they are: 1.');
    await page.isSound('bulk-restore');
    await page.click('Restore 3 rows');
    await page.shows('3 rows were restored.');
    expect(await kept('id')).toEqual(['bolt, long', 'bolt, short', 'nut', 'ring']);
    await page.shows('1 picked');
    await page.page.run(`document.querySelector('.sheet button[aria-label=Close]').click()`);
    page.isQuiet();
  });

  test('a column is moved by the mouse, and a block is marked by a click with Shift', { timeout: LONG }, async () => {
    await console.open('/data/part?orderby=id', CLERK);
    await column(0, ['bolt, long', 'bolt, short', 'nut', 'ring']);
    await page.clickOn(`document.getElementById('cell-0-1')`);
    await page.clickOn(`document.getElementById('cell-2-2')`, SHIFT);
    await page.count('[data-marked]', 6);
    await page.has('getSelection().isCollapsed', true);
    const head = (name: string) =>
      `[...document.querySelectorAll('.grid-heads .grid-cell')].find((one) => one.innerText.trim() === '${name}')`;
    await page.drag(head('state'), head('id'));
    await page.has(
      `[...document.querySelectorAll('.grid-heads .grid-cell')].slice(0, 4).map((one) => one.innerText.trim())`,
      ['state', 'id', 'name', 'stock'],
    );
    await page.page.run('localStorage.clear()');
    await console.open('/data/part?orderby=id', CLERK);
    page.isQuiet();
  });

  test('columns are moved by the menu and by dragging, also in another visit', { timeout: LONG }, async () => {
    const heads = (value: readonly string[]) =>
      page.has(
        `[...document.querySelectorAll('.grid-heads .grid-cell')].slice(0, 5).map((one) => one.innerText.trim())`,
        value,
      );
    await heads(['id', 'name', 'stock', 'state', 'note']);
    await page.click('Columns');
    await page.click('stock: move to the left, 3 of 8');
    await heads(['id', 'stock', 'name', 'state', 'note']);
    // The button is where it was, and moves on.
    await page.page.run(`document.querySelector('[aria-label^="stock: move to the left"]').focus()`);
    await page.press('Enter');
    await heads(['stock', 'id', 'name', 'state', 'note']);
    await page.has(`document.activeElement.ariaLabel`, 'stock: move to the left, 1 of 8');
    await page.press('Escape');
    await page.count('[role=menu]', 0);
    const drag = `
      const head = (name) => [...document.querySelectorAll('.grid-heads .grid-cell')].find((one) => one.innerText.trim() === name);
      const dataTransfer = new DataTransfer();
      const tell = (type, at) => at.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
      tell('dragstart', head('note'));
      await new Promise((done) => setTimeout(done));
      const isTaken = !tell('dragover', head('id'));
      await new Promise((done) => setTimeout(done));
      tell('drop', head('id'));
      tell('dragend', head('note'));
      return isTaken;`;
    expect(await page.page.run(drag)).toBe(true);
    await heads(['stock', 'note', 'id', 'name', 'state']);
    await console.open('/data/part?orderby=id', CLERK);
    await heads(['stock', 'note', 'id', 'name', 'state']);
    await page.click('Columns');
    await page.shows('Order (or drag their heads)');
    await page.press('Escape');
    page.isQuiet();
  });

  describe('a block of cells', () => {
    /** Presses an arrow key; with Shift it marks. */
    const arrow = (key: 'ArrowDown' | 'ArrowRight', modifiers = 0): Promise<void> =>
      page.pressWith(key, key === 'ArrowDown' ? 40 : 39, modifiers);
    const begin = async (row: number, column: number): Promise<void> => {
      const cell = `document.getElementById('cell-${row}-${column}')`;
      await page.has(`${cell}?.innerText !== undefined`, true);
      await page.page.run(`${cell}.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }))`);
      await page.has(`document.activeElement.className`, 'grid');
    };
    const shownCells = (value: readonly string[]) =>
      page.has(
        `[...document.querySelectorAll('[aria-label="Cells that are pasted"] tbody tr')].map((row) => row.innerText.replaceAll(/\\s+/g, ' '))`,
        value,
      );

    test('is marked by the keyboard, copied, and pasted beside it once that was shown', { timeout: LONG }, async () => {
      const rows = ['w', 'x', 'y', 'z'].map((id, at) => ({ id, name: id.toUpperCase(), stock: at, state: 'kept' }));
      const { status, text } = await it.call('POST', '/data/rest/part', await it.service(), rows);
      expect(status, text).toBe(201);
      await console.open('/data/part?orderby=id&id[in]=w,x,y,z', CLERK);
      await page.page.run('localStorage.clear()');
      await console.open('/data/part?orderby=id&id[in]=w,x,y,z', CLERK);
      await column(0, ['w', 'x', 'y', 'z']);
      await begin(0, 1);
      await arrow('ArrowDown', SHIFT);
      await arrow('ArrowRight', SHIFT);
      await page.count('[data-marked]', 4);
      await page.clip('copy');
      await page.shows('4 cells were copied.');
      await page.isSound('block-marked');
      await begin(2, 1);
      await page.clip('paste');
      await page.shows('4 cells in 2 rows would change.');
      await shownCells(['Y · y name Y → W', 'Y · y stock 2 → 0', 'Z · z name Z → X', 'Z · z stock 3 → 1']);
      await page.press('Escape');
      await page.count('.sheet', 0);
      await page.has(`document.activeElement.className`, 'grid');
      await page.clip('paste');
      await elsewhere('y', { stock: 9 });
      await page.click('Change 4 cells');
      await page.shows('1 row was changed. Refused: 1.');
      await refused(['Y · y: stock: Somebody else has changed this to “9” meanwhile.']);
      await column(1, ['W', 'X', 'Y', 'X']);
      expect((await kept('stock')).slice(-4)).toEqual([0, 1, 9, 1]);
      await page.click('Try 1 row again');
      await page.shows('2 rows were changed.');
      expect((await kept('stock')).slice(-4)).toEqual([0, 1, 0, 1]);
      await page.press('Escape');
      page.isQuiet();
    });

    test('each cell with a fault says so and stays; the node says the rest', { timeout: LONG }, async () => {
      await begin(0, 0);
      await page.willCopy('w\tWe\t-4\tlost\r\nv\t\tmany\tSOLD\r\n');
      await page.clip('copy');
      await page.clip('paste');
      await page.shows('2 cells in 1 row would change.');
      await page.shows('With a fault, and left as they are: 5.');
      await page.shows('The same already: 1.');
      await shownCells([
        'W · w state kept → lost This is none of the values that the field takes.',
        'X · x id x → v This field is not changed here.',
        'X · x name X → – The field may not be empty.',
        'X · x stock 1 → many This is no number that the field takes.',
        'X · x state kept → SOLD This is none of the values that the field takes.',
        'W · w name W → We',
        'W · w stock 0 → -4',
      ]);
      await page.isSound('block-paste');
      await page.speak('Deutsch');
      await page.shows('Das Feld darf nicht leer sein.');
      await page.isSound('block-paste-german');
      await page.speak('English');
      await page.click('Change 2 cells');
      await page.shows('0 rows were changed. Refused: 1.');
      await refused(['W · w: stock: must be at least 0']);
      page.isQuiet('422');
      expect((await kept('name')).slice(-4, -2)).toEqual(['W', 'X']);
    });

    test('more than 1,000 cells are refused, and nothing is opened', { timeout: LONG }, async () => {
      await page.page.run(`document.querySelector('.sheet button[aria-label=Close]').click()`);
      await page.count('.sheet', 0);
      await begin(0, 0);
      await page.willCopy('1\n'.repeat(1001));
      await page.clip('copy');
      await page.clip('paste');
      await page.shows('At most 1,000 cells are copied or pasted at once.');
      await page.count('.sheet', 0);
      page.isQuiet();
    });

    test('reaches rows that were not looked at', { timeout: LONG }, async () => {
      const many = Array.from({ length: 250 }, (_, at) => ({ id: `q${1000 + at}`, name: `Q${at}`, state: 'kept' }));
      for (let from = 0; from < many.length; from += 50) {
        const { status, text } = await it.call(
          'POST',
          '/data/rest/part',
          await it.service(),
          many.slice(from, from + 50),
        );
        expect(status, text).toBe(201);
      }
      await console.open('/data/part?orderby=id&id[gte]=q1000&id[lt]=r', CLERK);
      await page.shows('250 rows');
      await begin(0, 1);
      await page.willCopy(many.map((_, at) => `Now ${at}`).join('\n'));
      await page.clip('copy');
      await page.clip('paste');
      await page.shows('250 cells in 250 rows would change.');
      await page.has('document.querySelector(".sheet").innerText.includes("Outside")', false);
      await page.click('Change 250 cells');
      await page.shows('250 rows were changed.');
      const last = await it.call('GET', path('q1249'), await it.service());
      expect((last.json as { data: { name: string }[] }).data[0]!.name).toBe('Now 249');
      page.isQuiet();
    });
  });
});
