/** A materialized field that is new, or computed by another rule than before, is filled: every row of its entity gets a task. */
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import { commitWhenRoom, roomFor, untilFree } from '#actors/host/pace/own-turns.ts';
import { tableRange } from '#actors/engine/rows/keys/store.ts';
import type { EntityModel, Feed } from '#actors/engine/rows/model.ts';
import type { Models } from '#actors/engine/rows/models.ts';
import { Budget } from '#actors/kit/pace/budget.ts';
import { servedModels } from '../part.ts';
import { sessionAs } from '../rest/session.ts';
import { enqueue } from '#actors/engine/derived/enqueue.ts';
import { knownOf, putKnown, type Reader, type Turn } from '#actors/engine/derived/store.ts';

const SLICE = { ...limits.plans, sliceRowsMax: limits.materialize.refillRows };

/** Fields that are not yet filled by their present rule. */
export function unfilled(reader: Reader, models: Models): Feed[] {
  return [...models.values()].flatMap(({ fed }) => fed.filter((feed) => !isFilled(reader, feed)));
}

function isFilled(reader: Reader, { target, column, text }: Feed): boolean {
  const known = knownOf(reader, target.table, column.at);
  return known?.text === text && known.from === null;
}

/** Enters the tasks of unfilled fields, in turns of some rows each; every commit includes how far it has come. */
export async function fill(work: Work): Promise<void> {
  const models = servedModels(work.activation);
  const session = sessionAs(work, INTERNAL, models);
  for (const feed of unfilled(work.nextTurn(), models)) {
    for (let more = true; more;) {
      await session.yieldTurn();
      await roomFor(work);
      await untilFree(work);
      more = fillSome(work.nextTurn(), feed, new Budget(session.clock, SLICE));
      await commitWhenRoom(work);
    }
  }
}

/** Enters the tasks of the rows of one slice; whether there are more rows. */
function fillSome(turn: Turn, feed: Feed, budget: Budget): boolean {
  const { target, column, text } = feed;
  const known = knownOf(turn, target.table, column.at);
  const { from, to } = tableRange(target.table);
  const begin = known?.text === text && known.from !== null ? known.from : from;
  let last = begin;
  let more = false;
  for (const { key, value } of turn.range(begin, to)) {
    more = budget.look() && last !== begin;
    if (more) break;
    last = `${key}\0`;
    budget.count(1, value.length);
    enqueue(turn, feed, idIn(target, value), 'fill');
  }
  putKnown(turn, { text, from: more ? last : null }, target.table, column.at);
  return more;
}

function idIn({ decode, key }: EntityModel, value: Uint8Array): string | number {
  return decode(value).slots[key.at] as string | number;
}
