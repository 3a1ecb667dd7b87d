/** Whether all tenants of a product serve one revision, by icon, colour and word. */
import { IconCircleCheck, IconCircleDashed, IconGitBranch } from '@tabler/icons-react';
import { TonedBadge } from '../parts/toned-badge.tsx';
import { useWords } from '../words/words.tsx';
import { shortOf, type Served } from './group.ts';

export function Revisions({ of: [first, ...others] }: { readonly of: readonly Served[] }) {
  const { products: words } = useWords();
  if (first === undefined)
    return (
      <TonedBadge look={{ icon: IconCircleDashed, color: 'gray' }} state="none">
        {words.servesNone}
      </TonedBadge>
    );
  if (others.length === 0)
    return (
      <TonedBadge look={{ icon: IconCircleCheck, color: 'teal' }} state="one">
        {words.all} {shortOf(first.revision)}
      </TonedBadge>
    );
  return (
    <TonedBadge look={{ icon: IconGitBranch, color: 'honey' }} state="several">
      {others.length + 1} {words.several}
    </TonedBadge>
  );
}
