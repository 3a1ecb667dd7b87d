/** The generated pages of the documentation: every route and every refusal as a table row. */
import type { RefusalTable } from '#actors/protocol/refusal.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { doorCodes, refusalsByStatus } from '#actors/protocol/answers.ts';
import type { ServiceRows } from '#runtime/route-directory.ts';
import { describeCallers } from './callers.ts';
import { table } from './table.ts';

const NOTE = '<!-- Generated from the route and refusal rows by `npm run generate`. -->\n';

/** docs/routes.md */
export function routesPage(services: readonly ServiceRows[], door: RefusalTable): string {
  const head = ['Request', 'What it does', 'Who may call it', 'Position', 'Rate', 'Answers', 'Refusals'];
  const parts = services.map(({ name, routes, refusals }) => {
    const rows = Object.values(routes).map((row) => [
      `\`${row.methods.join('|')} ${row.path}\`${row.listener === 'own' ? ' (own listener)' : ''}`,
      row.summary,
      describeCallers(row.callers).join('; '),
      row.position,
      row.rate ?? '',
      answersText(row, refusals),
      refusalText(row, refusals, door),
    ]);
    return `\n## ${name}\n\n${table(head, rows)}`;
  });
  return `${NOTE}# Routes\n${parts.join('')}`;
}

/** A route's statuses; for a row that always refuses, its refusal. */
function answersText({ replies, always }: RouteRow, refusals: RefusalTable): string {
  if (always === undefined) return Object.keys(replies).join(', ');
  return `always ${refusals[always]!.statuses[0]} \`${always}\``;
}

function refusalText(row: RouteRow, refusals: RefusalTable, door: RefusalTable): string {
  const byStatus = [...refusalsByStatus(row, refusals, door)];
  return byStatus.map(([status, list]) => `${status} ${list.map(({ code }) => `\`${code}\``).join(' ')}`).join(', ');
}

/** docs/refusals.md */
export function refusalsPage(services: readonly ServiceRows[], door: RefusalTable): string {
  const users = (routes: ServiceRows['routes'], code: string) =>
    Object.entries(routes)
      .filter(([, row]) => row.refusals.includes(code))
      .map(([name]) => name)
      .join(', ');
  const head = ['Code', 'Statuses', 'Body', 'Cause', 'Routes'];
  const shared = sharedCodes(services, door);
  const parts = services.map(({ name, routes, refusals }) => {
    const rows = Object.entries(refusals).map(([code, row]) => [
      anchored(code, name, shared),
      row.statuses.join(', '),
      row.family,
      row.cause,
      users(routes, code),
    ]);
    return `\n## ${name}\n\n${table(head, rows)}`;
  });
  return `${NOTE}# Refusals\n${BODIES}${parts.join('')}${doorPart(services, door, shared)}${sharedPart(shared)}`;
}

/** The codes that several tables have, with the names of these tables. */
function sharedCodes(services: readonly ServiceRows[], door: RefusalTable): ReadonlyMap<string, readonly string[]> {
  const tables = [...services.map(({ name, refusals }) => [name, refusals] as const), [DOOR, door] as const];
  const codes = new Set(tables.flatMap(([, rows]) => Object.keys(rows)));
  const having = (code: string) => tables.filter(([, rows]) => Object.hasOwn(rows, code)).map(([name]) => name);
  return new Map([...codes].map((code) => [code, having(code)] as const).filter(([, names]) => names.length > 1));
}

const DOOR = 'door';

/** What stands behind the `#` of a link to a code: the code, with a dash for what no anchor holds. */
export const anchorOfCode = (code: string): string => code.replaceAll(/[^\w.-]/g, '-');

/** A row is found by its code; of a code that several tables have, by code and table. */
function anchored(code: string, table: string, shared: ReadonlyMap<string, readonly string[]>): string {
  const anchor = anchorOfCode(code);
  return `<a id="${shared.has(code) ? `${anchor}--${table}` : anchor}"></a>\`${code}\``;
}

function sharedPart(shared: ReadonlyMap<string, readonly string[]>): string {
  if (shared.size === 0) return '';
  const rows = [...shared].map(([code, names]) => {
    const anchor = anchorOfCode(code);
    return [
      `<a id="${anchor}"></a>\`${code}\``,
      names.map((name) => `[${name === DOOR ? 'the door' : name}](#${anchor}--${name})`).join(', '),
    ];
  });
  return `\n## Codes of several services\n\n${table(['Code', 'Rows'], rows)}`;
}

const BODIES = `
A link to a code is \`docs/refusals.md#<code>\`, on the site \`/refusals#<code>\`; what is no letter, digit, dot, dash or \`_\` is a dash there.

Bodies: \`coded\` is \`{error, code, details?}\`, \`rate\` is \`{error, profile, retry_after_seconds}\`, \`plain\` is text, \`bare\` is empty.
`;

function doorPart(
  services: readonly ServiceRows[],
  door: RefusalTable,
  shared: ReadonlyMap<string, readonly string[]>,
): string {
  const rows = services.flatMap(({ routes }) => Object.values(routes));
  const count = (code: string) => rows.filter((row) => doorCodes(row).includes(code)).length;
  const cells = Object.entries(door).map(([code, row]) => [
    anchored(code, DOOR, shared),
    row.statuses.join(', '),
    row.family,
    row.cause,
    count(code) === 0 ? 'what no route answers' : `${count(code)} routes`,
  ]);
  return `\n## The door\n\n${table(['Code', 'Statuses', 'Body', 'Cause', 'Where'], cells)}`;
}
