/** The hash of a row as it is shown (docs/contract/data.md §5.3): SHA-256 of its canonical JSON (RFC 8785), in hex. */
import { hash } from 'node:crypto';

export function rowHash(rowText: string): string {
  return hash('sha256', canonical(JSON.parse(rowText)), 'hex');
}

/** Members sorted by UTF-16 unit, no blanks; numbers and texts as JSON.stringify writes them (RFC 8785 §3.2). */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}
