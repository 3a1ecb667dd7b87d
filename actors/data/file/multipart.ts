/**
 * A row out of the parts of a body, or changes of one (docs/contract/data.md §6.2): text parts are fields, file parts go to the blob store. A blob is durable
 * under its name before the row that names it is staged; a blob that no row names is swept.
 */
import type { Readable } from 'node:stream';
import { limits } from '#config/limits.ts';
import { BodyCut } from '#actors/host/body-stream.ts';
import type { Call } from '#actors/host/call.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { Bound } from '#actors/kit/bound.ts';
import type { Input } from '#actors/kit/field-check.ts';
import { FileValue } from '#config/values/file-value.ts';
import { MultipartFault, readParts } from '#actors/kit/file/multipart.ts';
import { uploadFile, type Uploaded } from '#actors/kit/file/upload.ts';
import { parseExactJson } from '#actors/kit/json.ts';
import { Refused } from '#actors/kit/refused.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { grantOf } from '#actors/engine/rows/access.ts';
import { denied, isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import type { Written } from '#actors/engine/rows/write.ts';
import { claimKey } from '#actors/host/idempotency/replay.ts';
import { shown } from '#actors/kit/shown.ts';
import { partOf } from '../part.ts';
import { busy, refuse } from '../refusals.ts';
import { parametersOf, requestOf, sessionOf } from '../rest/session.ts';
import { datastoreFailure } from '../rest/written.ts';
import { enact } from '../script/enacting.ts';
import { sweepSometimes } from './sweep.ts';

type Request = ReturnType<typeof requestOf>;

/** What is done with the parts, and how that is answered. */
export interface Writing<O> {
  readonly action: 'create' | 'update';
  /** Of the row that is changed, as the path has it. */
  readonly id: string | null;
  stage(session: Session, input: Input, request: Request): Written | Failure;
  /** Null where the parts fit the row of the path. */
  misplaced(input: Input): O | null;
  /** Null where the write may stand. */
  stale(written: Written): O | null;
  failed(failure: Failure): O;
  /** A refusal that was thrown; throws on what is none of its route. */
  refused(error: unknown): O;
  answer(session: Session, written: Written, beganMs: number): O;
}

type Unfit = Refusal<'v2.multipart_parse' | 'v2.multipart_empty'> | ReturnType<typeof busy>;

const running = new Bound(limits.data.uploadsRunningMax);
/** Texts that are tried as JSON literals first. */
const LITERAL = /^[{["\-tfn0-9]/;

/** The caller has looked up the entity. */
export async function writeMultipart<O>(call: Call, model: EntityModel, writing: Writing<O>): Promise<O | Unfit> {
  const refused = datastoreFailure(parametersOf(call)) ?? deniedAtOnce(call, model, writing);
  if (refused !== null) return writing.failed(refused);
  if (!running.take()) return busy('too many uploads run now');
  const form = new Form(call, model, writing);
  try {
    const parts = await readParts(call.header('content-type') ?? '', call.stream!, form);
    return parts === 0 ? refuse('v2.multipart_empty') : await form.write();
  } catch (error) {
    if (error instanceof MultipartFault || error instanceof BodyCut)
      return refuse('v2.multipart_parse', { message: error.message });
    return writing.refused(error);
  } finally {
    running.give();
    await form.drop();
  }
}

/** Refuses a caller who may write nothing of the entity before the rest of the body is read. */
function deniedAtOnce<O>(call: Call, model: EntityModel, { action, id }: Writing<O>): Failure | null {
  const request = requestOf(call, action, id, null);
  return grantOf(sessionOf(call), model, action, request) === 'none' ? denied(action, model.name) : null;
}

const unfit = (message: string): Refused => new Refused(refuse('v2.multipart_bad_payload', { message }));

class Form<O> {
  readonly #call: Call;
  readonly #model: EntityModel;
  readonly #writing: Writing<O>;
  readonly #values = new Map<string, unknown>();
  readonly #files: Uploaded[] = [];
  #published = false;

  constructor(call: Call, model: EntityModel, writing: Writing<O>) {
    this.#call = call;
    this.#model = model;
    this.#writing = writing;
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

  /** Writes the row. One with files is first staged as a trial, so that a refused one publishes nothing. */
  async write(): Promise<O> {
    const unknown = [...this.#values.keys()].find((name) => this.#model.named(name) === undefined);
    if (unknown !== undefined) throw unfit(`${this.#model.name} has no field ${shown(unknown)}`);
    const misplaced = this.#writing.misplaced(this.#input);
    if (misplaced !== null) return misplaced;
    await sessionOf(this.#call).yieldTurn(); // another call may hold the tenant
    if (this.#files.length > 0) {
      const tried = await enact<O | Written>(
        this.#call,
        () => this.#stage(),
        () => false,
      );
      if (!isStaged(tried)) return tried;
      this.#call.abort();
      for (const { upload } of this.#files) await upload.publish();
      this.#published = true;
      await sessionOf(this.#call).yieldTurn();
    }
    return enact(this.#call, () => this.#commit());
  }

  /** Commits at once: another turn may come before the caller goes on. */
  #commit(): O {
    const session = sessionOf(this.#call);
    const began = session.clock.now();
    const written = this.#stage();
    if (!isStaged(written)) return written;
    sweepSometimes(this.#call.activation);
    const answer = this.#writing.answer(session, written, began);
    claimKey(this.#call);
    this.#call.commit();
    return answer;
  }

  /** Drops the uploads that were not published. */
  async drop(): Promise<void> {
    if (!this.#published) for (const { upload } of this.#files) await upload.drop();
  }

  get #input(): Input {
    return Object.fromEntries(this.#values);
  }

  /** The answer where nothing may be staged. */
  #stage(): Written | O {
    const { action, id } = this.#writing;
    const data = Object.fromEntries([...this.#values].map(([name, value]) => [name, FileValue.record(value) ?? value]));
    const request = requestOf(this.#call, action, id, data);
    const written = this.#writing.stage(sessionOf(this.#call), this.#input, request);
    if (isFailure(written)) return this.#writing.failed(written);
    return this.#writing.stale(written) ?? written;
  }
}

const isStaged = <O>(outcome: O | Written): outcome is Written => (outcome as { kind?: unknown }).kind === 'written';

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
