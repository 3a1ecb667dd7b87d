/** Routes of the audit service. Source: docs/contract/audit.md §4. The door imports these rows, never the handlers. */
import { anyone } from '#actors/protocol/callers.ts';
import { limits } from '#config/limits.ts';
import { PEER_CERTIFICATE } from '#actors/protocol/frame.ts';
import { healthyShape } from '#actors/protocol/probe-shapes.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import { ERASERS, LISTERS, READERS, WRITERS } from './who.ts';
import type { refusals } from './refusals.ts';
import {
  appendedShape,
  consistencyShape,
  erasedShape,
  erasureRequest,
  logShape,
  logsShape,
  newRecordsShape,
  newestShape,
  noteShape,
  notReadyShape,
  proofShape,
  readyShape,
  recordsShape,
  sourceShape,
  tileShape,
} from './shapes.ts';

const of = { position: 'none', to: 'audit', ack: 'memory', headers: [PEER_CERTIFICATE] } as const;
const read = { ...of, callers: READERS, methods: ['GET'], body: 'none' } as const;
const readRefusals = [
  'audit.unauthorized',
  'audit.forbidden',
  'audit.log_not_found',
  'audit.not_found',
  'audit.bad_request',
  'audit.internal',
  'audit.unavailable',
] as const;
const probe = {
  ...of,
  callers: anyone(),
  rate: 'probe',
  methods: ['GET'],
  body: 'none',
  listener: 'own',
  refusals: [],
} as const;

export const routes = defineRoutes<typeof refusals>()({
  append: {
    ...of,
    callers: WRITERS,
    methods: ['POST'],
    path: '/audit/logs/{id}/records',
    body: 'json',
    bodyBytesMax: limits.audit.bodyBytesMax,
    request: newRecordsShape,
    replies: { 200: appendedShape, 202: appendedShape },
    refusals: [
      'audit.bad_request',
      'audit.unauthorized',
      'audit.forbidden',
      'audit.log_not_found',
      'audit.duplicate',
      'audit.refused',
      'audit.too_large',
      'audit.too_many_sources',
      'audit.internal',
      'audit.unavailable',
      'audit.storage_full',
    ],
    summary:
      'Append one record or an array of them, as durably as the log’s route says; `?wait=checkpoint` adds a proof.',
  },
  records: {
    ...read,
    path: '/audit/logs/{id}/records',
    replies: { 200: recordsShape },
    refusals: readRefusals,
    summary:
      'Signed records: `from`, `limit`, filters `actor`, `action`, `target`, `outcome`, `source` (`*` is any run of chars), `since`, `until`; another parameter is 400.',
  },
  erase: {
    ...of,
    methods: ['POST'],
    callers: ERASERS,
    path: '/audit/logs/{id}/erasures',
    body: 'json',
    request: erasureRequest,
    replies: { 200: erasedShape },
    refusals: [...readRefusals, 'audit.refused'],
    summary:
      'Erase personal data of the records: lines with this `email` or `ip`, of whole days before `before`. The records stay, and verify.',
  },
  logs: {
    ...read,
    callers: LISTERS,
    path: '/audit/logs',
    replies: { 200: logsShape },
    refusals: readRefusals,
    summary: 'The logs that the caller may read.',
  },
  log: {
    ...read,
    path: '/audit/logs/{id}',
    replies: { 200: logShape },
    refusals: readRefusals,
    summary:
      'One log: its origin, size, root and public key, why it refuses to be written, if it does, and how its copies, its witnesses and the scrubber stand.',
  },
  checkpoint: {
    ...read,
    path: '/audit/logs/{id}/checkpoint',
    replies: { 200: noteShape },
    refusals: readRefusals,
    summary: 'The newest checkpoint, a signed note (C2SP tlog-checkpoint).',
  },
  cosigned: {
    ...read,
    path: '/audit/logs/{id}/cosigned',
    replies: { 200: noteShape },
    refusals: readRefusals,
    summary: 'The newest checkpoint that a witness has cosigned (C2SP tlog-cosignature); 404 where none has.',
  },
  tile: {
    ...read,
    path: '/audit/logs/{id}/tile/{path*}',
    replies: { 200: tileShape },
    refusals: readRefusals,
    summary: 'A tile of hashes or a bundle of entries (C2SP tlog-tiles).',
  },
  inclusion: {
    ...read,
    path: '/audit/logs/{id}/proof/inclusion',
    replies: { 200: proofShape },
    refusals: readRefusals,
    summary:
      'Proof that the record `index` is in the newest checkpoint; with `size`, only while that is the newest one.',
  },
  consistency: {
    ...read,
    path: '/audit/logs/{id}/proof/consistency',
    replies: { 200: consistencyShape },
    refusals: readRefusals,
    summary: 'Proof that the tree of `to` records continues the one of `from` records.',
  },
  source: {
    ...read,
    path: '/audit/logs/{id}/source/{source*}',
    replies: { 200: sourceShape },
    refusals: readRefusals,
    summary: 'The newest number of a source in a log: a source that numbers its own events continues from it.',
  },
  newest: {
    ...read,
    path: '/audit/newest',
    replies: { 200: newestShape },
    refusals: readRefusals,
    summary:
      'The newest record with a `member` in its data, of sources and logs that begin with `source` and `prefix`.',
  },
  health: { ...probe, path: '/health', replies: { 200: healthyShape }, summary: 'Whether the service lives.' },
  ready: {
    ...probe,
    path: '/ready',
    replies: { 200: readyShape, 503: notReadyShape },
    summary: 'Whether records are taken; 503 while the node stops.',
  },
});
export type Routes = typeof routes;
