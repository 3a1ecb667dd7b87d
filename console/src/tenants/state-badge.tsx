/** The state of a tenant, by icon, colour and word. */
import { IconCircleCheck, IconClock, IconEye, IconHandStop, IconTools, IconTrash } from '@tabler/icons-react';
import { useWords } from '../words/words.tsx';
import type { Tenant } from './shapes.ts';
import { TonedBadge } from '../parts/toned-badge.tsx';

const LOOKS = {
  active: { icon: IconCircleCheck, color: 'teal' },
  registered: { icon: IconClock, color: 'honey' },
  bootstrapped: { icon: IconClock, color: 'honey' },
  seeded: { icon: IconClock, color: 'honey' },
  restoring: { icon: IconTools, color: 'blue' },
  moving: { icon: IconTools, color: 'blue' },
  deleting: { icon: IconTrash, color: 'red' },
  suspended: { icon: IconHandStop, color: 'red' },
  'read-only': { icon: IconEye, color: 'honey' },
} as const;

/** How it stands with its operators counts where it would serve otherwise. */
export function StateBadge({ of: { state, standing } }: { readonly of: Pick<Tenant, 'state' | 'standing'> }) {
  const { tenants: words } = useWords();
  const shown = state === 'active' && standing !== 'serving' ? standing : state;
  return (
    <TonedBadge look={LOOKS[shown]} state={shown}>
      {words.states[shown]}
    </TonedBadge>
  );
}
