/** What fires a trigger, and what it does then, in a few words; what they name is linked. */
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { entityPath } from '../data/paths.ts';
import { formPath } from '../forms/paths.ts';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import type { Trigger } from './shapes.ts';

export function FiredBy({ of: { entity, events, cron, timezone, next_at: next, form } }: { readonly of: Trigger }) {
  const { triggers: words } = useWords();
  const { moment } = useFigures();
  const { key } = usePlace();
  if (entity !== null)
    return (
      <>
        <There to={entityPath(key, entity)} name={entity} /> {events.map((one) => words.events[one]).join(', ')}
      </>
    );
  if (form !== null)
    return (
      <>
        {words.submission} <There to={formPath(key, form)} name={form} />
      </>
    );
  return (
    <>
      <span className="mono">{cron}</span> {timezone}
      {next !== null && `, ${words.next} ${moment(next)}`}
    </>
  );
}

export function Does({ of: { kind, role, action, row } }: { readonly of: Trigger }) {
  const { triggers: words } = useWords();
  const { key } = usePlace();
  if (kind !== 'script') return words.kinds[kind];
  const as = `${words.as} ${role ?? ''}`;
  if (row !== null)
    return (
      <>
        {words.makesRow} <There to={entityPath(key, row.entity)} name={row.entity} />, {as}
      </>
    );
  return `${action === null ? words.kinds.script : `${words.action} ${action}`}, ${as}`;
}

function There({ to, name }: { readonly to: string; readonly name: string }) {
  return (
    <Anchor component={Link} to={to} fz="inherit" c="var(--mantine-color-text)" underline="always">
      {name}
    </Anchor>
  );
}
