/** The addresses of the operator's pages. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { BucketsPage } from './buckets.tsx';
import { HomePage } from './home.tsx';
import { LEVELS, type Level } from './levels.ts';
import { LoadPage } from './load.tsx';
import { LogsPage } from './logs.tsx';
import { readSettingSearch } from './setting-search.ts';
import { SlowPage } from './slow.tsx';

const getParentRoute = () => root;

export const operationsRoutes = [
  createRoute({ getParentRoute, path: '/operations', component: HomePage }),
  createRoute({ getParentRoute, path: '/operations/load', component: LoadPage }),
  createRoute({ getParentRoute, path: '/operations/slow', component: SlowPage }),
  createRoute({ getParentRoute, path: '/operations/buckets', component: BucketsPage }),
  createRoute({
    getParentRoute,
    path: '/operations/hour',
    component: lazyRouteComponent(() => import('./hour-page.tsx'), 'HourPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/operations/cluster',
    component: lazyRouteComponent(() => import('./cluster-page.tsx'), 'ClusterPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/operations/backups',
    component: lazyRouteComponent(() => import('./backups-page.tsx'), 'BackupsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/operations/configuration',
    component: lazyRouteComponent(() => import('./configuration-page.tsx'), 'ConfigurationPage'),
    validateSearch: readSettingSearch,
  }),
  createRoute({
    getParentRoute,
    path: '/operations/logs',
    component: LogsPage,
    validateSearch: ({ level }): { level: Level } => ({ level: LEVELS.find((one) => one === level) ?? 'info' }),
  }),
] as const;
