/** The line that shows a document before it is published, for a shell. Pure. */
import { wordOf } from '../node/command.ts';

export interface PreviewOf {
  /** Where the gateway is. */
  readonly at: string;
  /** `customer:product:env:tenant`. */
  readonly key: string;
  readonly app: string;
  readonly type: string;
  readonly id: string;
  readonly locale: string | null;
  readonly token: string;
}

const HEADERS = ['X-Customer', 'X-Product', 'X-Env', 'X-Tenant'];

export function previewLine({ at, key, app, type, id, locale, token }: PreviewOf): string {
  const query = new URLSearchParams({ ...(locale !== null && { locale }), preview: token });
  const names = key.split(':');
  const heads = HEADERS.map((head, i) => `-H ${wordOf(`${head}: ${names[i] ?? ''}`)}`);
  return `curl ${wordOf(`${at}/content/${app}/${type}/${id}?${query.toString()}`)} ${heads.join(' ')}`;
}
