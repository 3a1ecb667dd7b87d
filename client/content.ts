/** Documents of a content app: `content(client, 'blog')` (docs/contract/content.md §6, §7). */
import type { ChangeOptions, WriteOptions } from './entity.ts';
import { matching, queryOf } from './parameters.ts';
import type { Ask, Sender } from './transport.ts';

export interface Document {
  readonly id: string;
  readonly status: 'draft' | 'published' | 'archived';
  readonly locale?: string;
  readonly [field: string]: unknown;
}

export interface DocumentOptions {
  /** The default one of the app unless set; what is missing in it comes in the default one. */
  readonly locale?: string;
  /** For editors: `any`, or the state that the document has. Published ones unless set. */
  readonly status?: 'any' | Document['status'];
  /** A token that shows a document before it is published. */
  readonly preview?: string;
  readonly signal?: AbortSignal;
}

export interface DocumentQuery extends Omit<DocumentOptions, 'preview'> {
  /** Fields with the value that they must have; `'stars[gte]': 3` for another operator. */
  readonly where?: Readonly<Record<string, string | number | boolean>>;
  readonly orderBy?: string | readonly string[];
  /** Documents of one page. */
  readonly limit?: number;
}

export interface DocumentPage<D> {
  readonly documents: readonly D[];
  /** Where the next page goes on; null at the end. */
  readonly next: string | null;
}

export interface Content {
  /** One page; `after` is `next` of the page before it. */
  page<D extends object = Document>(
    type: string,
    query?: DocumentQuery & { readonly after?: string | null },
  ): Promise<DocumentPage<D>>;
  /** All documents, page by page. */
  each<D extends object = Document>(type: string, query?: DocumentQuery): AsyncGenerator<D, void>;
  /** Throws 404 `content.document_not_found`, 401 `content.preview_token_invalid`. */
  get<D extends object = Document>(type: string, id: string, options?: DocumentOptions): Promise<D>;
  /** A document; with `document_id` and `locale` among its fields the translation of one. */
  create<D extends object = Document>(type: string, fields: object, options?: WriteOptions): Promise<D>;
  update<D extends object = Document>(
    type: string,
    id: string,
    fields: object,
    options?: ChangeOptions & { readonly locale?: string },
  ): Promise<D>;
  /** The document, or with `locale` one translation of it. */
  delete<D extends object = Document>(
    type: string,
    id: string,
    options?: WriteOptions & { readonly locale?: string },
  ): Promise<D>;
  /** A token that shows one document before it is published, for so many seconds. Throws 501 `content.preview_unconfigured`. */
  preview(
    type: string,
    id: string,
    options?: { readonly expiresIn?: number; readonly signal?: AbortSignal },
  ): Promise<{ readonly token: string; readonly expiresIn: number }>;
}

/** The documents of an app. Nothing is sent yet. */
export function content({ transport }: Sender, app: string): Content {
  const root = `/content/${encodeURIComponent(app)}`;
  const of = (type: string): string => `${root}/${encodeURIComponent(type)}`;
  const at = (type: string, id: string): string => `${of(type)}/${encodeURIComponent(id)}`;
  const ask = async <D>(one: Ask): Promise<D> => (await transport.send(one)).json as D;
  const page: Content['page'] = async (type, query = {}) => {
    const { where = {}, orderBy, after, signal, ...rest } = query;
    const named = { ...where, ...rest, after: after ?? undefined, orderby: orderBy && [orderBy].flat().join() };
    const answer = await ask<{ readonly data: never[]; readonly page: { readonly end_cursor: string | null } }>({
      method: 'GET',
      path: of(type),
      query: queryOf(named),
      signal,
    });
    return { documents: answer.data, next: answer.page.end_cursor };
  };
  return {
    page,
    each: async function* (type, query = {}) {
      for (let after: string | null = ''; after !== null;) {
        const found: DocumentPage<object> = await page(type, after === '' ? query : { ...query, after });
        yield* found.documents as never[];
        after = found.next;
      }
    },
    get: (type, id, { signal, ...rest } = {}) =>
      ask({ method: 'GET', path: at(type, id), query: queryOf(rest), signal }),
    create: (type, body, { key, signal } = {}) => ask({ method: 'POST', path: of(type), body, key, signal }),
    update: (type, id, body, { key, signal, version, locale } = {}) => {
      const headers = matching({ version });
      return ask({ method: 'PATCH', path: at(type, id), query: queryOf({ locale }), body, headers, key, signal });
    },
    delete: (type, id, { key, signal, locale } = {}) =>
      ask({ method: 'DELETE', path: at(type, id), query: queryOf({ locale }), key, signal }),
    preview: async (type, id, { expiresIn, signal } = {}) => {
      const body = { type, id, expires_in: expiresIn };
      const path = `${root}/preview`;
      const answer = await ask<{ token: string; expires_in: number }>({
        method: 'POST',
        path,
        body,
        again: 'safe',
        signal,
      });
      return { token: answer.token, expiresIn: answer.expires_in };
    },
  };
}
