/** The areas of the rail, those of the control plane and those of a tenant. An area is a folder beside this one, with its routes in `router.tsx`. */
import {
  IconActivityHeartbeat,
  IconBuildings,
  IconForms,
  IconListSearch,
  IconLock,
  IconPackage,
} from '@tabler/icons-react';
import {
  IconBolt,
  IconFileText,
  IconKey,
  IconPhoto,
  IconSitemap,
  IconTable,
  IconTerminal2,
  IconTool,
  IconUsers,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { baseOf } from '../session/position.ts';
import type { Words } from '../words/en.ts';

export interface Area {
  readonly path: string;
  readonly icon: ComponentType<{ readonly size?: number; readonly 'aria-hidden'?: boolean }>;
  readonly label: (words: Words) => string;
}

export const AREAS: readonly Area[] = [
  { path: '/operations', icon: IconActivityHeartbeat, label: ({ operations }) => operations.section },
  { path: '/tenants', icon: IconBuildings, label: ({ tenants }) => tenants.section },
  { path: '/products', icon: IconPackage, label: ({ products }) => products.section },
  { path: '/audit', icon: IconListSearch, label: ({ audit }) => audit.section },
  { path: '/vault', icon: IconLock, label: ({ vault }) => vault.section },
];

/** Their paths are behind that of the tenant. */
export const TENANT_AREAS: readonly Area[] = [
  { path: '/data', icon: IconTable, label: ({ data }) => data.section },
  { path: '/schema', icon: IconSitemap, label: ({ schema }) => schema.section },
  { path: '/content', icon: IconFileText, label: ({ content }) => content.section },
  { path: '/media', icon: IconPhoto, label: ({ media }) => media.section },
  { path: '/forms', icon: IconForms, label: ({ forms }) => forms.section },
  { path: '/triggers', icon: IconBolt, label: ({ triggers }) => triggers.section },
  { path: '/people', icon: IconUsers, label: ({ people }) => people.section },
  { path: '/keys', icon: IconKey, label: ({ keys }) => keys.section },
  { path: '/audit', icon: IconListSearch, label: ({ audit }) => audit.section },
  { path: '/upkeep', icon: IconTool, label: ({ upkeep }) => upkeep.section },
  { path: '/scratchpad', icon: IconTerminal2, label: ({ scratch }) => scratch.section },
];

export const tenantPath = (key: string, path: string): string => `${baseOf(key)}${path}`;
