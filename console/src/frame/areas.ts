/** The areas of the rail. An area is a folder beside this one, with its routes in `router.tsx`. */
import { IconActivityHeartbeat, IconListSearch } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { Words } from '../words/en.ts';

export interface Area {
  readonly path: '/operations' | '/audit';
  readonly icon: ComponentType<{ readonly size?: number; readonly 'aria-hidden'?: boolean }>;
  readonly label: (words: Words) => string;
}

export const AREAS: readonly Area[] = [
  { path: '/operations', icon: IconActivityHeartbeat, label: ({ operations }) => operations.section },
  { path: '/audit', icon: IconListSearch, label: ({ audit }) => audit.section },
];
