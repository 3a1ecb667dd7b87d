/** Names of logs: `tenant/<customer>/<product>/<env>/<tenant>`, `node/…`, `vault/…` (docs/contract/audit.md §2.3, docs/contract/vault.md §6). */
import { limits } from '#config/limits.ts';

const SEGMENT = /^[a-z0-9_][a-z0-9._-]{0,62}$/;
const KINDS: ReadonlySet<string> = new Set(['tenant', 'node', 'vault']);

/** Whether a log may have this id: its segments become directory names. */
export function isLogId(text: string): boolean {
  const [kind, ...rest] = text.split('/');
  if (!KINDS.has(kind!) || rest.length === 0 || text.length > limits.audit.logIdCharsMax) return false;
  return rest.every((segment) => SEGMENT.test(segment)) && (kind !== 'tenant' || rest.length === 4);
}

/** Whether a glob covers a log id: `*` within a segment, `**` across segments. */
export function matchesLog(glob: string, logId: string): boolean {
  const pattern = glob
    .split(/(\*\*|\*)/)
    .map((part) => (part === '**' ? '.*' : part === '*' ? '[^/]*' : part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')))
    .join('');
  return new RegExp(`^${pattern}$`).test(logId);
}
