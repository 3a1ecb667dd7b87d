/** A subscription of GraphQL: the change feed, each of whose events is what the document asks of it (docs/contract/changes.md §10). */
import { execute, getArgumentValues, Kind } from 'graphql';
import type { FieldNode, FragmentDefinitionNode, GraphQLField, SelectionSetNode } from 'graphql';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { TenantClosed } from '#actors/host/exclusive.ts';
import { measured } from '#actors/host/pace/own-turns.ts';
import { Work } from '#actors/host/work.ts';
import { inFuel, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { GRAPHQL_FORM, parseFilter } from '#actors/engine/rows/parse-filter.ts';
import { query } from '#actors/engine/rows/query.ts';
import { SchemaMoved } from '#actors/engine/rows/schema-moved.ts';
import type { StoredRow } from '#actors/engine/rows/codec.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { Hub } from '../changes/hub.ts';
import type { Rows } from '../changes/snapshot.ts';
import type { Round, Subscription } from '../changes/subscription.ts';
import type { EndReason } from '../live-wait.ts';
import type { Wish } from '../changes/wish.ts';
import type { Seen } from '../documents/handlers.ts';
import { visibleTo } from '../documents/visible.ts';
import { sessionAs } from '../rest/session.ts';
import { settled, type GraphQLAnswer, type Run } from './answer.ts';
import { Context } from './context.ts';
import type { ShownError } from './errors.ts';
import { COMPLETE, nextEvent } from './events.ts';
import { Slices } from './slices.ts';
import type { ChangeEvent, Following } from './subscription.ts';

/** What a document follows. */
export interface Followed {
  readonly run: Run;
  /** The root field's name, under which an event is resolved. */
  readonly field: string;
  readonly wish: Wish;
}

/** The one root field of a valid subscription (GraphQL §5.2.4.1), and its arguments as the feed's wish. */
export function followedBy(run: Run): Followed {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of run.prepared.document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  const node = firstField(run.operation.selectionSet, fragments)!;
  const field = run.tenant.schema.getSubscriptionType()!.getFields()[node.name.value]!;
  return { run, field: field.name, wish: wishOf(field, node, run) };
}

function firstField(
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): FieldNode | null {
  for (const node of selections) {
    if (node.kind === Kind.FIELD) return node;
    const inner = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value)!;
    const found = firstField(inner.selectionSet, fragments);
    if (found !== null) return found;
  }
  return null;
}

function wishOf(field: GraphQLField<unknown, unknown>, node: FieldNode, { variables }: Run): Wish {
  const { model } = field.extensions['following'] as Following;
  const given = getArgumentValues(field, node, variables.values);
  const filter = (given['filter'] ?? {}) as Record<string, unknown>;
  const after = given['after'] == null ? null : Number(given['after']);
  return {
    entity: model.name,
    queryOf: (seen, asker) => {
      const conditions = parseFilter(seen, filter, asker, GRAPHQL_FORM);
      return isFailure(conditions) ? conditions : query(seen.name, conditions);
    },
    after,
    waitMs: 0,
    snapshot: after === null && given['snapshot'] === true,
    limit: limits.changes.pageRows,
  };
}

/** Reasons after which a caller may come back where it was: the stream breaks off, as it does when the node is gone. */
const COMES_BACK: ReadonlySet<EndReason> = new Set(['leaving', 'fault', 'gone']);

export class Follower {
  readonly #call: Call;
  readonly #seen: Seen;
  readonly #followed: Followed;
  readonly #hub: Hub;
  readonly #subscription: Subscription;
  /** The principal that sees what the schema has. */
  #principal: Principal;
  /** The last position that was told. */
  #known: number;

  constructor(call: Call, seen: Seen, followed: Followed, hub: Hub, subscription: Subscription) {
    this.#call = call;
    this.#seen = seen;
    this.#followed = followed;
    this.#hub = hub;
    this.#subscription = subscription;
    this.#principal = seen.session.principal;
    this.#known = subscription.told;
  }

  /** Whole server-sent events in each piece. `start`: the rows that come first; null for none. */
  async *events(start: Rows | null, model: EntityModel): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#begin(start, model);
      for (;;) {
        const round = await this.#hub.next(this.#subscription, limits.changes.heartbeatMs);
        if (round.kind === 'end' || round.kind === 'reset') {
          yield* lastOf(round);
          return;
        }
        yield* this.#told(round);
      }
    } catch (error) {
      const reason = reasonOf(error);
      if (!COMES_BACK.has(reason)) yield* lastOf({ kind: 'end', reason, after: this.#subscription.told });
    } finally {
      this.#hub.close(this.#subscription);
    }
  }

  /** The rows, or the position from which changes are told: with it a caller goes on that breaks off before the first one. */
  async *#begin(start: Rows | null, model: EntityModel): AsyncGenerator<Uint8Array> {
    const rows = start?.rows ?? [];
    const key = model.key.name;
    for (let at = 0; at < rows.length; at += limits.changes.pageRows) {
      const some = rows.slice(at, at + limits.changes.pageRows);
      yield* this.#shown(
        some.map((row): ChangeEvent => {
          const shaped = model.shape(row.slots);
          return { op: 'row', id: shaped[key], version: shaped['version'] as number, row: shaped };
        }),
      );
    }
    const seq = this.#subscription.told;
    yield* this.#shown([{ op: start === null ? 'idle' : 'snapshot', seq }]);
  }

  async *#told(round: Extract<Round, { readonly kind: 'told' | 'idle' }>): AsyncGenerator<Uint8Array> {
    if (round.kind === 'idle') {
      // A comment keeps what is between here and the caller from taking the stream for dead.
      if (round.after === this.#known) yield Buffer.from(':\n\n');
      else yield* this.#shown([{ op: 'idle', seq: (this.#known = round.after) }]);
      return;
    }
    this.#known = round.after;
    const { models, principal, reading } = this.#subscription.prepared!;
    if (models !== this.#seen.models || !this.#seesTheSame(principal)) throw new Ended('definitions');
    yield* this.#shown(round.told.map(({ text, row }) => changeOf(text, row, reading.model)));
  }

  /** Another principal, since its roles have changed, may see other fields than those of the schema. */
  #seesTheSame(principal: Principal): boolean {
    if (principal === this.#principal) return true;
    const { models, visible } = this.#seen;
    const session = sessionAs(this.#call, principal, models);
    if (visibleTo(session, models).signature !== visible.signature) return false;
    this.#principal = principal;
    return true;
  }

  /** The answers to some events, in slices between the turns of callers; none leaves once the credential does not count. */
  async *#shown(events: readonly ChangeEvent[]): AsyncGenerator<Uint8Array> {
    let at = 0;
    while (at < events.length) {
      const work = new Work(this.#call.activation);
      const session = sessionAs(work, this.#principal, this.#seen.models);
      await session.yieldTurn();
      if (!this.#hub.stillCounts(this.#subscription)) return;
      const { clock } = session;
      const end = clock.fine() + limits.changes.sliceMsMax;
      const texts: string[] = [];
      do {
        const context = new Context(session, session, new Slices(session, Infinity));
        const answered = measured(work, () => inFuel(() => this.#answered(events[at++]!, context)));
        texts.push(nextEvent(answered instanceof Promise ? await answered : answered));
      } while (at < events.length && clock.fine() < end);
      this.#call.saw(work.commit());
      if (!this.#hub.stillCounts(this.#subscription)) return;
      yield Buffer.from(texts.join(''));
    }
  }

  #answered(event: ChangeEvent, context: Context): GraphQLAnswer | Promise<GraphQLAnswer> {
    const { run, field } = this.#followed;
    const result = execute({
      schema: run.tenant.schema,
      document: run.prepared.document,
      rootValue: { [field]: event },
      contextValue: context,
      variableValues: run.variables.raw,
      operationName: run.operation.name?.value,
    });
    return result instanceof Promise ? result.then((ended) => settled(context, ended)) : settled(context, result);
  }
}

/** What ends a subscription from within. */
class Ended extends Error {
  readonly reason: EndReason;

  constructor(reason: EndReason) {
    super(reason);
    this.reason = reason;
  }
}

/** The fault of an event is thrown on: its stream breaks off, and the host says so. */
function reasonOf(error: unknown): EndReason {
  if (error instanceof Ended) return error.reason;
  if (error instanceof OutOfFuel) return 'cost';
  if (error instanceof SchemaMoved) return 'definitions';
  if (error instanceof TenantClosed) return 'leaving';
  throw error;
}

function changeOf(text: string, row: StoredRow | null, model: EntityModel): ChangeEvent {
  const { seq, op, id, version, tx } = JSON.parse(text) as ChangeEvent;
  return { seq: seq!, op, id, version: version!, tx: tx!, row: row === null ? null : model.shape(row.slots) };
}

/** An error that the caller has to know of, then the end; nothing where it may come back as it was. */
function* lastOf(round: Extract<Round, { readonly kind: 'reset' | 'end' }>): Generator<Uint8Array> {
  if (round.kind === 'end' && COMES_BACK.has(round.reason)) return;
  const error = round.kind === 'reset' ? resetError(round.after) : endedError(round);
  yield Buffer.from(nextEvent({ errors: [error] }) + COMPLETE);
}

const resetError = (after: number): ShownError => ({
  message: 'the position is too old: read the rows anew and go on from details.after',
  extensions: { code: 'v2.changes_position_over', status: 410, details: { after } },
});

const ENDS: Readonly<Partial<Record<EndReason, readonly [code: string, status: number, message: string]>>> = {
  session: ['unauthorized', 401, 'the credential does not count any more'],
  access: ['v2.query_failed', 403, 'the caller may not read the entity any more'],
  definitions: ['v2.query_failed', 422, 'the definitions are other ones: ask again under the schema of now'],
  cost: ['v2.engine_unavailable', 503, 'judging or showing one change takes more work than one turn may: ask for less'],
};

function endedError({ reason, after }: Extract<Round, { readonly kind: 'end' }>): ShownError {
  const [code, status, message] = ENDS[reason]!;
  return { message, extensions: { code, status, details: { reason, after } } };
}
