/** The refusal of a name that is no field. */
import { shown } from '#actors/kit/shown.ts';
import { failure, type Failure } from './failure.ts';
import type { EntityModel } from './model.ts';

/** 422 that names the field, cut when the name is long. A computed field can be selected alone. */
export function unknownField(model: EntityModel, name: string): Failure {
  if (model.computed.has(name))
    return failure(
      422,
      `${name} of ${model.name} is computed: it is shown where it is selected, and nothing else can be asked of it`,
      {
        fields: { [name]: ['is computed'] },
      },
    );
  return failure(422, `${model.name} has no field ${shown(name)}`, { fields: { [shown(name)]: ['is not a field'] } });
}
