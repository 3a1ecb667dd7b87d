/** Bodies of an explanation (docs/contract/data-admin.md §10). */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import { bodyShape } from '../read-body.ts';

const { reasonCharsMax, targetCharsMax } = limits.data.explain;

export const explainWish = bodyShape({
  user: z.string().min(1).max(64).describe('The id of the user who would send the request.'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  target: z.string().max(targetCharsMax).describe('A route of rows with its query, as `/data/rest/ticket/id/42`.'),
  data: z.record(z.string(), z.unknown()).nullish().describe('The body of the write, for rules that read it.'),
  reason: z.string().max(reasonCharsMax).optional().describe('Why it is asked, for the record.'),
});

const part = z.object({
  text: z.string(),
  gives: z.enum(['true', 'false', 'fails', 'by_row', 'by_body']),
  why: z.string().nullable(),
});

const rule = z.object({
  name: z.string(),
  rule: z.string().nullable().describe('As it is written; null where there is none.'),
  where: z.string().nullable(),
  verdict: z.enum(['allows', 'denies', 'by_row', 'by_body']),
  why: z.string(),
  admits: z.boolean().nullable().describe('Whether it admits the row that is named; null without one.'),
  parts: z
    .array(part)
    .nullable()
    .describe('What each condition gives; null where it is about a row that the asker may not read.'),
});

export const explained = z.object({
  tenant: z.string(),
  datastore: z.string(),
  user: z.object({ id: z.string(), roles: z.array(z.string()), disabled: z.boolean() }),
  entity: z.string(),
  operation: z.string(),
  rules: z.array(rule),
  answer: z.object({ status: z.int().nullable(), why: z.string() }),
  plan: z.record(z.string(), z.unknown()).nullable(),
  row: z.object({ id: z.string(), visible: z.boolean(), why: z.string() }).nullable(),
});
