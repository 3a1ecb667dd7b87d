/**
 * The changes of a tenant that are kept for its subscribers: staged in the commit of the rows that they report, so that after a crash both exist or
 * neither does (docs/contract/changes.md §2, docs/decisions/changes.md). Only entities that declare `changes` come here.
 */
import { hash } from 'node:crypto';
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { ChangeWatch } from '#actors/host/row-watch.ts';
import { Work } from '#actors/host/work.ts';
import type { Models } from '#actors/engine/rows/models.ts';
import type { FedChange } from '#actors/protocol/turn-owner.ts';
import { endPlaces } from './group/store.ts';
import { numberAfter } from './position.ts';
import { findHead, putEntry, putHead, schemaOf } from './store.ts';
import type { ChangeEntry, ChangeHead, Lookup, Turn } from './store.ts';

interface LogPorts {
  /** The entities as they are served now. */
  models(): Models;
  /** Changes are on the disk: subscribers can be told. */
  durable(): void;
  /** Changes were committed: there may be some to remove. */
  grown(head: ChangeHead): void;
}

export class ChangeLog implements ChangeWatch {
  readonly #activation: Activation;
  readonly #ports: LogPorts;
  #form: { readonly of: Models; readonly text: string } | null = null;

  constructor(activation: Activation, ports: LogPorts) {
    this.#activation = activation;
    this.#ports = ports;
  }

  stage(turn: Turn, changes: readonly FedChange[]): void {
    const { context, store } = this.#activation;
    const now = context.clock.now();
    const noise = context.random(changes.length);
    let { seq, floor, count, bytes, form } = this.ready(turn);
    const tx = numberAfter(seq, now, noise[0]!);
    for (const [i, change] of changes.entries()) {
      seq = i === 0 ? tx : numberAfter(seq, now, noise[i]!);
      if (!isKept(change)) {
        // What was visible of the row is not known: all subscribers begin anew.
        floor = seq;
        continue;
      }
      bytes += putEntry(turn, seq, { ...change, tx });
      count++;
    }
    const head = { seq, floor, count, bytes, form };
    putHead(turn, head);
    if (!(turn.owner instanceof Work)) return;
    turn.owner.onEnd((newest) => {
      if (newest === null) return;
      store.whenDurable(newest, () => this.#ports.durable());
      this.#ports.grown(head);
    });
  }

  /**
   * The head, staged where there was none, or where the definitions are other ones than those by which the kept changes are read: every position
   * of before is too old then, since other rows and fields may be visible now.
   */
  ready(turn: Turn): ChangeHead {
    const head = findHead(turn);
    const form = this.#formOf(turn);
    if (head?.form === form) return head;
    if (head === undefined) endPlaces(turn);
    return this.#raised(turn, head ?? { seq: 0, floor: 0, count: 0, bytes: 0, form }, form);
  }

  /** Makes all positions too old, and so all kept changes removable. */
  raise(turn: Turn): void {
    const head = this.ready(turn);
    this.#raised(turn, head, head.form);
  }

  #raised(turn: Turn, head: ChangeHead, form: string): ChangeHead {
    const { context } = this.#activation;
    const seq = numberAfter(head.seq, context.clock.now(), context.random(1)[0]!);
    const raised = { ...head, seq, floor: seq, form };
    putHead(turn, raised);
    return raised;
  }

  #formOf(reader: Lookup): string {
    const models = this.#ports.models();
    if (this.#form?.of !== models)
      this.#form = { of: models, text: formOf(this.#activation.product, schemaOf(reader)) };
    return this.#form.text;
  }
}

function isKept(change: FedChange): change is FedChange & Pick<ChangeEntry, 'op'> {
  return change.op !== 'lost';
}

/** A hash over what decides how changes are read, and which of them a subscriber sees; places in files decide nothing. */
function formOf({ entities }: ProductDefinition, schema: Uint8Array): string {
  const text = JSON.stringify(entities, (key, value: unknown) =>
    key === 'where' && typeof value === 'string' ? undefined : value,
  );
  return hash('sha256', Buffer.concat([schema, Buffer.from(text)]), 'base64');
}
