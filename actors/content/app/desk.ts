/** What each route of an app begins with: the app, the type, who may, and by whose rules rows are reached. */
import type { AppOperation, ContentTypeDefinition } from '#config/definitions/content/shapes.ts';
import type { AccessOperation } from '#config/definitions/product.ts';
import type { Call } from '#actors/host/call.ts';
import { demand } from '../judge.ts';
import { appOf, typeOf } from '../part.ts';
import type { OpenApp } from '../part.ts';
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

  /** The field that a path's id is of: a document of several locales has an id of its own. */
  get key(): 'document_id' | 'id' {
    return this.locale === null ? 'id' : 'document_id';
  }

  /**
   * Rows for an operation. The app's own rule decides where it has one; else the type's, by the data service and under the caller's
   * credential; where neither has, the posture of the platform file. 401 or 403.
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
