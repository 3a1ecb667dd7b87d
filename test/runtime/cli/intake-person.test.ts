/** What an erasure of submissions did not reach, as the operator reads it. docs/contract/intake.md §3.6 */
import { expect, test } from 'vitest';
import { warnOfLeft } from '#runtime/cli/intake-person.ts';
import { Recorder } from './recorder.ts';

test('a path is to be deleted, a tenant of another node is to be asked there', () => {
  const terminal = new Recorder();
  warnOfLeft({ forms: {}, left: ['/old'], elsewhere: ['acme:desk:dev:gone'] }, terminal);
  expect(terminal.errText).toBe(
    `skep: /old may hold submissions of the person: delete it
skep: tenant acme:desk:dev:gone may hold submissions of the person, and is not of this node
    if it has moved, erase them there; if it was deleted, this is done
`,
  );
  const silent = new Recorder();
  warnOfLeft({ forms: {}, left: [] }, silent);
  expect(silent.errText).toBe('');
});
