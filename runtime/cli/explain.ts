/** `skep explain`: what the rules of a tenant say to a user who sends a request. Spec: docs/contract/data-admin.md §10. */
import { userInfo } from 'node:os';
import { Option, type Command } from 'commander';
import type { Explained } from '#actors/data/explain/explain.ts';
import type { UserView } from '#actors/identity/people/shapes.ts';
import { limits } from '#config/limits.ts';
import { askNode, operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { renderRecord, renderRows } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

interface ExplainOptions extends OperatorOptions {
  readonly tenant: string;
  readonly as: string;
  readonly reason: string;
  readonly data?: object;
}

type Answer = Explained & { readonly user: Pick<UserView, 'id' | 'email' | 'roles' | 'disabled'> };

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function addExplain(program: Command, terminal: Terminal): void {
  operatorVerb(
    program,
    'explain',
    'say which rules a request of a user meets, why it is refused, and which index a list uses; shows no value of a row, and goes on record',
    EXAMPLES,
  )
    .argument('<method>', METHODS.join(', '))
    .argument('<route>', 'the path of a route of rows, with its query: /data/rest/<entity>[/id/<id>]')
    .addOption(tenantOption().makeOptionMandatory())
    .requiredOption('--as <user>', 'the user who would send it: login or id')
    .requiredOption('--reason <text>', 'why you ask, for the audit log', reasonOf)
    .addOption(new Option('--data <json>', 'the body of a write, for rules that read it').argParser(bodyOf))
    .action(async (given: string, target: string, options: ExplainOptions) => {
      const method = methodOf(given);
      const { file, tenant, as, reason, data = null, output } = options;
      const platform = await platformOf(file, terminal);
      const wish = { tenant, user: as, method, target, data, reason, asked_by: userInfo().username };
      const answer = (await askNode(platform, 'data.explain', wish)) as Answer;
      terminal.out(output === 'json' ? `${JSON.stringify(answer, null, 2)}\n` : textOf(answer));
    });
}

function textOf({ user, entity, operation, answer, rules, plan, row }: Answer): string {
  const head = {
    user: `${user.email ?? user.id} (${user.roles.join(', ') || 'no role'}${user.disabled ? '; disabled: logs in no way' : ''})`,
    operation: `${operation} ${entity}`,
    status: answer.status ?? 'depends',
    why: answer.why,
    ...(row !== null && { row: `${row.visible ? 'visible' : 'not visible'}: ${row.why}` }),
    ...(plan !== null && { plan }),
  };
  return `${renderRecord(head, 'table')}\n${renderRows(
    rules.map((rule) => ({ ...rule })),
    'table',
    ['name', 'verdict', 'why', 'where', 'rule'],
  )}`;
}

function methodOf(text: string): string {
  const method = text.toUpperCase();
  if (METHODS.includes(method)) return method;
  throw new CliError(
    `skep: "${text}" is no method of a route of rows\n    use one of ${METHODS.join(', ')}\n`,
    EXIT.usage,
  );
}

function reasonOf(text: string): string {
  if (text.trim() !== '' && text.length <= REASON_CHARS_MAX) return text;
  throw new CliError(`skep: --reason takes a text of 1 to ${REASON_CHARS_MAX} characters\n`, EXIT.usage);
}

const REASON_CHARS_MAX = limits.data.explain.reasonCharsMax;

function bodyOf(text: string): object {
  const mend = `write for example '{"status":"closed"}'`;
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  } catch {
    // Reported below, as any other text that is no object.
  }
  throw new CliError(`skep: --data takes a JSON object\n    ${mend}\n`, EXIT.usage);
}

const EXAMPLES = `skep explain GET /data/rest/ticket --as eve@example.org --reason 'ticket 4711' -f platform.yaml --tenant acme:desk:dev:main
  skep explain PATCH /data/rest/ticket/id/01J… --data '{"status":"closed"}' --as eve@example.org --reason 'ticket 4711' -f platform.yaml --tenant acme:desk:dev:main`;
