/** Asks for the next page of a list. */
import { Button, Group } from '@mantine/core';
import { useWords } from '../words/words.tsx';

interface MoreProps {
  readonly of: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

export function More({ of: asked }: MoreProps) {
  const { people: words } = useWords();
  if (!asked.hasNextPage) return null;
  return (
    <Group>
      <Button variant="default" size="xs" loading={asked.isFetchingNextPage} onClick={() => void asked.fetchNextPage()}>
        {words.more}
      </Button>
    </Group>
  );
}
