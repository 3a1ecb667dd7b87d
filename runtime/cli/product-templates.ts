/** What `skep new` can begin with: the folders of `config/samples/templates/`, one line each for `--help`. */
export const TEMPLATES = {
  minimal: 'one entity whose rows belong to their users, one query',
  'help-desk':
    'tickets with a stateflow, comments, attachments, agents, a public form, mails, a webhook, a report, and a page for all of it that is live',
  'content-site': 'pages and posts with pictures, which all may read, and a page that shows them',
} as const;

export type Template = keyof typeof TEMPLATES;

/** The folder of a template's page that imports `./skep-client.js`. */
export const CLIENT_IN: Readonly<Partial<Record<Template, string>>> = { 'help-desk': 'product/web' };
