/** A product with tickets that submissions become, and forms of a node that go to its tenants. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OTHER_TENANT, TENANT } from './platform-file.ts';

const PRODUCT: Readonly<Record<string, string>> = {
  'product.yaml': 'name: shop\nroles: { desk: files what people submit, agent: answers }\n',
  'entities/all.yaml': `entities:
  ticket:
    fields:
      subject: { type: string, max_length: 40 }
      requester: { type: string }
      reference: { type: string }
      channel: { type: string, default: phone }
    access:
      create: { language: cel, rule: "'desk' in principal.roles" }
      read: { language: cel, rule: "true" }
      update: { language: cel, rule: "true" }
  secret:
    fields: { text: { type: string } }
    access: { create: { language: cel, rule: "'agent' in principal.roles" } }
  note:
    fields: { of: { type: string } }
    access: { create: { language: cel, rule: "'desk' in principal.roles" }, read: { language: cel, rule: "true" } }
`,
  'triggers/contact.yaml': `on: { form: contact }
row:
  role: desk
  entity: ticket
  fields: { subject: subject, requester: email, reference: $id }
  values: { channel: web }
`,
  'triggers/denied.yaml': `on: { form: denied }
row: { role: desk, entity: secret, fields: { text: subject } }
`,
  'triggers/asked.yaml': `on: { form: asked }
script:
  role: desk
  source: |
    if (request.data.fields.subject === 'refuse') throw new Error('not now');
    db.create('note', { of: request.data.form + ' ' + request.data.fields.subject + ' ' + request.event });
    return null;
`,
};

const fields = `fields:
  subject: { type: string, required: true, max_length: 200 }
  email: { type: email }
person: email
`;
const FORMS: Readonly<Record<string, string>> = {
  'contact.yaml': `id: contact\ntenant: ${TENANT}\n${fields}`,
  'denied.yaml': `id: denied\ntenant: ${TENANT}\n${fields}`,
  'asked.yaml': `id: asked\ntenant: ${TENANT}\n${fields}`,
  'free.yaml': `id: free\ntenant: ${TENANT}\nretention: 720h\n${fields}`,
  'elsewhere.yaml': `id: elsewhere\ntenant: ${OTHER_TENANT}\n${fields}`,
  'plain.yaml': `id: plain\n${fields}`,
};

/** Writes both below `dir`; the keys of a platform that serves them. */
export function writeDesk(dir: string): { readonly localdir: string; readonly forms: string } {
  write(join(dir, 'desk'), PRODUCT);
  write(join(dir, 'desk-forms'), FORMS);
  return { localdir: join(dir, 'desk'), forms: `{ dir: ${join(dir, 'desk-forms')} }` };
}

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}
