/** The apply of a plan, behind the tenant's name that is typed; while it is under way, how many steps are done. */
import { Progress, Text } from '@mantine/core';
import { NamedAct } from '../parts/named-act.tsx';
import { keyOfText } from '../session/position.ts';
import { useWords } from '../words/words.tsx';

interface ApplyProps {
  readonly tenantKey: string;
  /** Whether a step loses or rewrites what is stored. */
  readonly isHarmful: boolean;
  readonly isRefused: boolean;
  readonly done: number;
  readonly total: number;
  readonly isPending: boolean;
  readonly apply: () => void;
}

export function ApplyPlan({ tenantKey, isHarmful, isRefused, done, total, isPending, apply }: ApplyProps) {
  const { tenants: words } = useWords();
  const name = tenantKey.replaceAll(':', '/');
  if (isRefused) return <Text maw="72ch">{words.refusedHow}</Text>;
  if (isPending)
    return (
      <div role="status">
        <Text mb={4}>{total === 0 ? words.applying : `${words.applying} ${done} / ${total}`}</Text>
        <Progress
          value={total === 0 ? 100 : (done / total) * 100}
          color="honey"
          aria-label={words.applying}
          animated={total === 0}
        />
      </div>
    );
  return (
    <div className="apply">
      <NamedAct
        act={words.apply}
        how={isHarmful ? words.applyHarm : words.applyHow}
        name={name}
        label={words.typed}
        isTyped={(typed) => keyOfText(typed) === tenantKey}
        isHarmful={isHarmful}
        run={apply}
      />
    </div>
  );
}
