/** Events of stateflows: `stateflow(client, 'ticket.status')` (docs/contract/data-behaviour.md §1). */
import type { Client } from './create-client.ts';
import type { WriteOptions } from './entity.ts';
import { isSkepError, SkepError } from './errors.ts';
import { matching, queryOf } from './parameters.ts';
import type { EntityName, Row, SchemaTypes } from './schema.ts';
import type { Transport } from './transport.ts';

type FlowsOf<S extends SchemaTypes> = S extends { readonly stateflows: infer F } ? F : AnyFlows;
type AnyFlows = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;

/** `<entity>.<field>`: a field that a stateflow governs. */
export type FlowName<S extends SchemaTypes> = keyof FlowsOf<S> & string;
/** The states of a field. */
export type FlowState<S extends SchemaTypes, N extends FlowName<S>> = keyof FlowsOf<S>[N] & string;
/** All events that its states declare. */
export type FlowEvent<S extends SchemaTypes, N extends FlowName<S>> = {
  [State in FlowState<S, N>]: keyof FlowsOf<S>[N][State] & string;
}[FlowState<S, N>];

type RowOf<S extends SchemaTypes, N extends FlowName<S>> = N extends `${infer E}.${string}`
  ? E extends EntityName<S>
    ? Row<S, E>
    : Record<string, unknown>
  : never;

export interface FlowView<State, Event> {
  readonly current: State;
  /** The events that the caller may fire now. */
  readonly events: readonly Event[];
}

export interface FireOptions extends WriteOptions {
  /** The version that the row must have: 412 `v2.precondition_failed` where it has another. */
  readonly version?: number | undefined;
}

export interface Stateflow<S extends SchemaTypes, N extends FlowName<S>> {
  /** The state of a row, and what the caller may do next. Throws 404 `v2.row_not_found`. */
  look(id: string, options?: { readonly signal?: AbortSignal }): Promise<FlowView<FlowState<S, N>, FlowEvent<S, N>>>;
  /**
   * Fires an event, and gives the row after it. The event is fired from the state in which it was found open, or not at all: a row that somebody
   * changes meanwhile is looked at anew. Throws `client.event_closed` where the caller cannot fire it now; `details` has `current` and `events`.
   */
  fire(id: string, event: FlowEvent<S, N>, options?: FireOptions): Promise<RowOf<S, N>>;
}

interface Machine {
  readonly name: string;
  readonly states: Readonly<
    Record<string, { readonly events?: Readonly<Record<string, { readonly target: string }>> }>
  >;
}

/** A row as it was found, with its version. */
interface Found extends FlowView<string, string> {
  readonly machine: string;
  readonly tag: string;
}

/** So often a row that others change at the same time is looked at anew. */
const TRIES = 4;

/** The stateflow of a field, `<entity>.<field>`. Nothing is sent yet. */
export function stateflow<S extends SchemaTypes, const N extends FlowName<S>>(
  { transport }: Client<S>,
  name: N,
): Stateflow<S, N> {
  const flow = new Flow(transport, name);
  return {
    look: async (id, { signal } = {}) => {
      const { current, events }: FlowView<unknown, unknown> = await flow.look(id, signal);
      return { current: current as FlowState<S, N>, events: events as readonly FlowEvent<S, N>[] };
    },
    fire: (id, event, options = {}) => flow.fire(id, event, options) as never,
  };
}

class Flow {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #field: string;

  constructor(transport: Transport, name: string) {
    const at = name.lastIndexOf('.');
    this.#transport = transport;
    this.#path = `/data/rest/${encodeURIComponent(name.slice(0, at))}/id/`;
    this.#field = name.slice(at + 1);
  }

  async look(id: string, signal: AbortSignal | undefined): Promise<Found> {
    const query = queryOf({ states: true });
    const { json, headers } = await this.#transport.send({ method: 'GET', path: this.#at(id), query, signal });
    const [states = {}] = (json as { states?: readonly Record<string, FlowView<string, string> & { field: string }>[] })
      .states ?? [{}];
    const found = Object.entries(states).find(([, { field }]) => field === this.#field);
    if (found === undefined) throw new TypeError(`no stateflow governs the field ${this.#field} of this entity`);
    const [machine, { current, events }] = found;
    return { machine, current, events, tag: headers.get('etag')! };
  }

  async fire(id: string, event: string, { key, signal, version }: FireOptions): Promise<unknown> {
    const machines = this.#transport.send({ method: 'GET', path: '/data/stateflows', signal });
    machines.catch(() => undefined);
    for (let tries = 1; ; tries++) {
      const found = await this.look(id, signal);
      if (!found.events.includes(event)) throw closed(event, found);
      const body = { [this.#field]: targetOf((await machines).json, found, event) };
      const headers = { 'If-Match': found.tag, ...matching({ version }) };
      try {
        const { json } = await this.#transport.send({
          method: 'PATCH',
          path: this.#at(id),
          body,
          headers,
          key,
          signal,
        });
        return (json as { data: readonly unknown[] }).data[0];
      } catch (error) {
        if (version !== undefined || tries >= TRIES || !isSkepError(error, 'v2.precondition_failed')) throw error;
      }
    }
  }

  #at(id: string): string {
    return this.#path + encodeURIComponent(id);
  }
}

function targetOf(json: unknown, { machine, current }: Found, event: string): string {
  const { stateflows } = json as { readonly stateflows: readonly Machine[] };
  return stateflows.find(({ name }) => name === machine)!.states[current]!.events![event]!.target;
}

function closed(event: string, { current, events }: Found): SkepError {
  const message = `the event ${event} is closed: the row is ${current}, and open to this caller are: ${events.join(', ') || 'none'}`;
  return new SkepError(0, 'client.event_closed', { message, details: { current, events } });
}
