/** Names that `format:` of a form's `string` field may hold; intake knows what each means. Those of entities: values/field-format.ts. */
export const FORM_FORMATS = ['email', 'url', 'date', 'uuid'] as const;
