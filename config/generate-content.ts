/** Starter platform files of the content service. Source: docs/contract/content.md §9. */
import { generateBootstrapDev } from './generate.ts';

export const CONTENT_PROFILES = ['bootstrap-dev', 'bootstrap-full', 'all'] as const;
export type ContentProfile = Exclude<(typeof CONTENT_PROFILES)[number], 'all'>;

/** Development: an operation without a rule is allowed. */
const DEV = `
content:
  # Never in production: there an operation without a rule is denied.
  defaultstoreaction: true
  defaultappaction: true
`;

/** Every key with its default. */
const FULL = `
content:
  # Whether an operation that has no rule is allowed.
  defaultstoreaction: false
  defaultappaction: false
  # Tenants that are awake before their first request.
  loadtenants: []
  # meta: the content folder of each tenant's product; localdir: the folder in \`path\`; inline: \`contentstores\` and \`contentapps\` here.
  contentsource:
    type: meta
`;

/** The text of a profile's file. */
export function generateContent(profile: ContentProfile): string {
  return generateBootstrapDev().trimEnd() + '\n' + (profile === 'bootstrap-dev' ? DEV : FULL);
}
