/** How a field may be masked: actors/kit/mask.ts defines what each name leaves visible. */
export const MASKS = ['redact', 'null', 'initial', 'last4', 'email', 'phone'] as const;
export type MaskName = (typeof MASKS)[number];
