/** The apply of a plan, behind the tenant's name that is typed; while it is under way, how many steps are done. */
import { Button, Group, Progress, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
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
  const [typed, setTyped] = useState('');
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
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (keyOfText(typed) === tenantKey) apply();
  };
  return (
    <form onSubmit={submit} className="apply" data-harmful={isHarmful} aria-label={words.apply}>
      <Text size="sm" maw="72ch">
        {isHarmful ? words.applyHarm : words.applyHow} <b className="mono">{name}</b>
      </Text>
      <TextInput
        mt={4}
        maw={420}
        aria-label={words.typed}
        value={typed}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Group gap="xs" mt="xs">
        <Button type="submit" {...(isHarmful && { color: 'red.9' })} disabled={keyOfText(typed) !== tenantKey}>
          {words.apply}
        </Button>
      </Group>
    </form>
  );
}
