/** Whether a document is published, by icon, colour and word. */
import { IconArchive, IconCircleCheck, IconLanguageOff, IconPencil } from '@tabler/icons-react';
import { TonedBadge } from '../parts/toned-badge.tsx';
import { useWords } from '../words/words.tsx';
import type { State } from './states.ts';

const LOOKS = {
  draft: { icon: IconPencil, color: 'honey' },
  published: { icon: IconCircleCheck, color: 'teal' },
  archived: { icon: IconArchive, color: 'gray' },
  missing: { icon: IconLanguageOff, color: 'honey' },
} as const;

export function StateBadge({ of: state }: { readonly of: State | 'missing' }) {
  const { content: words } = useWords();
  return (
    <TonedBadge look={LOOKS[state]} state={state}>
      {words.states[state]}
    </TonedBadge>
  );
}
