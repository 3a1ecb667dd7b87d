/** The head of a page: its title, and the pages beside it as tabs that are links. */
import { Anchor, Group, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';

export interface Beside {
  readonly to: string;
  readonly label: string;
}

export function PageHead({
  title,
  label,
  beside,
}: {
  readonly title: string;
  readonly label: string;
  readonly beside: readonly Beside[];
}) {
  useEffect(() => void (document.title = `${title} · Skep`), [title]);
  return (
    <>
      <Title order={1} mb={beside.length > 0 ? 0 : 'md'}>
        {title}
      </Title>
      {beside.length > 0 && (
        <Group component="nav" aria-label={label} gap="2px var(--mantine-spacing-md)" mt="xs" mb="md">
          {beside.map(({ to, label: name }) => (
            <Anchor
              key={to}
              component={Link}
              to={to}
              activeOptions={{ exact: true, includeSearch: false }}
              activeProps={{ 'aria-current': 'page' }}
              c="var(--mantine-color-text)"
              className="tab"
            >
              {name}
            </Anchor>
          ))}
        </Group>
      )}
    </>
  );
}
