/** What follows a submission of a form, in a few words. */
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { entityPath } from '../data/paths.ts';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import type { FormTrigger } from './shapes.ts';

export function Follows({ trigger }: { readonly trigger: FormTrigger | undefined }) {
  const { forms: words } = useWords();
  const { key } = usePlace();
  if (trigger === undefined) return words.stays;
  if (trigger.row === null)
    return (
      <>
        {words.runs} <span className="mono">{trigger.name}</span>
      </>
    );
  const { entity } = trigger.row;
  return (
    <>
      {words.becomes}{' '}
      <Anchor
        component={Link}
        to={entityPath(key, entity)}
        fz="inherit"
        c="var(--mantine-color-text)"
        underline="always"
      >
        {entity}
      </Anchor>
    </>
  );
}
