/** What became of a delivery, by icon, colour and word. */
import { IconAlertTriangle, IconBan, IconCircleCheck, IconClock, IconTrash } from '@tabler/icons-react';
import { TonedBadge } from '../parts/toned-badge.tsx';
import { useWords } from '../words/words.tsx';
import type { DeliveryOutcome } from './states.ts';

const LOOKS = {
  waiting: { icon: IconClock, color: 'blue' },
  delivered: { icon: IconCircleCheck, color: 'teal' },
  refused: { icon: IconBan, color: 'red' },
  failed: { icon: IconAlertTriangle, color: 'red' },
  dropped: { icon: IconTrash, color: 'gray' },
} as const;

export function DeliveryBadge({ of: outcome }: { readonly of: DeliveryOutcome }) {
  const { content: words } = useWords();
  return (
    <TonedBadge look={LOOKS[outcome]} state={outcome}>
      {words.outcomes[outcome]}
    </TonedBadge>
  );
}
