/** A product whose cron triggers write notes and call an action, and the clock of a node that has ended, which a test sets ahead. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSlotFile } from '#storage/slot-file.ts';

const FILES: Readonly<Record<string, string>> = {
  'product.yaml': 'name: shop\nroles: { clerk: writes notes and closes jobs, boss: has secrets }\n',
  'entities/all.yaml': `entities:
  job:
    fields: { number: { type: string }, status: { type: string, default: open } }
    access: { create: { language: cel, rule: "true" }, read: { language: cel, rule: "true" }, update: { language: cel, rule: "'clerk' in principal.roles" } }
  note:
    fields: { due: { type: string }, trigger: { type: string }, as: { type: string }, at: { type: string } }
    access: { create: { language: cel, rule: "'clerk' in principal.roles" }, read: { language: cel, rule: "true" } }
  secret:
    fields: { text: { type: string } }
    access: { create: { language: cel, rule: "'boss' in principal.roles" } }
`,
  'actions/close.yaml': `name: close
access: { language: cel, rule: "'clerk' in principal.roles" }
sections:
  read: { sql: select number from job where status = 'closed' }
  update:
    params: { status: { type: string, required: true } }
    sql: update job set status = 'closed' where status = :status
`,
  'triggers/nightly.yaml': `on: { cron: "0 */5 * * *", timezone: Europe/Berlin }
script:
  role: clerk
  source: |
    db.create('note', { due: request.data.due, trigger: request.trigger, as: request.event, at: request.timestamp });
    return null;
`,
  'triggers/closing.yaml': `on: { cron: "0 */5 * * *", timezone: Europe/Berlin }
action: { role: clerk, name: close, section: update, params: { status: done } }
`,
  'triggers/denied.yaml': `on: { cron: "0 */5 * * *", timezone: Europe/Berlin }
script: { role: clerk, source: "db.create('secret', { text: 'x' });" }
`,
  'triggers/leap.yaml': `on: { cron: "0 0 29 feb *" }
script: { role: clerk, source: "return null;" }
`,
};

/** Writes the checkout below `dir`, and gives its path. `files` are written over those of the shop; an empty text leaves one out. */
export function writeCronShop(dir: string, files: Readonly<Record<string, string>> = {}): string {
  const checkout = join(dir, 'cron-shop');
  for (const [name, text] of Object.entries({ ...FILES, ...files })) {
    if (text === '') continue;
    mkdirSync(dirname(join(checkout, name)), { recursive: true });
    writeFileSync(join(checkout, name), text);
  }
  return checkout;
}

/**
 * The next node of a data directory begins at an instant, in milliseconds since the epoch: at most a day ahead of the machine's clock, since a node
 * believes no floor that is further ahead (limits.clock.behindMsMax).
 */
export function setClock(dataDir: string, ms: number): void {
  const file = join(dataDir, 'clock');
  rmSync(file, { force: true });
  const slots = openSlotFile(file);
  slots.write(ms);
  slots.close();
}
