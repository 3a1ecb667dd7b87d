/** A product whose orders fire triggers of every kind, written into a directory. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Secrets of a product come from the environment of its node. */
process.env['SKEP_TEST_TRIGGER'] ??= 'trigger-secret';

const OPEN = ['create', 'read', 'update', 'delete', 'purge', 'restore']
  .map((one) => `${one}: { language: cel, rule: "true" }`)
  .join(', ');
const OF_CLERK = `create: { language: cel, rule: "'clerk' in principal.roles" }, read: { language: cel, rule: "true" }`;

const ENTITIES = `entities:
  order:
    fields:
      number: { type: string, required: true }
      status: { type: string, default: open }
      total: { type: number, default: 0 }
      email: { type: string, mask: email }
    traits: [soft_delete]
    access: { ${OPEN} }
  note:
    fields: { order: { type: string }, depth: { type: integer }, who: { type: string } }
    access: { ${OF_CLERK} }
  secret:
    fields: { text: { type: string } }
    access: { create: { language: cel, rule: "'boss' in principal.roles" } }
  quiet:
    fields: { number: { type: string } }
    access: { ${OPEN} }
`;

const webhook = (port: number, path: string): string =>
  `webhook: { url: "http://127.0.0.1:${port}/${path}", secret: "\${SKEP_TEST_TRIGGER}", timeout: 2s }\n`;

/** The checkout's files; webhooks go to the port. */
const filesOf = (port: number): Readonly<Record<string, string>> => ({
  'product.yaml': 'name: shop\nroles: { clerk: writes notes, boss: has secrets }\n',
  'entities/all.yaml': ENTITIES,
  'triggers/life.yaml': `entity: order\nevents: [created, deleted, restored]\nfields: [number, email]\n${webhook(port, 'life')}`,
  'triggers/paid.yaml': `entity: order
events: [updated]
changed: [status]
when: row.status == "paid" && old.status != "paid" && row.total > 10.0
fields: [number, total]
${webhook(port, 'paid')}`,
  'triggers/greet.yaml': `entity: order
events: [created]
when: row.status == "greet"
fields: [number, email]
mail:
  to: email
  subject: Order {{number}}
  text: |
    Thank you for {{number}}, {{email}}.

    {{event}} of {{entity}} at {{tenant}}
`,
  'triggers/noted.yaml': `entity: order
events: [created]
when: row.status == "noted"
fields: [number]
script:
  role: clerk
  source: |
    db.create('note', { order: request.data.row.number, depth: request.depth, who: request.event });
    return null;
`,
  'triggers/echo.yaml': `entity: note
events: [created]
when: row.who == "echo"
script:
  role: clerk
  source: |
    db.create('note', { order: request.data.id, depth: request.depth, who: 'echo' });
`,
  'triggers/denied.yaml': `entity: order
events: [created]
when: row.status == "denied"
script: { role: clerk, source: "db.create('secret', { text: 'x' });" }
`,
});

/** Writes the checkout below `dir`, and gives its path. */
export function writeTriggerShop(dir: string, port: number, more: Readonly<Record<string, string>> = {}): string {
  const checkout = join(dir, 'trigger-shop');
  for (const [path, text] of Object.entries({ ...filesOf(port), ...more })) {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), text);
  }
  return checkout;
}
