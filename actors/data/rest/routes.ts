/** Routes that change all rows that a filter finds (docs/contract/data.md §6.7). */
import { defineRoutes } from '#actors/protocol/route.ts';
import type { refusals } from '../refusals.ts';
import { changed, counted, everywhere, expressed } from '../route-refusals.ts';
import { envelope } from '../shapes.ts';
import { changing } from '../who.ts';

export const foundRows = defineRoutes<typeof refusals>()({
  delete_found: {
    position: 'door',
    callers: changing(),
    ack: 'fsync',
    emptyParams: true,
    methods: ['DELETE'],
    path: '/data/rest/{entity}',
    headers: ['if-match', 'if-count', 'idempotency-key'],
    body: 'none',
    replies: { 200: envelope },
    refusals: [...everywhere, ...expressed, ...changed, 'v2.delete_failed', ...counted],
    summary: 'Delete all rows that the filter finds, where they are as many as If-Count says',
  },
});
