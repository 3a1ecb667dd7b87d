/** docs/contract/data.md §6, what changes rows: create, update, delete and restore, the operations envelope, import and export. */
import { expect } from 'vitest';
import type { Depot } from '#test/kit/depot.ts';
import type { Proofs } from './rows.ts';

const WRITE = 'test/scenario/data-write.test.ts';
const FILES = 'test/scenario/data-files.test.ts';
const BULK = 'test/scenario/data-bulk.test.ts';
const OPERATIONS = 'test/actors/data/operations.test.ts';
const UNAVAILABLE = 'test/actors/data/unavailable.test.ts';
const VERSIONS = 'test/actors/data/versions.test.ts';

type Tables = 'Create' | 'Update' | 'Delete and restore' | 'Operations envelope' | 'Bulk import and export';

export function writing(depot: () => Depot): { readonly [T in Tables]: Proofs<T> } {
  const write = (title: string) => ({ file: WRITE, title });
  const files = (title: string) => ({ file: FILES, title });
  const bulk = (title: string) => ({ file: BULK, title });
  const fault = { file: UNAVAILABLE, title: 'when the turn could not run' };
  const noTenant = {
    file: 'test/scenario/door.test.ts',
    title: 'a configured tenant that is not provisioned: 403 v2.no_tenant',
  };
  return {
    Create: {
      '201 with the created row': write('Create: 201 with the created row in data'),
      '400 v2.bad_json': write('Create: v2.bad_json'),
      '404 v2.entity_not_found': write('Create: v2.entity_not_found'),
      '403 v2.create_failed': write('Create: 403 v2.create_failed on denial'),
      '422 v2.create_failed with every fault': write('Create: 422 v2.create_failed on validation'),
      '404 v2.create_failed': {
        unreachable: 'an unknown entity is v2.entity_not_found, and a create looks for no row',
      },
      '500 v2.create_failed': fault,
      'multipart: text parts are literals first, then strings': files(
        'text parts become fields, literals first; the row shows name, type, size and digest of its file',
      ),
      'multipart: file parts': files(
        'text parts become fields, literals first; the row shows name, type, size and digest of its file',
      ),
      '400 v2.multipart_parse': files('no multipart body'),
      '400 v2.multipart_empty': files('no parts'),
      '400 v2.multipart_bad_payload: undeclared field': files('a file for an undeclared field'),
      '400 v2.multipart_bad_payload: no file field': files('a file for a field of another type'),
      '400 v2.multipart_bad_payload: more than one file': files('two files for one field'),
      '501 v2.file_storage_unconfigured': {
        file: 'test/actors/data/file/unconfigured.test.ts',
        title:
          '501 v2.file_storage_unconfigured where no file storage is configured; a form without files is an ordinary create',
      },
      'in-memory cap 32 MiB, then the disk': {
        unreachable: 'files go to the disk from their first byte, so no cap is ever met in memory',
      },
    },
    Update: {
      'PUT and PATCH, key in the path: partial, 200 with the row': write('Update: 200 with the row, key in the path'),
      'PUT and PATCH, key in the body': write('Update: PUT, key in the body'),
      '400 v2.bad_json': write('Update: v2.bad_json'),
      '400 v2.missing_id': write('Update: v2.missing_id'),
      '422 v2.id_mismatch': write('Update: v2.id_mismatch'),
      '403 v2.update_failed': write('Update: 403 on denial'),
      '404 v2.update_failed': write('Update: 404 on a missing row'),
      '422 v2.update_failed': write('Update: 422 on validation'),
      '500 v2.update_failed': fault,
    },
    'Delete and restore': {
      'soft by default: the post-image with its markers': write(
        'soft delete: post-image, hidden unless deleted=true; purge: the row as it last existed',
      ),
      'purge: the row as it last existed': write(
        'soft delete: post-image, hidden unless deleted=true; purge: the row as it last existed',
      ),
      'purge bypasses versions': {
        file: VERSIONS,
        title: 'that never was, and all after a purge: 404 v2.row_not_found',
      },
      'purge adds the purge rule': write('Delete: 403 by the purge rule'),
      'deletechildren is ignored': write('Delete: deletechildren is ignored'),
      'datastore, stats': async () => {
        const id = await depot().box();
        const elsewhere = await depot().send('DELETE', `rest/box/id/${id}?datastore=x`);
        expect([elsewhere.status, elsewhere.json.code]).toEqual([422, 'v2.delete_failed']);
        const here = await depot().send('DELETE', `rest/box/id/${id}?datastore=default&stats=true`);
        expect(here.json.stats).toMatchObject({ rows_affected: 1, total_count: 1, include_sql: [] });
      },
      'delete 400 v2.bad_path': write('400 v2.bad_path for %s %s'),
      'delete 403 v2.delete_failed': write('Delete: 403 by the purge rule'),
      'delete 404 v2.delete_failed': write('Delete: 404'),
      'delete 422 v2.delete_failed': write('Delete: 422 while references hold the row'),
      'delete 500 v2.delete_failed': fault,
      'restore: no body, 200': write('Restore: no body, 200'),
      'restore 400 v2.bad_path': write('400 v2.bad_path for %s %s'),
      'restore 403 v2.restore_failed': write('Restore: 403'),
      'restore 404 v2.restore_failed': write('Restore: 404'),
      'restore 422 v2.restore_failed': write('Restore: 422 for a live row'),
      'restore 500 v2.restore_failed': fault,
    },
    'Operations envelope': {
      'all in one transaction, answered in input order': {
        file: OPERATIONS,
        title: 'in input order, each with its rows and how many it changed',
      },
      'action defaults from the verb': async () => {
        const id = await depot().box();
        const actionOf = async (method: string, data: object) =>
          (await depot().send(method, 'rest', { operations: [{ data: { box: data } }] })).json.operations[0]!.action;
        expect(await actionOf('POST', { name: 'x' })).toBe('create');
        expect(await actionOf('PUT', { id, count: 2 })).toBe('update');
        expect(await actionOf('PATCH', { id, count: 3 })).toBe('update');
        expect(await actionOf('DELETE', { id })).toBe('delete');
      },
      'create, update, delete, restore, upsert': async () => {
        const id = await depot().box();
        const operations = [
          { action: 'create', data: { box: { name: 'made' } } },
          { action: 'update', data: { box: { id, count: 9 } } },
          { action: 'delete', data: { box: { id } } },
          { action: 'restore', data: { box: { id } } },
          { action: 'upsert', data: { box: { id, name: 'put' } } },
        ];
        const { json } = await depot().send('POST', 'rest', { operations });
        expect(json.operations.map(({ action, entity, affected_rows: rows }) => [action, entity, rows])).toEqual(
          operations.map(({ action }) => [action, 'box', 1]),
        );
        expect(Object.keys(json.operations[0]!)).toEqual(['action', 'entity', 'data', 'affected_rows']);
      },
      'stats=true: operations_run, operations_ok, operations_fail': {
        file: OPERATIONS,
        title: '?stats=true counts the operations',
      },
      'update, delete, restore read id; upsert conflicts on id': async () => {
        const id = await depot().box({ name: 'before' });
        const send = (action: string, box: object) =>
          depot().send('POST', 'rest', { operations: [{ action, data: { box } }] });
        for (const action of ['update', 'delete', 'restore'])
          expect((await send(action, { name: 'x' })).json).toMatchObject({ code: 'v2.bulk_failed' });
        expect((await send('upsert', { id, name: 'after' })).json.operations[0]!.data[0]).toMatchObject({
          id,
          version: 2,
        });
      },
      'only create takes an array': write('Envelope: an array only on create'),
      'one entity per operation': write('Envelope: one entity per operation'),
      'datastore applies to the batch': async () => {
        const operations = [{ data: { box: { name: 'x' } } }];
        expect((await depot().send('POST', 'rest?datastore=x', { operations })).json.code).toBe('v2.bulk_failed');
        expect((await depot().send('POST', 'rest?datastore=default', { operations })).status).toBe(200);
      },
      'a hard delete is {id, purge: true}': async () => {
        const id = await depot().box();
        await depot().send('DELETE', 'rest', { operations: [{ data: { box: { id, purge: true } } }] });
        expect((await depot().send('GET', `rest/box/id/${id}?deleted=true`)).status).toBe(404);
      },
      '400 v2.body_read': write('Envelope: v2.body_read'),
      '400 v2.bad_json': write('Envelope: v2.bad_json'),
      '400 v2.empty_envelope': write('Envelope: v2.empty_envelope'),
      '403 v2.no_tenant': noTenant,
      '422 v2.bulk_failed, everything rolled back': async () => {
        const before = await depot().total('box');
        const operations = [{ data: { box: { name: 'kept?' } } }, { data: { box: {} } }];
        const { status, json } = await depot().send('POST', 'rest', { operations });
        expect([status, json.code, json.details['operation']]).toEqual([422, 'v2.bulk_failed', 1]);
        expect(await depot().total('box')).toBe(before);
      },
      '500 v2.engine_unavailable': fault,
    },
    'Bulk import and export': {
      'entity: 400 v2.missing_entity': bulk('no entity'),
      'format: csv, json, jsonl, ndjson; json when absent': bulk('json is the default format: an array of objects'),
      'format: 400 v2.bad_format': bulk('another format'),
      datastore: bulk('another datastore'),
      'chunk: 1000; what is no positive number falls back': async () => {
        const rows = [{ name: 'a' }, { name: 'b' }, { name: '' }];
        const imported = async (chunk: string) =>
          ((await depot().send('POST', `bulk?entity=box&chunk=${chunk}`, rows)).json as unknown as { imported: number })
            .imported;
        expect(await imported('1')).toBe(2);
        for (const chunk of ['', '0', '-5', 'many', '1.5']) expect([chunk, await imported(chunk)]).toEqual([chunk, 0]);
      },
      skiperrors: bulk('skiperrors=true goes on past refused and unreadable rows, and names each by its line'),
      'limit: 10000': bulk('json is the default: an array in key order, the cap by default 10000'),
      fields: bulk('jsonl, some fields, equality filters, order, limit'),
      'filter: repeatable, equality': bulk('jsonl, some fields, equality filters, order, limit'),
      'orderby: - descends': bulk('jsonl, some fields, equality filters, order, limit'),
      'import: {imported, skipped, errors}': async () => {
        const { status, json } = await depot().send('POST', 'bulk?entity=box', [{ name: 'bulk' }]);
        expect([status, json]).toEqual([200, { imported: 1, skipped: 0, errors: [] }]);
      },
      'export: content types, attachment of CSV': async () => {
        const typeOf = async (format: string) =>
          (await depot().send('PATCH', `bulk?entity=box&limit=1&format=${format}`)).headers.get('content-type');
        expect(await typeOf('csv')).toBe('text/csv; charset=utf-8');
        for (const format of ['jsonl', 'ndjson'])
          expect(await typeOf(format)).toBe('application/x-ndjson; charset=utf-8');
        expect(await typeOf('json')).toBe('application/json; charset=utf-8');
      },
      'validation, access rules, row-level security on every row': bulk(
        'the row rule and unknown references count for each row; a denied row is an error of its own',
      ),
      'audit on every row': {
        file: 'test/actors/data/record-change.test.ts',
        title: 'a chunk of an import is one record that lists every row',
      },
      '403 v2.no_tenant': noTenant,
      '500 v2.import_failed': fault,
      '500 v2.engine_unavailable': fault,
      'no mirror': bulk('GET, PUT and DELETE are not declared, and there is no mirror'),
    },
  };
}
