/** What became of an event, by icon, colour and word. */
import { IconAlertTriangle, IconBan, IconClock, IconRefreshAlert, IconTrash } from '@tabler/icons-react';
import { TonedBadge } from '../parts/toned-badge.tsx';
import { useWords } from '../words/words.tsx';
import type { TriggerEvent } from './shapes.ts';

const LOOKS = {
  waiting: { icon: IconClock, color: 'blue' },
  refused: { icon: IconBan, color: 'red' },
  failed: { icon: IconAlertTriangle, color: 'red' },
  dropped: { icon: IconTrash, color: 'gray' },
} as const;

/** One that waits after a failure is told apart from one that has yet to leave. */
export function EventBadge({ of: { outcome, error } }: { readonly of: Pick<TriggerEvent, 'outcome' | 'error'> }) {
  const { triggers: words } = useWords();
  const isRepeated = outcome === 'waiting' && error !== null;
  return (
    <TonedBadge look={isRepeated ? { icon: IconRefreshAlert, color: 'honey' } : LOOKS[outcome]} state={outcome}>
      {isRepeated ? words.tryAgainSoon : words.outcomes[outcome]}
    </TonedBadge>
  );
}
