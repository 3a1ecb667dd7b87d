/** Whether a person may log in, by icon, colour and word. */
import { IconCircleCheck, IconGhost2, IconUserOff } from '@tabler/icons-react';
import { TonedBadge } from '../parts/toned-badge.tsx';
import { useWords } from '../words/words.tsx';
import type { Person } from './shapes.ts';

const LOOKS = {
  active: { icon: IconCircleCheck, color: 'teal' },
  guest: { icon: IconGhost2, color: 'gray' },
  disabled: { icon: IconUserOff, color: 'red' },
} as const;

export function StateBadge({ of: { disabled, guest } }: { readonly of: Pick<Person, 'disabled' | 'guest'> }) {
  const { people: words } = useWords();
  const shown = disabled ? 'disabled' : guest ? 'guest' : 'active';
  return (
    <TonedBadge look={LOOKS[shown]} state={shown}>
      {words.states[shown]}
    </TonedBadge>
  );
}
