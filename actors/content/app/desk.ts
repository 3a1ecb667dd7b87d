/** What each route of an app begins with: the app, the type, the permission, and the rules under which rows are reached. */
import type { AppOperation, ContentTypeDefinition } from '#config/definitions/content/shapes.ts';
import type { AccessOperation } from '#config/definitions/product.ts';
import type { Call } from '#actors/host/call.ts';
import { demand } from '../judge.ts';
import { appOf, typeOf, type OpenApp } from '../part.ts';
import { Rows } from '../rows.ts';

export class Desk {
  readonly call: Call;
  readonly app: OpenApp;
  readonly type: ContentTypeDefinition;

  constructor(call: Call) {
    this.call = call;
    this.app = appOf(call);
    this.type = typeOf(this.app, call.param('type'));
  }

  get entity(): string {
    return this.type.entity;
  }

  get locale(): OpenApp['definition']['locale'] {
    return this.app.definition.locale;
  }

  /** The field that holds a path's id: a document with locales has an id besides those of its rows. */
  get key(): 'document_id' | 'id' {
    return this.locale === null ? 'id' : 'document_id';
  }

  /**
   * Rows for an operation. The app's own rule decides when it has one; else the type's, in the data service and under the caller's
   * credential; without either, the posture of the platform file. 401 or 403.
   */
  rows(operation: AppOperation, data?: object): Rows {
    const { call, app, entity } = this;
    const access = call.activation.product.entities[entity]?.access ?? {};
    const byType = operation === 'preview' ? false : access[operation satisfies AccessOperation] !== undefined;
    if (byType && !app.judge.rules.has(operation)) return new Rows(call, 'caller');
    demand(call, app.judge, { operation, of: app.name, ...(data !== undefined && { data }) });
    return new Rows(call, 'internal');
  }
}
