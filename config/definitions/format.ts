/** Names that `format:` may hold; the rooms that check values know what each means. */

/** Formats of `string` and `text` fields of entities. */
export const ENTITY_FORMATS = [
  'email',
  'url',
  'uri',
  'hostname',
  'ip',
  'ipv4',
  'ipv6',
  'uuid',
  'ulid',
  'date',
  'datetime',
  'time',
  'phone',
  'slug',
] as const;

/** Formats of `string` fields of forms. */
export const FORM_FORMATS = ['email', 'url', 'date', 'uuid'] as const;
