/** Values of labels: a metric has one series for each, and no request can make another. */

/** The values of the label `service`: the services, and `door` and `operations` for answers of the door itself. */
export const SERVICE_LABELS = [
  'identity',
  'data',
  'intake',
  'vault',
  'bff',
  'content',
  'audit',
  'door',
  'operations',
] as const;
/** What a request does, as far as its method says. */
export const REQUEST_CLASSES = ['read', 'write'] as const;
export const STATUS_LABELS = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** What became of a login: tokens were given; credentials or the second factor were not right, or missing; limited (429); anything else. */
export const LOGIN_RESULTS = ['ok', 'refused', 'limited', 'failed'] as const;

/** What the scrubber looks at: values in LMDB, rows and entries of entities, files, sealed segments of audit logs. */
export const SCRUBBED = ['values', 'rows', 'files', 'segments'] as const;
/** The kinds of its findings: those of `skep storage check`, a file, a segment, and anything that cannot be read at all. */
export const SCRUB_FAULTS = [
  'value',
  'order',
  'row',
  'index',
  'count',
  'use',
  'file',
  'segment',
  'environment',
] as const;
