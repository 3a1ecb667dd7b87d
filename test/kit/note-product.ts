/** A product whose notes tell subscribers of their changes; each is its owner's alone, unless it is open. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NOTE = `entities:
  note:
    fields:
      title: { type: string, nullable: true }
      owner: { type: string, nullable: true }
      open: { type: boolean, default: false }
    traits: [soft_delete, versioned]
    changes: true
    access:
      create: { language: cel, rule: "true" }
      read: { language: cel, rule: "true" }
      update: { language: cel, rule: "true" }
      delete: { language: cel, rule: "true" }
      restore: { language: cel, rule: "true" }
    row_rule: { language: cel, rule: "row.open || principal.type == 'service' || row.owner == principal.subject" }
`;

const GROUPS = '{ mailer: { entity: note, services: true }, desk: { entity: note, roles: [tenant_user] } }';

/** Writes the checkout under `dir` and gives its path. `count`: how many changes are kept. */
export function writeNoteProduct(dir: string, count = 5000): string {
  const checkout = join(dir, 'notes');
  mkdirSync(join(checkout, 'entities'), { recursive: true });
  writeFileSync(
    join(checkout, 'product.yaml'),
    `name: shop\nsessions: { mode: managed }\nchanges: { keep: 1h, count: ${count}, groups: ${GROUPS} }\n`,
  );
  writeFileSync(join(checkout, 'entities', 'note.yaml'), NOTE);
  return checkout;
}
