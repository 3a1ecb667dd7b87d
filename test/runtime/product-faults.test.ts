/** What `skep check` finds in rules: names that name nothing, with file, line and column, and the nearest that does (U2). */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import { renderProblems } from '#config/problem.ts';
import { faultText } from '#actors/kit/part-fault.ts';
import { everyFault, productFaults } from '#runtime/product-faults.ts';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

async function faultsOf(files: Readonly<Record<string, string>>, faultsIn = productFaults): Promise<string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'skep-faults-'));
  dirs.push(dir);
  for (const [name, text] of Object.entries({ 'product.yaml': 'name: shop\n', ...files })) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  const loaded = loadProduct(dir, { env: {} });
  if ('problems' in loaded) throw new Error(renderProblems(loaded.problems));
  const found = await faultsIn(loaded.product);
  return found.map((fault) => faultText(fault).replaceAll(`${dir}/`, ''));
}

const LEAVE = `entities:
  leave:
    fields:
      requester: { type: string }
      state: { type: enum, enum: [open, closed] }
      days: { type: integer }
      notes: { type: json }
    traits: [timestamps, versioned]
    access:
      read: { language: cel, rule: "row.requestor == principal.subject" }
      create: { language: cel, rule: "request.data.requester == principal.subject && row.notes.any.thing == 1" }
    row_rule: { language: cel, rule: "row.created_at != null && row.version > 0 && row.deleted_at == null" }
`;

test('in rules of entities', async () => {
  expect(await faultsOf({ 'entities/leave.yaml': LEAVE })).toEqual([
    'entities/leave.yaml:10:30 (leave.access.read): there is no "requestor" in row; did you mean "requester"?',
    'entities/leave.yaml:12:32 (leave.row_rule): there is no "deleted_at" in row; known here: id, requester, state, days, notes, created_at, updated_at, version',
  ]);
});

test('in paths over references, and paths that cannot be followed', async () => {
  const found = await faultsOf({
    'entities/desk.yaml': `entities:
  ticket:
    fields:
      requester: { type: string }
      after_id: { type: ref, ref: { entity: ticket } }
    access:
      read: { language: cel, rule: "row.after.after.after.after.requester == 'u'" }
  comment:
    fields:
      ticket_id: { type: ref, ref: { entity: ticket } }
    access:
      read: { language: cel, rule: "row.ticket.requestr == principal.subject" }
      update: { language: cel, rule: "row.ticket_id.requester == principal.subject" }
      delete: { language: cel, rule: "has(row.ticket.requester)" }
    row_rule: { language: cel, rule: "row.ticket.requester == principal.subject && row.ticket.after.requester != null" }
`,
  });
  expect(found).toEqual([
    'entities/desk.yaml:14:32 (comment.access.delete): a path over a reference takes no has(): write it plainly; where it leads to no row it has no value, and the rule denies',
    'entities/desk.yaml:7:30 (ticket.access.read): row.after.after.after.after.requester follows 4 references, and a rule may follow 3: keep the value in a row that is nearer',
    'entities/desk.yaml:12:30 (comment.access.read): there is no "requestr" in row.ticket; did you mean "requester"?',
    'entities/desk.yaml:13:32 (comment.access.update): row.ticket_id has no members, and so no "requester"; write row.ticket.requester to follow the reference',
  ]);
});

const WELL = LEAVE.replace('requestor', 'requester').replace(' && row.deleted_at == null', '');

test('in guards, in rules of actions, in computed fields, in rules of stores', async () => {
  const found = await faultsOf(
    {
      'entities/leave.yaml': WELL,
      'entities/person.yaml': `entities:
  person:
    fields:
      name: { type: string }
      taken: { type: number, materialize: { from: entry.person_id, value: cel, of: "row.dayz * 2" } }
    access: {}
  entry:
    fields:
      person_id: { type: ref, ref: { entity: person } }
      days: { type: integer }
    access: {}
`,
      'stateflows/leave.yaml': `name: approval
entity: leave
field: state
initial: open
states:
  open: { events: { close: { target: closed, guard: "row.requestr != principal.subjekt" } } }
  closed: {}
`,
      'actions/count.yaml': `name: count
access: { language: cel, rule: "request.data.frm != '' && principal.rolls != null" }
sections:
  read: { params: { from: { type: string } }, sql: "select count(*) as n from leave where requester = :from" }
`,
    },
    everyFault,
  );
  expect(found).toEqual([
    expect.stringMatching(
      /^stateflows\/leave\.yaml:6:\d+ \(approval\.close\): there is no "requestr" in row; did you mean "requester"\?$/,
    ),
    expect.stringMatching(
      /^stateflows\/leave\.yaml:6:\d+ \(approval\.close\): there is no "subjekt" in principal; did you mean "subject"\?$/,
    ),
    expect.stringMatching(
      /^actions\/count\.yaml:2:\d+ \(count\.read\): there is no "frm" in request\.data; did you mean "from"\?$/,
    ),
    expect.stringMatching(
      /^actions\/count\.yaml:2:\d+ \(count\.read\): there is no "rolls" in principal; did you mean "roles"\?$/,
    ),
    expect.stringMatching(
      /^entities\/person\.yaml:\d+:\d+ \(person\.taken\): there is no "dayz" in row; did you mean "days"\?$/,
    ),
  ]);
});

test('in rules of content: rows of a store are assets, folders and tags with what extends them, and an app has none', async () => {
  const found = await faultsOf({
    'content/stores/stores.yaml': `contentstores:
  - name: media
    type: native
    access:
      readasset: { language: cel, rule: "row.nmae != '' && row.tags.any.thing && row.rights == 'free'" }
      updatefolder: { language: cel, rule: "row.path != '' && row.title != ''" }
      deletetag: { language: cel, rule: "row.name == 'x' && request.off == 'media'" }
`,
    'content/extend/asset.yaml': `entities:
  asset:
    fields: { rights: { type: string, nullable: true } }
    access: {}
`,
    'content/types/blog.post.yaml': `entities:
  post:
    fields: { title: { type: string } }
    access: {}
`,
    'content/apps/site/app.yaml': `name: site
contenttypes: [blog.post]
contentstore: media
access:
  read: { language: cel, rule: "row.title != ''" }
`,
  });
  expect(found.map((line) => line.replace(/; .*/, ''))).toEqual([
    'content/stores/stores.yaml:5:41: there is no "nmae" in row',
    'content/stores/stores.yaml:6:44: there is no "title" in row',
    'content/stores/stores.yaml:7:41: there is no "off" in request',
    'content/apps/site/app.yaml:5:32: row is always null here, and so has no "title"',
  ]);
});

test('a product that is well has none', async () =>
  expect(await faultsOf({ 'entities/leave.yaml': WELL }, everyFault)).toEqual([]));
