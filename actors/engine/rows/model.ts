/** An entity as it is served: its definition over its stored schema, compiled once per activation. */
import type {
  AccessOperation,
  EntityDefinition,
  MaterializeDefinition,
  ProductDefinition,
  ReferenceAction,
} from '#config/definitions/product.ts';
import type { DefaultSource } from '#config/definitions/default-from.ts';
import { RowCheck } from '#actors/kit/field-check.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { DefinitionError, type RowValue, type Rule } from '#actors/kit/rule.ts';
import { attempt, type PartFault } from '#actors/kit/part-fault.ts';
import { maskOf, type Mask } from '#actors/kit/mask.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { desiredEntity } from '../schema/desired.ts';
import type { StoredEntity, StoredType } from '../schema/stored.ts';
import {
  CREATED_AT,
  DELETED_AT,
  DELETED_BY_AT,
  maskingOf,
  padderOf,
  positionOf,
  shaperOf,
  UPDATED_AT,
  VERSION_AT,
} from './codec.ts';
import type { Row, Slots, StoredRow } from './codec.ts';
import { DENIED, entityRules } from './entity-rules.ts';
import { jsonWriterOf } from './json-writer.ts';
import { decodeSlots } from './store.ts';
import { idKey, type Bytes, type IndexKeys } from './keys/store.ts';
import { compareOf, type Compare } from './order.ts';
import { textIndexOf, type TextIndex } from '../search/text-index.ts';
import { servedFields, storedAsDesired, type ServedField } from './served-fields.ts';
import { fieldCheckOr, isKeyText } from './stored-checks.ts';
import { machinesOf, type Machine } from '../machines/machine.ts';
import { rowTriggersOf, type RowTrigger } from '../triggers/row-trigger.ts';
import { computedOf, type ComputedFields } from './computed.ts';
import { conversionsOf, type Conversion } from '../schema/convert.ts';
import type { UnreadRows } from './unread.ts';
import { takesNull } from '#config/values/constraint.ts';
import { viewsOf, type Sight, type Views } from './views.ts';

export interface Column {
  readonly name: string;
  /** The declared type, as `meta` shows it. */
  readonly shownType: string;
  readonly type: StoredType;
  readonly at: number;
  readonly required: boolean;
  readonly nullable: boolean;
  /** Null for types without an order. */
  readonly compare: Compare | null;
  /** Whether it has a default: an absent value then takes it, and only an explicit null gives null. */
  readonly defaulted: boolean;
  /** Set by the service: callers may not set it. */
  readonly marker: boolean;
  /** What is shown in place of the value; null where it is shown as it is. */
  readonly mask: Mask | null;
  /** The values of an enum; null for every other type. */
  readonly allowed: ReadonlySet<string> | null;
}

export interface IndexModel extends IndexKeys {
  readonly names: readonly string[];
  /** Rows are still being entered: the index is incomplete, and every write already updates it. */
  readonly building: boolean;
}

/** A field that refers to a row of another entity (or of its own). */
export interface Reference {
  readonly from: EntityModel;
  readonly column: Column;
  readonly to: EntityModel;
  readonly onDelete: ReferenceAction;
  /** An index that begins with the field; null until the stored schema has one. */
  readonly index: IndexModel | null;
}

/** A link of rows with any number of others, as the rows of one side show it (links/link.ts). */
export interface Link {
  /** The name under which these rows show it. */
  readonly name: string;
  /** The entity that declares it, and the name that it has there. */
  readonly owner: EntityModel;
  readonly declared: string;
  /** The references of a pair: to the row of this side, and to the one on the other. */
  readonly by: Reference;
  readonly over: Reference;
}

export type Links = ReadonlyMap<string, Link>;

/** Of nearly all entities. */
export const NO_LINKS: Links = new Map();

/** An entity as the caller sees it. */
export type See = (model: EntityModel) => EntityModel;

/** How the rows of one entity give the value of another's field: a materialized field (derived/feed.ts). */
export interface Feed {
  readonly target: EntityModel;
  /** The field that is computed. */
  readonly column: Column;
  readonly source: EntityModel;
  /** The field of the source that refers to the target. */
  readonly by: Column;
  readonly value: MaterializeDefinition['value'];
  /** The field that is summed or compared; null for `count` and `cel`. */
  readonly of: Column | null;
  readonly expression: RowValue | null;
  /** The definition as text: shows whether a field was filled by an earlier one. */
  readonly text: string;
}

/** Fields that are equal in all rows with the same value of `by` (shared-fields.ts). */
export interface SharedFields {
  /** Begins with `by`. */
  readonly index: IndexModel;
  readonly by: string;
  readonly names: readonly string[];
  /** Positions in the slots: of `by`, and of the shared fields. */
  readonly byAt: number;
  readonly places: readonly number[];
}

export class EntityModel {
  readonly name: string;
  /** The model itself; of a view (views.ts), the model of which it is one. */
  readonly whole: EntityModel = this;
  /** The views for callers whose roles do not read or write every field; null for nearly all entities. */
  readonly views: Views<EntityModel> | null;
  /** Of a view: what it leaves out. Null for a whole model. */
  readonly sight: Sight<Column> | null = null;
  readonly table: number;
  /** Whether a statement gives its rows (row-source.ts): it has no table then. */
  readonly isView: boolean;
  readonly definition: EntityDefinition;
  /** Columns in the order in which they are shown: key, fields, markers of the traits. */
  readonly columns: readonly Column[];
  readonly key: Column;
  readonly check: RowCheck;
  /** Position in the slots of each field of `check`, in its order. */
  readonly places: readonly number[];
  /** Complete indexes: those that reads may use. */
  readonly indexes: readonly IndexModel[];
  /** All text indexes that writes update, and the one that searches use; null where no index is complete, or none is declared. */
  readonly texts: readonly TextIndex[];
  readonly text: TextIndex | null;
  /** All indexes that writes update, also those that a plan is building. */
  readonly kept: readonly IndexModel[];
  /** Fields that several rows share; null for nearly all entities. */
  readonly shared: SharedFields | null;
  /** Fields that a plan is giving another type. */
  readonly conversions: readonly Conversion[];
  /** The schema has changed and another model has taken this one's place: work that still holds this one fails and can be retried. */
  retired = false;
  /** Where rows that cannot be read are reported; null outside of serving (checks, command line): there such a row throws. */
  unread: UnreadRows | null = null;
  /** Fields whose default comes from the create (default-from.ts). */
  readonly filled: readonly Filled[];
  /** Positions of the fields that hold files. */
  readonly files: readonly number[];
  readonly rules: ReadonlyMap<AccessOperation, Rule>;
  readonly rowRule: Rule | null;
  /** The machines that govern its fields (machines/move.ts); few entities have any. */
  readonly machines: readonly Machine[];
  /** What follows when its rows change (triggers/row-trigger.ts); few entities have any. */
  readonly triggers: readonly RowTrigger[];
  /** Whether triggers or subscribers follow its changes: decided here, so that writes of other entities pay nothing for either. */
  readonly isFollowed: boolean;
  /** Whether a write may run a script of a machine (machines/enact.ts). */
  readonly isScripted: boolean;
  readonly softDelete: boolean;
  readonly timestamps: boolean;
  readonly versioned: boolean;
  /** Whether any field is masked. */
  readonly masked: boolean;
  /** Set once all models exist. */
  references: readonly Reference[] = [];
  /** `feeds`: materialized fields of other entities that are computed from its rows. `fed`: its own materialized fields (derived/feed.ts). */
  feeds: readonly Feed[] = [];
  fed: readonly Feed[] = [];
  referencedBy: readonly Reference[] = [];
  /** Its links with other rows, by the names under which its rows show them; nearly all entities have none. */
  links: Links = NO_LINKS;
  readonly pad: (slots: Slots) => Slots;
  /** The row as rules see it. */
  readonly shape: (slots: Slots) => Row;
  /** The row as callers see it: masked fields as their masks show them. */
  readonly show: (slots: Slots) => Row;
  /** A row's bytes as padded slots. */
  readonly decode: (value: Uint8Array) => StoredRow;
  readonly json: (slots: Slots) => string;
  /** A row as JSON text, made once and kept with the row. */
  readonly jsonOf: (row: StoredRow) => string;
  readonly byName: ReadonlyMap<string, Column>;
  /** Fields that are computed where a request names them: no columns. */
  readonly computed: ComputedFields;

  /**
   * With `faults`, every problem of the definition joins that list and the model is made all the same: other entities refer to its
   * rows, and its indexes must be updated. A rule that does not compile denies its operation; any other fault denies all operations.
   * Without `faults` the first one is thrown as a DefinitionError.
   */
  constructor(
    product: ProductDefinition,
    definition: EntityDefinition,
    stored: StoredEntity,
    faults: PartFault[] | null = null,
  ) {
    const part = `entity ${definition.name}`;
    const before = faults?.length ?? 0;
    const desired = attempt(part, definition.where, faults, () => desiredEntity(product, definition));
    const served = servedFields(desired ?? storedAsDesired(definition, stored), stored);
    this.name = definition.name;
    this.table = stored.table;
    this.isView = definition.view !== undefined;
    this.definition = definition;
    this.softDelete = definition.traits.includes('soft_delete');
    this.timestamps = definition.traits.includes('timestamps');
    this.versioned = definition.traits.includes('versioned');
    this.columns = [...served.map(fieldColumn), ...this.#markers()];
    this.masked = this.columns.some((column) => column.mask !== null);
    this.key = this.columns[0]!;
    this.byName =
      attempt(part, definition.where, faults, () => byName(definition, this.columns)) ?? namedOnce(this.columns);
    const given = this.isView ? [] : served.filter((field) => field.definition.materialize === undefined);
    this.check = new RowCheck(given.map((field) => fieldCheckOr(field, definition, faults)));
    this.filled = given.flatMap(filledBy);
    this.places = given.map((field) => positionOf(field.slot));
    this.files = this.columns.filter(({ type }) => type === 'file').map(({ at }) => at);
    this.kept = stored.indexes.map((index) => indexModel(index, stored));
    this.indexes = this.kept.filter(({ building }) => !building);
    this.texts = (stored.texts ?? []).map((text) => textIndexOf(text, stored));
    this.text = definition.search === undefined ? null : (this.texts.find(({ building }) => !building) ?? null);
    this.shared = sharedFieldsOf(this);
    this.conversions = conversionsOf(stored, definition.where);
    this.computed = computedOf(definition, this.columns, faults);
    const isWhole = (faults?.length ?? 0) === before;
    const { access, row } = entityRules(product, definition, faults);
    this.rules = isWhole ? access : DENIED;
    this.rowRule = row;
    this.machines = machinesOf(product, this.name, (field) => this.column(field)?.at);
    this.triggers = rowTriggersOf(product, this.name, (field) => this.column(field)?.at, faults);
    this.isFollowed = this.triggers.length > 0 || definition.changes === true;
    this.isScripted = this.machines.some((machine) => machine.isScripted);
    this.pad = padderOf(stored.fields);
    this.shape = shaperOf(this.columns);
    this.show = this.masked ? maskingOf(this.shape, this.columns) : this.shape;
    this.json = jsonWriterOf(this.columns);
    const { pad } = this;
    this.decode = (value) => ({ slots: pad(decodeSlots(value)), json: '', by: this });
    const { json } = this;
    this.jsonOf = (row) => {
      if (row.by !== this) return json(row.slots);
      return row.json === '' ? (row.json = json(row.slots)) : row.json;
    };
    this.views = viewsOf(this, definition);
  }

  column(name: string): Column | undefined {
    return this.byName.get(name);
  }

  /** A column that a caller may name in a write: it may also be one that the caller writes and does not read. */
  named(name: string): Column | undefined {
    return (this.sight === null ? this.byName : this.sight.named).get(name);
  }

  /** The columns that a caller may set. */
  get written(): readonly Column[] {
    const set = new Set(this.check.fields.map(({ name }) => name));
    return this.whole.columns.filter(({ name }) => set.has(name));
  }

  /** Whether all callers are shown the same of a row, so that its version names what was shown. */
  get isUniform(): boolean {
    return !this.masked && this.views === null;
  }

  /** The entity as a principal sees it. */
  seenBy(principal: Principal): EntityModel {
    return this.views === null ? this : this.views.of(principal);
  }

  /** The key of a row by the value of its id; null when the value cannot be one. */
  idOf(value: unknown): Bytes | null {
    const id = FIELD_TYPES[this.key.type].of(value);
    return id === undefined || id === null || !isKeyText(id) ? null : idKey(this.key.type, id);
  }

  idIn(slots: Slots): Bytes {
    return idKey(this.key.type, slots[this.key.at]);
  }

  #markers(): Column[] {
    const out: Column[] = [];
    if (this.timestamps)
      out.push(marker('created_at', 'datetime', CREATED_AT), marker('updated_at', 'datetime', UPDATED_AT));
    if (this.softDelete)
      out.push(marker('deleted_at', 'datetime', DELETED_AT), marker('deleted_by', 'string', DELETED_BY_AT));
    if (this.versioned) out.push(marker('version', 'integer', VERSION_AT));
    return out;
  }
}

/** A field that a create fills when it is left out. */
export interface Filled {
  readonly name: string;
  readonly from: DefaultSource;
  readonly type: StoredType;
}

function filledBy({ name, type, definition: { default_from: from } }: ServedField): readonly Filled[] {
  return from === undefined ? [] : [{ name, from, type }];
}

function fieldColumn(field: ServedField): Column {
  const { name, type, definition } = field;
  return {
    name,
    shownType: definition.type,
    type,
    at: positionOf(field.slot),
    required: definition.required === true,
    nullable: takesNull(definition),
    compare: compareOf(type),
    defaulted: definition.default !== undefined || definition.default_from !== undefined,
    marker: definition.materialize !== undefined,
    mask: definition.mask === undefined ? null : maskOf(definition.mask),
    allowed: definition.type === 'enum' ? new Set(definition.enum) : null,
  };
}

function marker(name: string, type: StoredType, at: number): Column {
  const nullable = name !== 'version';
  const fixed = { required: false, defaulted: false, marker: true, mask: null, allowed: null };
  return { name, shownType: type, type, at, nullable, compare: compareOf(type), ...fixed };
}

function byName(definition: EntityDefinition, columns: readonly Column[]): Map<string, Column> {
  const out = new Map<string, Column>();
  for (const column of columns) {
    if (out.has(column.name))
      throw new DefinitionError(definition.where, `${column.name} is kept by a trait and cannot be a field too`);
    out.set(column.name, column);
  }
  return out;
}

function namedOnce(columns: readonly Column[]): Map<string, Column> {
  return new Map(columns.toReversed().map((column) => [column.name, column]));
}

/** A stored index. One whose fields are no longer declared is updated too: only a plan drops it. */
export function indexModel(index: StoredEntity['indexes'][number], entity: StoredEntity): IndexModel {
  const fields = index.fields.map((name) => {
    const { type, slot } = entity.fields.find((field) => field.name === name)!;
    return { type, at: positionOf(slot) };
  });
  return { no: index.no, unique: index.unique, names: index.fields, fields, building: index.building === true };
}

/** The fields that rows of the entity share; null where there are none, or where no stored index finds the rows yet. */
function sharedFieldsOf(model: EntityModel): SharedFields | null {
  const { shares } = model.definition;
  if (shares === undefined) return null;
  const index = model.kept.find(({ names, unique, building }) => unique && !building && names[0] === shares.by);
  const by = model.column(shares.by);
  if (index === undefined || by === undefined) return null;
  const columns = shares.fields.flatMap((name) => model.column(name) ?? []);
  return {
    index,
    by: shares.by,
    names: columns.map(({ name }) => name),
    byAt: by.at,
    places: columns.map(({ at }) => at),
  };
}
