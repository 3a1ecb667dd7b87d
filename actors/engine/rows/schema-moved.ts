/** A plan has changed an entity while somebody who had waited held its old model: he may begin anew (503). */
import { Busy } from '#actors/protocol/busy.ts';

export class SchemaMoved extends Busy {
  constructor(entity: string) {
    super(`the schema of ${entity} has changed meanwhile`);
  }
}
