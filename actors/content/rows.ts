/** Rows of the tenant, which belong to the data service: requested by its routes, inside the activation (docs/decisions/inside-calls.md IC-1). */
import { limits } from '#config/limits.ts';
import { askInside } from '#actors/host/inside.ts';
import type { InsideAnswer } from '#actors/host/inside-answer.ts';
import type { Work } from '#actors/host/work.ts';
import { Call } from '#actors/host/call.ts';
import type { Method } from '#actors/protocol/method.ts';
import { end } from './refused.ts';

export type Row = Readonly<Record<string, unknown>>;
export type Query = Readonly<Record<string, string>>;

/** A row of an entity as content declares it: the data service checked its fields when it was written, so that answers do not check them again. */
export function rowAs<T extends Row>(row: Row): T {
  return row as T;
}

export interface Operation {
  readonly action: 'create' | 'update' | 'delete';
  readonly data: Readonly<Record<string, Row>>;
}

interface Sent {
  readonly query?: Query;
  readonly body?: unknown;
  readonly ifMatch?: string | undefined;
}

export class Rows {
  readonly #from: Work;
  readonly #as: 'caller' | 'internal';

  /** `internal` when a rule of content has decided already; `caller` when the entity's own rules decide. */
  constructor(from: Work, as: 'caller' | 'internal') {
    this.#from = from;
    this.#as = as;
  }

  async list(entity: string, query: Query): Promise<{ rows: Row[]; next: string | null }> {
    const answer = await this.#ask('GET', `/${entity}`, { query });
    const { data, page } = this.#checked(answer) as {
      data: Row[];
      page?: { has_next_page: boolean; end_cursor: string };
    };
    return { rows: data, next: page?.has_next_page === true ? page.end_cursor : null };
  }

  /** All rows that a query finds, page by page in the order of their ids. */
  async *all(entity: string, query: Query): AsyncGenerator<Row> {
    const limit = String(limits.content.pageRowsMax);
    for (let after = ''; ;) {
      const { rows } = await this.list(entity, {
        ...query,
        orderby: 'id',
        limit,
        ...(after !== '' && { 'id[gt]': after }),
      });
      yield* rows;
      if (rows.length < limits.content.pageRowsMax) return;
      after = rows.at(-1)!['id'] as string;
    }
  }

  async find(entity: string, query: Query): Promise<Row | null> {
    return (await this.list(entity, { ...query, limit: '1' })).rows[0] ?? null;
  }

  /** Null when there is no such row. */
  async get(entity: string, id: string, query: Query = {}): Promise<Row | null> {
    const answer = await this.#ask('GET', `/${entity}/id/${encodeURIComponent(id)}`, { query });
    if (answer.status === 404) return null;
    return firstOf(this.#checked(answer));
  }

  async update(entity: string, id: string, body: Row, ifMatch?: string): Promise<Row> {
    const path = `/${entity}/id/${encodeURIComponent(id)}`;
    return firstOf(this.#checked(await this.#ask('PATCH', path, { body, ifMatch })));
  }

  async remove(entity: string, id: string, ifMatch?: string): Promise<Row> {
    const path = `/${entity}/id/${encodeURIComponent(id)}`;
    return firstOf(this.#checked(await this.#ask('DELETE', path, { ifMatch })));
  }

  /** All operations or none; gives the first row of each, as it was after its operation. */
  async run(operations: readonly Operation[]): Promise<Row[]> {
    const answer = await this.#ask('POST', '', { body: { operations } });
    const done = this.#checked(answer) as { operations: { data: Row[] }[] };
    return done.operations.map(({ data }) => data[0]!);
  }

  #ask(method: Method, path: string, { query = {}, body, ifMatch }: Sent): Promise<InsideAnswer> {
    const isAnonymous = this.#as === 'caller' && (!(this.#from instanceof Call) || this.#from.authorization === '');
    return askInside(this.#from, {
      service: 'data',
      method,
      path: `${isAnonymous ? '/data/anon/rest' : '/data/rest'}${path}`,
      query: new URLSearchParams(query).toString(),
      headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      as: this.#as,
    });
  }

  /** The body of a successful answer; any other ends the handler with the refusal of content that stands for it. */
  #checked(answer: InsideAnswer): unknown {
    const body = answer.json() as { error?: string; details?: Record<string, unknown> } | undefined;
    if (answer.ok) return body;
    const told = toldBy(body);
    switch (answer.status) {
      case 401:
        return end('content.unauthorized');
      case 403:
        return end('content.forbidden', told);
      case 412:
        return end('content.precondition_failed', told);
      case 400:
      case 404:
      case 422:
        return end('content.invalid', told);
      case 503:
        return end('content.unavailable');
      case 507:
        return end('content.storage_full', told);
      default:
        return end('content.failed');
    }
  }
}

/** Message and details of a refusal of data. Callers of content sent one row, so the envelope of rows is hidden from them. */
function toldBy(body: { error?: string; details?: Record<string, unknown> } | undefined) {
  const { error, details } = body ?? {};
  const { operation: _, action: __, entity: ___, status: ____, ...others } = details ?? {};
  const isShown = details !== undefined && Object.keys(others).length > 0;
  return {
    ...(error !== undefined && { message: error.replace(/^operations\[\d+\]: /, '') }),
    ...(isShown && { details: others }),
  };
}

function firstOf(body: unknown): Row {
  return (body as { data: Row[] }).data[0]!;
}
