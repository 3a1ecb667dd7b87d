/** Lines of a program that ask for the rows of a view by the client (docs/how-to/client.md). Pure. */
import type { EntityDoc } from './shapes.ts';
import { valueOf } from './value.ts';
import type { Condition, View } from './view.ts';

export function codeOf({ conditions, order, deleted }: View, entity: EntityDoc): string {
  const query = {
    ...(conditions.length > 0 && { where: { AND: conditions.map((one) => conditionOf(one, entity)) } }),
    ...(order.length > 0 && { orderBy: order }),
    ...(deleted && { deleted }),
    limit: 100,
  };
  return `const rows = await skep.from(${JSON.stringify(entity.name)}).list(${JSON.stringify(query, null, 2)});`;
}

function conditionOf({ field: path, op, value }: Condition, { fields }: EntityDoc): object {
  const name = path.replace(/^\[(.*)\]$/, '$1');
  const field = fields.find((one) => one.name === name);
  const typed = (text: string): unknown => (field === undefined ? text : valueOf(text, { ...field, nullable: false }));
  if (op === 'null') return { [name]: { null: value !== 'false' } };
  const isList = op === 'in' || op === 'nin' || op === 'between';
  return { [name]: { [op]: isList ? value.split(',').map(typed) : typed(value) } };
}
