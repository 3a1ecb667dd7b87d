/** What is asked of the node, and how often: each answer is on record in the control plane's log, so it is asked no more often than a person looks. A page in the background asks nothing. */
import { queryOptions } from '@tanstack/react-query';
import { skep } from '../session/session.ts';
import type { Backups, Buckets, Cluster, Figures, Health, Load, Logs, Slow } from '../node/answers.ts';

const OFTEN_MS = 10_000;
const SELDOM_MS = 30_000;

async function ask<T>(part: string, query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<T> {
  const path = `/superadmin/node/${part}`;
  const answer = await skep.transport.send({ method: 'GET', path, query: new URLSearchParams(query), signal });
  return answer.json as T;
}

const view = <T>(part: string, refetchInterval: number, query: Readonly<Record<string, string>> = {}) =>
  queryOptions({
    queryKey: ['node', part, query],
    queryFn: ({ signal }) => ask<T>(part, query, signal),
    refetchInterval,
  });

export const health = view<Health>('health', OFTEN_MS);
export const loadOf = (minutes: number) => view<Load>('load', OFTEN_MS, { minutes: String(minutes) });
export const cluster = view<Cluster>('cluster', OFTEN_MS);
export const figures = view<Figures>('figures', SELDOM_MS);
export const backups = view<Backups>('backups', SELDOM_MS);
export const buckets = view<Buckets>('buckets', SELDOM_MS);
export const slow = view<Slow>('slow', SELDOM_MS);
export const logsFrom = (level: string) => view<Logs>('logs', SELDOM_MS, { level });
