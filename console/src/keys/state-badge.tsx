/** Whether a key counts, by icon, colour and word. */
import { IconCircleCheck, IconClockOff } from '@tabler/icons-react';
import { TonedBadge } from '../parts/toned-badge.tsx';
import { useWords } from '../words/words.tsx';
import type { ApiKey } from './shapes.ts';

const LOOKS = {
  valid: { icon: IconCircleCheck, color: 'teal' },
  expired: { icon: IconClockOff, color: 'gray' },
} as const;

export function KeyBadge({ of: { state } }: { readonly of: Pick<ApiKey, 'state'> }) {
  const { keys: words } = useWords();
  return (
    <TonedBadge look={LOOKS[state]} state={state}>
      {words.states[state]}
    </TonedBadge>
  );
}
