/**
 * Lists of which the node has no stream change by themselves all the same: they are asked for again while their page is in front and a reader is there. Each question is on record, so a page that is
 * left open asks nothing after a while, and a list that was read far back is not read again whole.
 */
import { Group, Text } from '@mantine/core';
import { IconPlayerPause, IconRefreshDot } from '@tabler/icons-react';
import { useSyncExternalStore } from 'react';
import { useWords } from '../words/words.tsx';

const EVERY_MS = 15_000;
/** A reader who touches nothing for so long is taken to be away. */
const AWAY_MS = 10 * 60_000;
/** Pages of a list that are asked for again together. */
const PAGES_MAX = 3;
const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'focus'] as const;

let isThere = true;
let timer: number | undefined;
const listeners = new Set<() => void>();

function tell(now: boolean): void {
  if (isThere === now) return;
  isThere = now;
  listeners.forEach((listener) => listener());
}

function seen(): void {
  window.clearTimeout(timer);
  timer = window.setTimeout(() => tell(false), AWAY_MS);
  tell(true);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    for (const sign of SIGNS) window.addEventListener(sign, seen, { passive: true });
    seen();
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    for (const sign of SIGNS) window.removeEventListener(sign, seen);
    window.clearTimeout(timer);
  };
}

/** What is known of a query when it may be asked again. */
interface Asked {
  readonly state: { readonly status: string; readonly data: unknown };
}

interface Live {
  /** For `useQuery` and `useInfiniteQuery`; a page in the background asks nothing by itself. */
  readonly refetchInterval: (query: Asked) => number | false;
  readonly isLive: boolean;
}

export function useLive(): Live {
  const isLive = useSyncExternalStore(subscribe, () => isThere);
  return {
    isLive,
    refetchInterval: ({ state }) => (isLive && state.status !== 'error' && !isLong(state.data) ? EVERY_MS : false),
  };
}

const isLong = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'pages' in data && (data.pages as unknown[]).length > PAGES_MAX;

/** Says whether the list beside it changes by itself. */
export function LiveMark({ isLive }: Pick<Live, 'isLive'>) {
  const { live: words } = useWords();
  const Icon = isLive ? IconRefreshDot : IconPlayerPause;
  return (
    <Group gap={4} wrap="nowrap" data-live={isLive}>
      <Icon size={14} aria-hidden />
      <Text size="sm" c="dimmed">
        {isLive ? words.on : words.paused}
      </Text>
    </Group>
  );
}
