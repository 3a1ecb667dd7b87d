/** How a field may be hidden: what each name leaves to be seen is in actors/kit/mask.ts. */
export const MASKS = ['redact', 'null', 'initial', 'last4', 'email', 'phone'] as const;
export type MaskName = (typeof MASKS)[number];
