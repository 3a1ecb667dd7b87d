/**
 * POST /data/rest/{entity} as multipart (docs/contract/data.md §6.2): text parts are fields, file parts go to the blob store. A blob is durable
 * under its name before the row that names it is staged; a blob that no row names is swept.
 */
import type { Readable } from 'node:stream';
import { limits } from '#config/limits.ts';
import { BodyCut } from '#actors/host/body-stream.ts';
import type { Call } from '#actors/host/call.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { Bound } from '#actors/kit/bound.ts';
import { FileValue } from '#config/values/file-value.ts';
import { MultipartFault, readParts } from '#actors/kit/file/multipart.ts';
import { uploadFile } from '#actors/kit/file/upload.ts';
import type { Uploaded } from '#actors/kit/file/upload.ts';
import { parseExactJson } from '#actors/kit/json.ts';
import { refusalOf, Refused } from '#actors/kit/refused.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { grantOf } from '#actors/engine/rows/access.ts';
import { createRow } from '#actors/engine/rows/create.ts';
import { denied, isFailure } from '#actors/engine/rows/failure.ts';
import type { Failure } from '#actors/engine/rows/failure.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { claimKey } from '#actors/host/idempotency/replay.ts';
import { shown } from '#actors/kit/shown.ts';
import { partOf } from '../part.ts';
import { busy, refuse } from '../refusals.ts';
import { failed } from '../rest/failed.ts';
import { parametersOf, requestOf, sessionOf } from '../rest/session.ts';
import { datastoreFailure, writtenReply } from '../rest/written.ts';
import { routes } from '../routes.ts';
import type { Routes } from '../routes.ts';
import { enact } from '../script/enacting.ts';
import { sweepSometimes } from './sweep.ts';

type Created = Outcome<Routes['create']>;

const running = new Bound(limits.data.uploadsRunningMax);
/** Texts that are tried as JSON literals first. */
const LITERAL = /^[{["\-tfn0-9]/;

/** Creates a row from the parts of a body. The caller has looked up the entity. */
export async function createMultipart(call: Call, model: EntityModel): Promise<Created> {
  const refused = datastoreFailure(parametersOf(call)) ?? deniedAtOnce(call, model);
  if (refused !== null) return failed('v2.create_failed', refused);
  if (!running.take()) return busy('too many uploads run now');
  const form = new Form(call, model);
  try {
    const parts = await readParts(call.header('content-type') ?? '', call.stream!, form);
    return parts === 0 ? refuse('v2.multipart_empty') : await form.create();
  } catch (error) {
    if (error instanceof MultipartFault || error instanceof BodyCut)
      return refuse('v2.multipart_parse', { message: error.message });
    return refusalOf(error, routes.create.refusals);
  } finally {
    running.give();
    await form.drop();
  }
}

/** Refuses a caller who may create nothing before the rest of the body is read. */
function deniedAtOnce(call: Call, model: EntityModel): Failure | null {
  const request = requestOf(call, 'create', null, null);
  return grantOf(sessionOf(call), model, 'create', request) === 'none' ? denied('create', model.name) : null;
}

const unfit = (message: string): Refused => new Refused(refuse('v2.multipart_bad_payload', { message }));

class Form {
  readonly #call: Call;
  readonly #model: EntityModel;
  readonly #values = new Map<string, unknown>();
  readonly #files: Uploaded[] = [];
  #published = false;

  constructor(call: Call, model: EntityModel) {
    this.#call = call;
    this.#model = model;
  }

  field(name: string, text: string): void {
    if (this.#values.has(name)) throw unfit(`${shown(name)} is there twice`);
    this.#values.set(name, valueOf(this.#model, name, text));
  }

  async file(name: string, content: Readable, filename: string, contentType: string): Promise<void> {
    const column = this.#model.named(name);
    if (column === undefined) throw unfit(`${this.#model.name} has no field ${shown(name)}`);
    if (column.type !== 'file') throw unfit(`${name} is not a file field`);
    if (this.#values.has(name)) throw unfit(`${name} takes one file`);
    this.#values.set(name, null); // a second part of this name is refused from here on
    const blobs = partOf(this.#call.activation).files;
    if (blobs === null)
      throw new Refused(refuse('v2.file_storage_unconfigured', { message: 'this node stores no files' }));
    const uploaded = await uploadFile(blobs, content, filename, contentType);
    this.#files.push(uploaded);
    // A browser sends an empty part where its user chose no file.
    if (filename !== '' || uploaded.value.size > 0) this.#values.set(name, uploaded.value);
    else this.#values.delete(name);
  }

  /** Creates the row. One with files is first staged as a trial, so that a refused one publishes nothing. */
  async create(): Promise<Created> {
    const unknown = [...this.#values.keys()].find((name) => this.#model.named(name) === undefined);
    if (unknown !== undefined) throw unfit(`${this.#model.name} has no field ${shown(unknown)}`);
    await sessionOf(this.#call).yieldTurn(); // another call may hold the tenant
    if (this.#files.length > 0) {
      const tried = await enact(
        this.#call,
        () => this.#stage(),
        () => false,
      );
      if (isFailure(tried)) return failed('v2.create_failed', tried);
      this.#call.abort();
      for (const { upload } of this.#files) await upload.publish();
      this.#published = true;
      await sessionOf(this.#call).yieldTurn();
    }
    return enact(this.#call, () => this.#write());
  }

  /** Commits at once: another turn may come before the caller goes on. */
  #write(): Created {
    const session = sessionOf(this.#call);
    const began = session.clock.now();
    const written = this.#stage();
    if (isFailure(written)) return failed('v2.create_failed', written);
    sweepSometimes(this.#call.activation);
    const answer = writtenReply(201, session, parametersOf(this.#call), written, began);
    claimKey(this.#call);
    this.#call.commit();
    return answer;
  }

  /** Drops the uploads that were not published. */
  async drop(): Promise<void> {
    if (!this.#published) for (const { upload } of this.#files) await upload.drop();
  }

  #stage(): ReturnType<typeof createRow> {
    const input = Object.fromEntries(this.#values);
    const data = Object.fromEntries([...this.#values].map(([name, value]) => [name, FileValue.record(value) ?? value]));
    const request = requestOf(this.#call, 'create', null, data);
    return createRow(sessionOf(this.#call), this.#model, input, request);
  }
}

/** The JSON literal that a text is, unless the field takes the text and not the literal: a name may be `123`. */
function valueOf(model: EntityModel, name: string, text: string): unknown {
  if (!LITERAL.test(text)) return text;
  const parsed = parseExactJson(text);
  if (!parsed.ok) return text;
  const column = model.named(name);
  if (column === undefined || parsed.value === null) return parsed.value;
  const { of } = FIELD_TYPES[column.type];
  return of(parsed.value) === undefined && of(text) !== undefined ? text : parsed.value;
}
