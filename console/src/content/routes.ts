/** The addresses of a tenant's content: its apps and types, its webhooks, the documents of a type, one of them. Their pages are loaded when they are opened. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';
import { readDeliveriesSearch, readDocumentsSearch, readOneSearch } from './search.ts';

const getParentRoute = () => root;
const CONTENT = '/at/$customer/$product/$env/$tenant/content';

export const contentRoutes = [
  createRoute({
    getParentRoute,
    path: CONTENT,
    component: lazyRouteComponent(() => import('./apps-page.tsx'), 'AppsPage'),
  }),
  createRoute({
    getParentRoute,
    path: `${CONTENT}/webhooks`,
    component: lazyRouteComponent(() => import('./webhooks-page.tsx'), 'WebhooksPage'),
    validateSearch: readDeliveriesSearch,
  }),
  createRoute({
    getParentRoute,
    path: `${CONTENT}/$app/$type`,
    component: lazyRouteComponent(() => import('./documents-page.tsx'), 'DocumentsPage'),
    validateSearch: readDocumentsSearch,
  }),
  createRoute({
    getParentRoute,
    path: `${CONTENT}/$app/$type/new`,
    component: lazyRouteComponent(() => import('./new-page.tsx'), 'NewPage'),
  }),
  createRoute({
    getParentRoute,
    path: `${CONTENT}/$app/$type/$document`,
    component: lazyRouteComponent(() => import('./document-page.tsx'), 'DocumentPage'),
    validateSearch: readOneSearch,
  }),
] as const;
