/** The `--dashed-flag` of every intake key. Spec: docs/contract/intake.md §2.8. */
import { intakeSection } from './intake-section.ts';
import { coresOf, leavesOf, metaOf } from './schema-walk.ts';

export interface IntakeFlag {
  /** Without the two dashes. */
  readonly flag: string;
  /** Dotted key within the intake section. */
  readonly key: string;
  readonly kind: 'boolean' | 'list' | 'text';
  readonly description: string;
}

/** Names that the contract gives and that differ from the rule below. */
const NAMED: Readonly<Record<string, string>> = {
  'http.max_body_bytes': 'max-body-bytes',
  'storage.wal_jsonl': 'wal-jsonl',
  'logging.file.path': 'log-file',
  'chat.default_webhook': 'chat-webhook',
};
/** Prefixes of keys that the contract's flags shorten. */
const SHORTENED: readonly (readonly [string, string])[] = [
  ['logging.', 'log-'],
  ['security.', ''],
  ['email.smtp.', 'smtp-'],
];

/** One flag per key, in the order of the table. */
export function intakeFlags(): readonly IntakeFlag[] {
  return leavesOf(intakeSection).map(({ path, schema }) => {
    const key = path.join('.');
    const type = coresOf(schema)[0]!.def.type;
    const kind = type === 'boolean' ? 'boolean' : type === 'array' ? 'list' : 'text';
    return { flag: flagOf(key), key, kind, description: metaOf(schema)?.description ?? '' };
  });
}

function flagOf(key: string): string {
  const named = NAMED[key];
  if (named !== undefined) return named;
  const short = SHORTENED.find(([start]) => key.startsWith(start));
  const text = short === undefined ? key : short[1] + key.slice(short[0].length);
  return text.replaceAll(/[._]/g, '-');
}
