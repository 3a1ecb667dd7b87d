/** How a form does, and what became of a submission, by icon, colour and word. */
import { IconAlertTriangle, IconArchive, IconCircleCheck, IconCircleDashed, IconClock } from '@tabler/icons-react';
import { IconRefreshAlert, IconTrash } from '@tabler/icons-react';
import { TonedBadge } from '../parts/toned-badge.tsx';
import { useWords } from '../words/words.tsx';
import type { FormState } from './known-forms.ts';
import type { Submission } from './shapes.ts';

const OF_FORMS = {
  faults: { icon: IconAlertTriangle, color: 'red' },
  waiting: { icon: IconClock, color: 'blue' },
  well: { icon: IconCircleCheck, color: 'teal' },
  kept: { icon: IconArchive, color: 'gray' },
  empty: { icon: IconCircleDashed, color: 'gray' },
} as const;

const OF_SUBMISSIONS = {
  kept: OF_FORMS.kept,
  waiting: OF_FORMS.waiting,
  delivered: OF_FORMS.well,
  failed: OF_FORMS.faults,
  dropped: { icon: IconTrash, color: 'red' },
} as const;

export function FormBadge({ of: state }: { readonly of: FormState }) {
  const { forms: words } = useWords();
  return (
    <TonedBadge look={OF_FORMS[state]} state={state}>
      {words.states[state]}
    </TonedBadge>
  );
}

type Ended = Pick<Submission, 'outcome' | 'error'>;

/** One that waits after a failure is told apart from one that has yet to run. */
export function OutcomeBadge({ of: { outcome, error } }: { readonly of: Ended }) {
  const { forms: words } = useWords();
  const isRepeated = outcome === 'waiting' && error !== null;
  return (
    <TonedBadge
      look={isRepeated ? { icon: IconRefreshAlert, color: 'honey' } : OF_SUBMISSIONS[outcome]}
      state={outcome}
    >
      {isRepeated ? words.tryAgainSoon : words.outcomes[outcome]}
    </TonedBadge>
  );
}
