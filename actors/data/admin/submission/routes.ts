/**
 * The admin plane's rows of submissions (docs/contract/triggers.md §7.4). Who: administrators of the tenant and superadmins; each answer is on record. What it costs:
 * one page, bounded by rows, characters and time (../../submission/list.ts).
 */
import { defineRoutes } from '#actors/protocol/route.ts';
import type { refusals } from '../../refusals.ts';
import { CLASSES } from '../class.ts';
import * as shapes from './shapes.ts';

const reading = {
  position: 'door',
  ack: 'fsync',
  emptyParams: true,
  body: 'none',
  callers: CLASSES.Read,
  methods: ['GET'],
} as const;
const everywhere = [
  'unauthorized',
  'v2.no_tenant',
  'v2.engine_unavailable',
  'v2.requires_admin',
  'v2.datastore_not_found',
  'v2.bad_time',
  'v2.bad_submission_cursor',
] as const;

export const submissionRows = defineRoutes<typeof refusals>()({
  submissions: {
    ...reading,
    path: '/data/admin/data/submissions',
    replies: { 200: shapes.submissionList },
    refusals: [...everywhere, 'v2.bad_outcome'],
    summary: 'List submissions of the forms that the operator gave to the tenant, newest first',
  },
  submission_export: {
    ...reading,
    path: '/data/admin/data/submissions/export',
    replies: { 200: shapes.submissionLines },
    refusals: everywhere,
    summary: 'Submissions of the tenant’s forms as lines of JSON, oldest first, a page at a time',
  },
});

export type SubmissionRows = typeof submissionRows;
