/** The head of a page of tenants, with its primary act beside the title. */
import { Anchor, Group, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import './tenants.css';

interface HeadProps {
  readonly title: string;
  /** Whether the list is above this page. */
  readonly isBelow?: boolean;
  readonly children?: ReactNode;
}

export function TenantsHead({ title, isBelow = false, children }: HeadProps) {
  const { tenants: words } = useWords();
  useEffect(() => void (document.title = `${title} · Skep`), [title]);
  return (
    <>
      {isBelow && (
        <Anchor component={Link} to="/tenants" size="sm" c="dimmed" underline="always">
          {words.section}
        </Anchor>
      )}
      <Group justify="space-between" gap="xs" mb="md">
        <Title order={1} className="named">
          {title}
        </Title>
        {children}
      </Group>
    </>
  );
}
