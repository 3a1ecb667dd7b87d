import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import { GatheredLines } from '#runtime/observe/gathered-lines.ts';

/** What was written, and the end of the turn. */
function gathered() {
  const written: string[] = [];
  const ends: (() => void)[] = [];
  const lines = new GatheredLines({ write: (text: string) => written.push(text) }, (run) => ends.push(run));
  const endTurn = (): void => ends.splice(0).forEach((run) => run());
  return { lines, written, endTurn };
}

test('lines of one turn leave together at its end', () => {
  const { lines, written, endTurn } = gathered();
  lines.write('a\n');
  lines.write('b\n');
  expect(written).toEqual([]);
  endTurn();
  lines.write('c\n');
  endTurn();
  expect(written).toEqual(['a\nb\n', 'c\n']);
});

test('a flush leaves at once, and nothing leaves twice', () => {
  const { lines, written, endTurn } = gathered();
  lines.write('a\n');
  lines.flush();
  endTurn();
  lines.flush();
  expect(written).toEqual(['a\n']);
});

test('every line arrives whole and in order, in pieces that a pipe takes whole unless one line is longer', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 6000 }), { maxLength: 60 }), (lengths) => {
      const { lines, written, endTurn } = gathered();
      const all = lengths.map((length, i) => `${i}${'é'.repeat(length)}\n`);
      for (const line of all) lines.write(line);
      endTurn();
      expect(written.join('')).toBe(all.join(''));
      for (const piece of written) {
        const isOne = piece.indexOf('\n') === piece.length - 1;
        expect(isOne || Buffer.byteLength(piece) <= 4096).toBe(true);
        expect(piece.endsWith('\n')).toBe(true);
      }
    }),
  );
});
