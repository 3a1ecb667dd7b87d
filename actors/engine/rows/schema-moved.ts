/** A plan has changed an entity while a call waited that holds its old model. The caller may retry (503). */
import { Busy } from '#actors/protocol/busy.ts';

export class SchemaMoved extends Busy {
  constructor(entity: string) {
    super(`the schema of ${entity} has changed meanwhile`);
  }
}
