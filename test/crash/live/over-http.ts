/** Subscribers over HTTP: server-sent events with Last-Event-ID, and pages that wait. Each goes on where it was until the test is over. */
import { openEvents, type StreamEvent } from '#test/kit/event-stream.ts';
import type { Random } from '#test/kit/random.ts';
import type { Follower } from './follower.ts';
import type { Told } from './notes.ts';
import { pause, type World } from './world.ts';

/** How long one waits before it comes back, and between two pages. */
const AGAIN_MS = 80;

export async function followEvents(world: World, follower: Follower, random: Random): Promise<void> {
  const url = `/data/changes?entity=note${follower.filter.query}`;
  const isOver = (): boolean => world.isOver || follower.isOver;
  while (!isOver()) {
    const { position } = follower;
    const lastId = position === null ? null : String(position);
    const wish = `${world.gateway}${url}${position === null ? '&snapshot=true' : ''}`;
    const headers = world.headers(follower.caller);
    const stream = await openEvents(wish, headers, lastId, (event) => hear(follower, event)).catch(() => null);
    if (stream?.status === 200) {
      follower.there();
      const watch = setInterval(() => isOver() && stream.leave(), AGAIN_MS);
      await stream.over;
      clearInterval(watch);
      if (follower.position !== null) follower.position = Math.max(follower.position, Number(stream.lastId()));
    } else if (stream !== null && stream.status !== 503) follower.fault(`status ${stream.status}`);
    follower.cut();
    await pause(random.below(AGAIN_MS));
  }
}

function hear(follower: Follower, { event, data }: StreamEvent): void {
  if (event === 'change') follower.change(data as Told);
  else if (event === 'row') follower.row(data);
  else if (event === 'snapshot') follower.snapshot((data as { after: number }).after);
  else if (event === 'reset') follower.reset();
  else if (event !== 'end' || !isComeBack(data)) follower.fault(`${event} ${JSON.stringify(data)}`);
}

/** Ends behind which a subscriber comes back as it was. */
export const isComeBack = (data: unknown): boolean =>
  ['fault', 'leaving'].includes((data as { reason: string }).reason);

interface Page {
  readonly changes: readonly Told[];
  readonly after: number;
}

export async function followPages(world: World, follower: Follower, random: Random): Promise<void> {
  while (!world.isOver) {
    const { filter, position, caller } = follower;
    const path = `/data/changes?entity=note${filter.query}&after=${position}&wait=5&limit=${1 + random.below(40)}`;
    const page = await fetch(world.gateway + path, { headers: world.headers(caller) })
      .then(async (answer) => ({ status: answer.status, text: await answer.text() }))
      .catch(() => null);
    if (page?.status === 200) {
      follower.there();
      const { changes, after } = JSON.parse(page.text) as Page;
      for (const change of changes) follower.change(change);
      follower.position = after;
    } else {
      if (page?.status === 410) follower.reset();
      else if (page !== null && page.status !== 503) follower.fault(`${page.status} ${page.text}`);
      follower.cut();
    }
    await pause(random.below(AGAIN_MS));
  }
}
