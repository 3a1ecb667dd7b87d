/** The neighbour: a row of another tenant of the same host, read by its id at a constant rate. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Place } from './send.ts';

const EVERY_MS = 20;

export interface Watched {
  /** The longest wait for an answer, counted from when the request was due. */
  readonly longestMs: number;
  readonly answers: number;
  /** Answers other than 200. */
  readonly refused: number;
}

/** Makes the row; gives its path. */
export async function victimRow({ gateway, headers }: Place): Promise<string> {
  const init = {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: '{"name":"victim"}',
  };
  const answer = await fetch(`${gateway}/data/rest/note`, init);
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`the victim's row was answered ${answer.status} ${text.slice(0, 200)}`);
  return `/data/rest/note/id/${(JSON.parse(text) as { data: { id: string }[] }).data[0]!.id}`;
}

/** Reads until `until` has settled. A request that is due while others wait is sent all the same. */
export async function watched({ gateway, headers }: Place, path: string, until: Promise<unknown>): Promise<Watched> {
  const seen = { longestMs: 0, answers: 0, refused: 0 };
  const state = { going: true };
  const ended = until.then(
    () => (state.going = false),
    () => (state.going = false),
  );
  const waiting = new Set<Promise<void>>();
  const read = async (due: number): Promise<void> => {
    const status = await fetch(gateway + path, { headers }).then(
      async (answer) => (await answer.arrayBuffer(), answer.status),
      () => 0,
    );
    seen.answers++;
    if (status !== 200) seen.refused++;
    seen.longestMs = Math.max(seen.longestMs, performance.now() - due);
  };
  for (let due = performance.now(); state.going; due += EVERY_MS) {
    const early = due - performance.now();
    if (early > 0) await Promise.race([wait(early), ended]);
    const one = read(Math.max(due, performance.now() - EVERY_MS)).finally(() => waiting.delete(one));
    waiting.add(one);
  }
  await Promise.all(waiting);
  return seen;
}
