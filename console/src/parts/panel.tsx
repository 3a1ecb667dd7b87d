/** A titled part of a page. */
import { Paper, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export function Panel({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper component="section" withBorder p="sm" miw={0}>
      <Title order={2} mb={4}>
        {title}
      </Title>
      {children}
    </Paper>
  );
}
