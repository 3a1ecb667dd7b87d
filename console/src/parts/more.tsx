/** Asks for the next page of a list. */
import { Button, Group } from '@mantine/core';

interface MoreProps {
  readonly label: string;
  readonly of: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

export function More({ label, of: asked }: MoreProps) {
  if (!asked.hasNextPage) return null;
  return (
    <Group>
      <Button variant="default" size="xs" loading={asked.isFetchingNextPage} onClick={() => void asked.fetchNextPage()}>
        {label}
      </Button>
    </Group>
  );
}
