/** Headers of answers that show one asset or document: its version as the ETag that `If-Match` of a change takes (RFC 9110 §8.8.3). */
import type { Row } from './rows.ts';

type Headers = Readonly<Record<string, string>>;

export function withTag({ version }: Row, headers: Headers = {}): Headers {
  return typeof version === 'number' ? { ...headers, ETag: `"${version}"` } : headers;
}
