/** The first cell of a row that opens a sheet: its name as a link, and below it, where the page is narrow, what the other columns would say. */
import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import './opens.css';

interface OpensProps {
  readonly name: string;
  readonly to: string;
  readonly search: object;
  /** By which the keyboard comes back to it. */
  readonly id?: string;
  readonly children?: ReactNode;
}

export function Opens({ name, to, search, id, children }: OpensProps) {
  return (
    <div className="opens">
      <Anchor
        {...(id !== undefined && { id })}
        component={Link}
        to={to}
        search={search as never}
        size="sm"
        c="var(--mantine-color-text)"
        underline="always"
      >
        {name}
      </Anchor>
      {children !== undefined && (
        <Text size="xs" c="dimmed" hiddenFrom="sm" component="div">
          {children}
        </Text>
      )}
    </div>
  );
}
