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
  const parts = services.map(({ name, routes, refusals }) => {
    const rows = Object.entries(refusals).map(([code, row]) => [
      `\`${code}\``,
      row.statuses.join(', '),
      row.family,
      row.cause,
      users(routes, code),
    ]);
    return `\n## ${name}\n\n${table(head, rows)}`;
  });
  return `${NOTE}# Refusals\n${BODIES}${parts.join('')}${doorPart(services, door)}`;
}

const BODIES = `
Bodies: \`coded\` is \`{error, code, details?}\`, \`rate\` is \`{error, profile, retry_after_seconds}\`, \`plain\` is text, \`bare\` is empty.
`;

function doorPart(services: readonly ServiceRows[], door: RefusalTable): string {
  const rows = services.flatMap(({ routes }) => Object.values(routes));
  const count = (code: string) => rows.filter((row) => doorCodes(row).includes(code)).length;
  const cells = Object.entries(door).map(([code, row]) => [
    `\`${code}\``,
    row.statuses.join(', '),
    row.family,
    row.cause,
    count(code) === 0 ? 'what no route answers' : `${count(code)} routes`,
  ]);
  return `\n## The door\n\n${table(['Code', 'Statuses', 'Body', 'Cause', 'Where'], cells)}`;
}
