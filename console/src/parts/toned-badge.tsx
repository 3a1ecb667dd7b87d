/** A word with its icon and colour: states, risks and statuses. */
import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import './toned-badge.css';

/** Each has its colour in toned-badge.css. */
export type Tone = 'teal' | 'honey' | 'red' | 'blue' | 'gray';

interface Look {
  readonly icon: (props: { readonly size: number; readonly 'aria-hidden': true }) => ReactNode;
  readonly color: Tone;
}

export function TonedBadge({ look, state, children }: { look: Look; state?: string; children: ReactNode }) {
  const { icon: Icon, color } = look;
  return (
    <Badge
      variant="outline"
      color={color}
      c="var(--mantine-color-text)"
      radius="sm"
      tt="none"
      className={`toned tone-${color}`}
      leftSection={<Icon size={14} aria-hidden />}
      data-state={state}
    >
      {children}
    </Badge>
  );
}
