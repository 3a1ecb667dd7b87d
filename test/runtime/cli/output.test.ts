import { describe, expect, test } from 'vitest';
import { renderRecord, renderRows } from '#runtime/cli/output.ts';
import { Progress } from '#runtime/cli/progress.ts';
import type { Terminal } from '#runtime/cli/terminal.ts';

describe('rows', () => {
  const rows = [
    { name: 'Zürich', population: 341_730, note: null },
    { name: 'Ur', population: 7, note: { a: 1 } },
  ];

  test('as a table: numbers stand right, null is nothing', () => {
    expect(renderRows(rows, 'table')).toBe(
      'NAME    POPULATION  NOTE\nZürich      341730\nUr               7  {"a":1}\n',
    );
    expect(renderRows(rows, 'table', ['name'])).toBe('NAME\nZürich\nUr\n');
    expect(renderRows([], 'table', ['name'])).toBe('NAME\n');
    expect(renderRows([], 'table')).toBe('');
  });

  test('as JSON', () => expect(JSON.parse(renderRows(rows, 'json'))).toEqual(rows));

  test('a stored text cannot drive the terminal', () => {
    expect(renderRecord({ key: 'a\u001b[2Jb\nc\u007f\u009b' }, 'table')).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/,
    );
    expect(renderRecord({ key: 'a\nb' }, 'table')).toBe('key  a\\nb\n');
  });
});

class Screen implements Terminal {
  readonly redraws: boolean;
  readonly columns = 80;
  readonly env = {};
  readonly lines: string[] = [];
  time = 0;

  constructor(redraws: boolean) {
    this.redraws = redraws;
  }

  out(): void {
    throw new Error('progress belongs on the error stream');
  }

  err(text: string): void {
    this.lines.push(text);
  }

  now(): number {
    return this.time;
  }
}

describe('progress', () => {
  test('a bar on a terminal, drawn at most ten times a second', () => {
    const screen = new Screen(true);
    const progress = new Progress(screen, { label: 'cities', total: 1000, unit: 'rows' });
    for (screen.time = 10; screen.time <= 500; screen.time += 10) progress.update(screen.time);
    expect(screen.lines).toHaveLength(5);
    expect(screen.lines.at(-1)).toContain('] 41%  410/1,000 rows  1,000 rows/s  0.6s left');
    for (const line of screen.lines) expect(line.replace('\r\u001b[2K', '').length).toBeLessThan(80);
    progress.finish();
    progress.update(9);
    progress.finish();
    expect(screen.lines.at(-1)).toBe('\r\u001b[2Kcities: 500 rows in 0.5s, 980 rows/s\n');
  });

  test('elsewhere a plain line every five seconds', () => {
    const screen = new Screen(false);
    const progress = new Progress(screen, { label: 'cities', total: 100_000, unit: 'rows' });
    for (screen.time = 1000; screen.time <= 11_000; screen.time += 1000) progress.update(screen.time * 2);
    expect(screen.lines).toEqual([
      'cities  10%  10,000/100,000 rows  2,000 rows/s  45s left\n',
      'cities  20%  20,000/100,000 rows  2,000 rows/s  40s left\n',
    ]);
  });

  test('without a total, and with nothing to do', () => {
    const screen = new Screen(true);
    new Progress(screen, { label: 'a', total: null, unit: 'rows' }).update(5);
    new Progress(screen, { label: 'b', total: 0, unit: 'rows' }).update(0);
    expect(screen.lines[0]).toBe('\r\u001b[2Ka  5 rows');
    expect(screen.lines[1]).toContain('100%  0/0 rows');
  });
});
