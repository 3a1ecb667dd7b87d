/** An export line by line: identity's own part, then rows of data and audit records by way of main, page by page. No page is held longer than it takes to send it. */
import type { Activation } from '#actors/host/activation.ts';
import { Work } from '#actors/host/work.ts';
import type { PersonRecords, PersonRows, RowPlace } from '#actors/protocol/person.ts';
import { isPlane } from '#actors/protocol/position.ts';
import type { Identity } from '../identity.ts';
import type { UserRecord } from '../store.ts';
import { accountLines, keyLines, linkLines, type Line, type Slice } from './own-lines.ts';

/** What an export leaves out; said in its last line. */
export const NOT_INCLUDED = [
  'secrets: password hashes, keys of second factors, public keys and challenges of passkeys, tokens',
  'rows of entities whose definition does not declare `person`',
  'documents and assets whose type or store does not declare `person`, the bytes of assets (`bytes` says where they are)',
  'submissions of forms, secrets of the vault (they are the tenant’s), mails and webhooks that were sent',
  'backups',
] as const;

/** The line of a row, a document or an asset. */
export function rowLine({ kind, entity, row, bytes }: PersonRows['rows'][number]): string {
  const where = bytes === undefined ? '' : `,"bytes":${JSON.stringify(bytes)}`;
  return `{"kind":${JSON.stringify(kind)},"entity":${JSON.stringify(entity)}${where},"value":${row}}`;
}

/** Texts of lines, each with its newline. `saw` gets the newest journal number of each read. */
export async function* linesOfPerson(
  identity: Identity,
  activation: Activation,
  user: UserRecord,
  saw: (newest: number) => void,
): AsyncGenerator<string, void> {
  const counts: Record<string, number> = {};
  const textOf = (line: Line): string => {
    counts[line.kind] = (counts[line.kind] ?? 0) + 1;
    return `${JSON.stringify(line)}\n`;
  };
  const read = <T>(look: (work: Work) => T): T => {
    const work = new Work(activation);
    try {
      return look(work);
    } finally {
      saw(work.abort());
    }
  };
  const { id, email } = user;
  const { key } = activation.position;
  yield read((work) => accountLines(work, user))
    .map(textOf)
    .join('');
  for (const slice of [
    (after: string | null) => read((work) => keyLines(work, id, after)),
    (after: string | null) => read((work) => linkLines(work, id, after ?? '')),
  ])
    for await (const { lines } of slices(identity, slice)) if (lines.length > 0) yield lines.map(textOf).join('');
  for (let after: RowPlace | null = null, more = !isPlane(activation.position); more;) {
    const page: PersonRows = await identity.node.ask('person.rows', { key, user: id, email, after });
    for (const row of page.rows) {
      counts[row.kind] = (counts[row.kind] ?? 0) + 1;
      yield `${rowLine(row)}\n`;
    }
    after = page.next;
    more = after !== null;
  }
  for (let from: number | null = 0; from !== null;) {
    const page: PersonRecords = await identity.node.ask('person.records', {
      key,
      user: id,
      from,
    });
    for (const record of page.records) {
      counts['audit'] = (counts['audit'] ?? 0) + 1;
      yield `{"kind":"audit",${record}}\n`;
    }
    from = page.next;
  }
  yield `${JSON.stringify({ kind: 'end', value: { lines: counts, not_included: NOT_INCLUDED } })}\n`;
}

async function* slices(identity: Identity, slice: (after: string | null) => Slice): AsyncGenerator<Slice, void> {
  for (let after: string | null = null; ;) {
    const one = slice(after);
    yield one;
    if (one.next === null) return;
    after = one.next;
    await identity.afterTurn();
  }
}
