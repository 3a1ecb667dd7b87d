/** Triggers of the entity `order` for tests in memory. */
import type { CronTriggerDefinition, RowTriggerDefinition, ScriptTarget } from '#config/definitions/trigger-shapes.ts';

type Wish = Partial<Omit<RowTriggerDefinition, 'name' | 'when'>> & { readonly when?: string };

/** A webhook unless the wish says otherwise. */
export function triggerFor(name: string, { when, ...wish }: Wish = {}): RowTriggerDefinition {
  const where = `triggers/${name}.yaml:1:1`;
  return {
    name,
    entity: 'order',
    events: ['created'],
    changed: null,
    fields: [],
    target: { kind: 'webhook', url: 'https://example.org/', secret: 's', timeoutMs: 1000, headers: {} },
    where,
    ...(when !== undefined && { when: { language: 'cel', rule: when, where } as const }),
    ...wish,
  };
}

const sourceAt = { file: 'a', line: 1, column: 1 };

/** A cron trigger whose script runs as `clerk`; daily at three o'clock of UTC unless the wish says otherwise. */
export function cronFor(
  name: string,
  expression = '0 3 * * *',
  wish: { readonly timezone?: string; readonly target?: Partial<ScriptTarget> } = {},
): CronTriggerDefinition {
  const target = { kind: 'script', role: 'clerk', source: 'run();', sourceAt, ...wish.target } as const;
  const cron = { expression, timezone: wish.timezone ?? 'UTC' };
  return { name, cron, fields: [], target, where: `triggers/${name}.yaml:1:1` };
}
