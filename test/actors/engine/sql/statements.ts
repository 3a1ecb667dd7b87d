/** Generates statements of the subset over two tables, from a seed. Divisors are never zero, casts never overflow (SQL leaves
 * open of which rows an error is met), and orders are total where rows are cut. */
import type { Random } from '#test/kit/random.ts';
import { CUSTOMER, literalOf, PATTERNS, PURCHASE, type Column, type Type } from './columns.ts';

export interface Scope {
  readonly columns: readonly Column[];
}

export interface Generated {
  readonly sql: string;
  readonly isOrdered: boolean;
}

export class Statements {
  readonly #random: Random;
  #aliases = 0;
  #names = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): Generated {
    this.#aliases = 0;
    this.#names = 0;
    const kind = this.#random.below(10);
    if (kind < 7) return this.#select();
    if (kind === 7) return plain(this.#insert());
    return plain(kind === 8 ? this.#update() : this.#delete());
  }

  #pick<T>(...choices: readonly (() => T)[]): T {
    return this.#random.pick(choices)();
  }

  alias(): string {
    return `t${this.#aliases++}`;
  }

  columns(alias: string, columns: readonly Column[]): Column[] {
    return columns.map(({ name, type }) => ({ name: `${alias}.${name}`, type }));
  }

  // Expressions

  value(type: Type, scope: Scope, depth: number): string {
    const columns = scope.columns.filter((column) => column.type === type);
    const r = this.#random;
    if (columns.length > 0 && r.chance(depth <= 0 ? 0.85 : 0.5)) return r.pick(columns).name;
    if (depth <= 0 || r.chance(0.15)) return literalOf(type, r);
    if (r.chance(0.2)) return this.#conditional(type, scope, depth - 1);
    return this.#computed(type, scope, depth - 1);
  }

  #conditional(type: Type, scope: Scope, depth: number): string {
    const value = (): string => this.value(type, scope, depth);
    const condition = (): string => this.condition(scope, depth);
    const options = [
      () => `case when ${condition()} then ${value()} else ${value()} end`,
      () => `case when ${condition()} then ${value()} end`,
      () => `coalesce(${value()}, ${value()})`,
      () => `nullif(${value()}, ${value()})`,
    ];
    if (type !== 'bool') options.push(() => `${this.#random.pick(['greatest', 'least'])}(${value()}, ${value()})`);
    return this.#pick(...options);
  }

  #computed(type: Type, scope: Scope, depth: number): string {
    const of = (wanted: Type): string => this.value(wanted, scope, depth);
    const r = this.#random;
    switch (type) {
      case 'int':
        return this.#pick(
          () => `(${of('int')} ${r.pick(['+', '-', '*'])} ${of('int')})`,
          () => `(${of('int')} ${r.pick(['/', '%'])} ${r.pick(['3', '-2', '7'])})`,
          () => `length(${of('txt')})`,
          () => `abs(${of('int')})`,
          () => `(- ${of('int')})`,
          () => `(${of('num')} % 10007)::int8`,
          () => `strpos(${of('txt')}, ${of('txt')})`,
          () => `(${of('day')} - ${of('day')})`,
        );
      case 'num':
        return this.#pick(
          () => `(${of('num')} ${r.pick(['+', '-', '*'])} ${of(r.pick(['num', 'int']))})`,
          () => `(${of('num')} / ${r.pick(['3', '-2.50', '0.7', '12345.678'])})`,
          () => `(${of('num')} % ${r.pick(['3', '-2.50', '0.7'])})`,
          () => `round(${of('num')}, ${r.pick(['0', '1', '3', '-1'])})`,
          () => `${r.pick(['round', 'floor', 'ceil', 'trunc', 'abs', 'sign'])}(${of('num')})`,
          () => `(${of('int')})::numeric`,
          () => `extract(${r.pick(['year', 'month', 'day', 'dow', 'doy'])} from ${of('at')})`,
        );
      case 'flt':
        return this.#pick(
          () => `(${of('flt')} ${r.pick(['+', '-', '*'])} ${of(r.pick(['flt', 'int', 'num']))})`,
          () => `(${of('flt')} / ${r.pick(['3', '-0.5'])})`,
          () => `(${of(r.pick(['int', 'num']))})::float8`,
          () => `${r.pick(['floor', 'ceil', 'round', 'abs'])}(${of('flt')})`,
        );
      case 'txt':
        return this.#pick(
          () => `(${of('txt')} || ${r.pick([of('txt'), of('int'), `round(${of('num')}, 2)`])}::text)`,
          () => `${r.pick(['lower', 'reverse', 'btrim'])}(${of('txt')})`,
          () => `substring(${of('txt')} from ${r.pick(['1', '2', '-1'])} for ${r.pick(['1', '3'])})`,
          () => `${r.pick(['left', 'right'])}(${of('txt')}, ${r.pick(['1', '-1', '2'])})`,
          () => `replace(${of('txt')}, 'a', 'zz')`,
          () => `trim(${of('txt')})`,
          () => `lpad(${of('txt')}, 4, '*')`,
          () => `concat(${of('txt')}, ${of('int')}, '-')`,
          () => `(${r.pick([of('int'), of('day'), of('bool'), `round(${of('num')}, 2)`])})::text`,
          () => `split_part(${of('txt')}, '_', 1)`,
        );
      case 'bool':
        return `(${this.condition(scope, depth)})`;
      case 'day':
        return this.#pick(
          () => `(${of('day')} + ${r.pick(['1', '30', '-7'])})`,
          () => `(${of('at')})::date`,
        );
      case 'at':
        return this.#pick(
          () =>
            `(${of('at')} ${r.pick(['+', '-'])} interval '${r.pick(['1 day', '3 hours', '1 month 2 days', '90 minutes'])}')`,
          () => `date_trunc('${r.pick(['year', 'month', 'day', 'hour', 'week', 'quarter'])}', ${of('at')})`,
        );
    }
  }

  condition(scope: Scope, depth: number): string {
    const r = this.#random;
    const type = r.pick<Type>(['int', 'num', 'flt', 'txt', 'day', 'int', 'txt']);
    const of = (wanted: Type = type): string => this.value(wanted, scope, depth - 1);
    if (depth > 0 && r.chance(0.35)) {
      const inner = (): string => this.condition(scope, depth - 1);
      return this.#pick(
        () => `(${inner()} and ${inner()})`,
        () => `(${inner()} or ${inner()})`,
        () => `not (${inner()})`,
        () => `(${inner()}) is ${r.pick(['true', 'not true', 'unknown', 'not false'])}`,
      );
    }
    if (depth > 0 && r.chance(0.12)) return this.#subcondition(scope);
    return this.#pick(
      () => `${of()} ${r.pick(['=', '<>', '<', '<=', '>', '>='])} ${of()}`,
      () => `${of()} ${r.pick(['=', '<', '>='])} ${literalOf(type, r)}`,
      () => `${of()} is ${r.pick(['', 'not '])}null`,
      () => `${of()} ${r.pick(['', 'not '])}in (${literalOf(type, r)}, ${literalOf(type, r)}, ${of()})`,
      () => `${of()} ${r.pick(['', 'not '])}between ${literalOf(type, r)} and ${of()}`,
      () => `${of('txt')} ${r.pick(['', 'not '])}${r.pick(['like', 'ilike'])} ${r.pick(PATTERNS)}`,
      () => `${of()} is ${r.pick(['', 'not '])}distinct from ${of()}`,
      () => of('bool'),
      () => `${of('int')} ${r.pick(['=', '<'])} ${of('num')}`,
    );
  }

  #subcondition(scope: Scope): string {
    const r = this.#random;
    const alias = this.alias();
    const inner: Scope = { columns: this.columns(alias, PURCHASE) };
    const texts = scope.columns.filter(({ type }) => type === 'txt');
    const link = texts.length === 0 ? `${alias}.qty > 2` : `${alias}.customer_id = ${r.pick(texts).name}`;
    const where = r.chance(0.5) ? this.condition(inner, 1) : 'true';
    return this.#pick(
      () => `${r.pick(['', 'not '])}exists (select 1 from purchase ${alias} where ${link} and ${where})`,
      () =>
        `${this.value('txt', scope, 0)} ${r.pick(['', 'not '])}in (select ${alias}.status from purchase ${alias} where ${where})`,
      () => `${this.value('int', scope, 0)} > (select count(*) from purchase ${alias} where ${link} and ${where})`,
      () => `${this.value('num', scope, 0)} < (select max(${alias}.price) from purchase ${alias} where ${where})`,
    );
  }

  // Sources

  /** FROM with the columns that it gives. */
  #from(): { readonly text: string; readonly scope: Scope } {
    const r = this.#random;
    const one = this.#source();
    if (r.chance(0.4)) return { text: one.text, scope: { columns: one.columns } };
    const two = this.#source();
    const scope: Scope = { columns: [...one.columns, ...two.columns] };
    const key = this.#keys(one.columns, two.columns);
    // PostgreSQL joins fully by equal columns only.
    const kinds = ['join', 'left join', 'right join', 'left join', 'join', 'full join'];
    const [left, right] = key.split(' = ');
    const isFullKey = one.columns.some(({ name }) => name === left) && two.columns.some(({ name }) => name === right);
    const join = r.pick(isFullKey ? kinds : kinds.slice(0, -1));
    const extra = join !== 'full join' && r.chance(0.3) ? ` and ${this.condition(scope, 1)}` : '';
    const text = `${one.text} ${join} ${two.text} on ${key}${extra}`;
    if (!r.chance(0.25)) return r.chance(0.1) ? { text: `${one.text}, ${two.text}`, scope } : { text, scope };
    const three = this.#source();
    const all = [...scope.columns, ...three.columns];
    const last = this.#keys(scope.columns, three.columns);
    return { text: `${text} ${r.pick(['join', 'left join'])} ${three.text} on ${last}`, scope: { columns: all } };
  }

  #keys(one: readonly Column[], two: readonly Column[]): string {
    const type = this.#random.pick<Type>(['txt', 'txt', 'int', 'num', 'day']);
    const a = one.filter((column) => column.type === type);
    const b = two.filter((column) => column.type === type);
    const link = (columns: readonly Column[]): Column | undefined =>
      columns.find(({ name, type: of }) => /customer_id$|\.id$/.test(name) && of === 'txt');
    if (link(one) !== undefined && link(two) !== undefined && this.#random.chance(0.5))
      return `${link(one)!.name} = ${link(two)!.name}`;
    if (a.length === 0 || b.length === 0) return this.condition({ columns: [...one, ...two] }, 0);
    return `${this.#random.pick(a).name} = ${this.#random.pick(b).name}`;
  }

  #source(): { readonly text: string; readonly columns: readonly Column[] } {
    const alias = this.alias();
    const r = this.#random;
    if (r.chance(0.15)) {
      const inner = this.#body(1);
      return { text: `(${inner.text}) ${alias}`, columns: this.columns(alias, inner.columns) };
    }
    const [name, columns] = r.chance(0.5) ? (['customer', CUSTOMER] as const) : (['purchase', PURCHASE] as const);
    return { text: `${name} ${alias}`, columns: this.columns(alias, columns) };
  }

  // Selects

  #body(depth: number): { readonly text: string; readonly columns: readonly Column[] } {
    const r = this.#random;
    const { text: from, scope } = depth > 0 ? this.#simpleFrom() : this.#from();
    const where = r.chance(0.7) ? ` where ${this.condition(scope, 2)}` : '';
    if (r.chance(0.35)) return this.#groupedBody(from, where, scope);
    const columns: Column[] = [];
    const items = Array.from({ length: 1 + r.below(3) }, () => {
      const type = r.pick<Type>(['int', 'num', 'txt', 'txt', 'bool', 'day', 'flt', 'at']);
      columns.push({ name: `c${this.#names}`, type });
      return `${this.value(type, scope, 2)} as c${this.#names++}`;
    });
    return { text: `select ${r.chance(0.15) ? 'distinct ' : ''}${items.join(', ')} from ${from}${where}`, columns };
  }

  #simpleFrom(): { readonly text: string; readonly scope: Scope } {
    const alias = this.alias();
    const [name, columns] = this.#random.chance(0.5)
      ? (['customer', CUSTOMER] as const)
      : (['purchase', PURCHASE] as const);
    return { text: `${name} ${alias}`, scope: { columns: this.columns(alias, columns) } };
  }

  #groupedBody(
    from: string,
    where: string,
    scope: Scope,
  ): { readonly text: string; readonly columns: readonly Column[] } {
    const r = this.#random;
    const by = Array.from({ length: r.below(3) }, () => this.#grouping(scope));
    const columns: Column[] = [];
    const named = (type: Type): string => {
      columns.push({ name: `c${this.#names}`, type });
      return `c${this.#names++}`;
    };
    const items = by.map(({ name, type }) => `${name} as ${named(type)}`);
    const aggregates = Array.from({ length: 1 + r.below(3) }, () => this.aggregate(scope));
    items.push(...aggregates.map(({ text, type }) => `${text} as ${named(type)}`));
    const having = r.chance(0.3)
      ? ` having ${this.aggregate(scope, 'int').text} ${r.pick(['>', '<=', '<>'])} ${r.below(4)}`
      : '';
    const group = by.length === 0 ? '' : ` group by ${by.map(({ name }) => name).join(', ')}`;
    return { text: `select ${items.join(', ')} from ${from}${where}${group}${having}`, columns };
  }

  /** A column, or something computed from one. */
  #grouping(scope: Scope): Column {
    const columns = scope.columns.filter(({ type }) => type !== 'flt' && type !== 'num');
    const column = this.#random.pick(columns.length > 0 ? columns : scope.columns);
    const computed = this.#computed(column.type, scope, 0);
    return this.#random.chance(0.2) && /\bt\d+\./.test(computed) ? { name: computed, type: column.type } : column;
  }

  /** One whose sums are exact: those of others depend on the order of the rows, which is neither side's to promise. */
  #exactFloat(scope: Scope): string {
    const columns = scope.columns.filter(({ type }) => type === 'flt');
    return columns.length > 0 ? this.#random.pick(columns).name : literalOf('flt', this.#random);
  }

  aggregate(scope: Scope, only?: Type): { readonly text: string; readonly type: Type } {
    const r = this.#random;
    const of = (type: Type): string => this.value(type, scope, 1);
    const kinds: (() => { text: string; type: Type })[] = [
      () => ({ text: 'count(*)', type: 'int' }),
      () => ({ text: `count(${r.pick(['', 'distinct '])}${of(r.pick(['txt', 'int', 'num', 'bool']))})`, type: 'int' }),
    ];
    if (only === undefined)
      kinds.push(
        () => ({ text: `sum(${of(r.pick(['int', 'num']))})`, type: 'num' }),
        () => ({ text: `sum(${r.pick(['', 'distinct '])}${of('num')})`, type: 'num' }),
        () => ({ text: `avg(${of(r.pick(['int', 'num']))})`, type: 'num' }),
        () => ({ text: `avg(${this.#exactFloat(scope)})`, type: 'flt' }),
        () => ({ text: `${r.pick(['min', 'max'])}(${of('txt')})`, type: 'txt' }),
        () => ({ text: `${r.pick(['min', 'max'])}(${of('num')})`, type: 'num' }),
        () => ({ text: `${r.pick(['min', 'max'])}(${of('day')})`, type: 'day' }),
        () => ({ text: `${r.pick(['bool_and', 'bool_or'])}(${of('bool')})`, type: 'bool' }),
      );
    return this.#pick(...kinds);
  }

  #select(): Generated {
    const r = this.#random;
    const one = this.#body(0);
    const ordered = this.#ordered(r.chance(0.15) ? this.#union(one) : one.text, one.columns.length);
    if (!r.chance(0.15)) return ordered;
    const columns = one.columns.map(({ name }) => name);
    const text = `with w as (${ordered.sql}) select ${columns.join(', ')}, count(*) as n from w group by ${columns.join(', ')}`;
    return this.#ordered(text, columns.length + 1);
  }

  /** Both sides of the same types: the same select with other conditions. */
  #union(one: { readonly text: string; readonly columns: readonly Column[] }): string {
    const r = this.#random;
    const { text: from, scope } = this.#simpleFrom();
    const items = one.columns.map(({ type }) => this.value(type, scope, 1));
    const where = ` where ${this.condition(scope, 1)}`;
    return `${one.text} ${r.pick(['union', 'union all', 'intersect', 'except', 'except all'])} select ${items.join(', ')} from ${from}${where}`;
  }

  #ordered(text: string, width: number): Generated {
    const r = this.#random;
    if (!r.chance(0.6)) return plain(text);
    const first = 1 + r.below(width);
    const places = [first, ...Array.from({ length: width }, (_, i) => i + 1).filter((place) => place !== first)];
    const terms = places.map((place) => `${place}${r.pick(['', ' desc', ' asc', ' nulls first', ' desc nulls last'])}`);
    const limit = r.chance(0.4) ? ` limit ${r.below(6)}` : '';
    const offset = r.chance(0.2) ? ` offset ${r.below(4)}` : '';
    return { sql: `${text} order by ${terms.join(', ')}${limit}${offset}`, isOrdered: true };
  }

  // Writes

  #returning(scope: Scope): string {
    if (!this.#random.chance(0.6)) return '';
    const type = this.#random.pick<Type>(['int', 'num', 'txt', 'day']);
    return this.#random.chance(0.4) ? ' returning *' : ` returning ${this.value(type, scope, 1)} as r, id`;
  }

  #insert(): string {
    const r = this.#random;
    const scope: Scope = { columns: PURCHASE.map(({ name, type }) => ({ name: `purchase.${name}`, type })) };
    const nothing: Scope = { columns: [] };
    const row = (): string =>
      `(${1 + r.below(80)}, ${literalOf('txt', r)}, ${this.value('int', nothing, 1)}, ${this.value('num', nothing, 1)}, ${this.value('day', nothing, 1)})`;
    const names = '(id, customer_id, qty, price, placed)';
    const source = this.#pick(
      () => `values ${[row(), row()].slice(0, 1 + r.below(2)).join(', ')}`,
      () => {
        const alias = this.alias();
        const inner: Scope = { columns: this.columns(alias, PURCHASE) };
        const shift = r.pick(['1000', '0', '3']);
        return `select ${alias}.id + ${shift}, ${this.value('txt', inner, 1)}, ${this.value('int', inner, 1)}, ${this.value('num', inner, 1)}, ${alias}.placed from purchase ${alias} where ${this.condition(inner, 1)}`;
      },
    );
    const qualified: Scope = {
      columns: [
        ...scope.columns,
        ...PURCHASE.slice(1, 4).map(({ name, type }) => ({ name: `excluded.${name}`, type })),
      ],
    };
    const conflict = this.#pick(
      () => '',
      () => ' on conflict do nothing',
      () => ' on conflict (id) do nothing',
      () =>
        ` on conflict (id) do update set qty = ${this.value('int', qualified, 1)}, status = ${this.value('txt', qualified, 1)}`,
      () => ` on conflict (id) do update set price = excluded.price where ${this.condition(qualified, 1)}`,
    );
    return `insert into purchase ${names} ${source}${conflict}${this.#returning(scope)}`;
  }

  #update(): string {
    const r = this.#random;
    const scope: Scope = { columns: this.columns('p', PURCHASE) };
    const where = r.chance(0.85) ? ` where ${this.condition(scope, 2)}` : '';
    const set = this.#pick(
      () => `qty = ${this.value('int', scope, 2)}`,
      () => `price = ${this.value('num', scope, 2)}, status = ${this.value('txt', scope, 1)}`,
      () => `placed = ${this.value('day', scope, 1)}, weight = ${this.value('flt', scope, 1)}`,
      () => `(qty, price) = (${this.value('int', scope, 1)}, ${this.value('num', scope, 1)})`,
    );
    if (!r.chance(0.3))
      return `update purchase p set ${set}${where}${this.#returning(scope).replace(', id', ', p.id')}`;
    const from = ` from customer c where c.id = p.customer_id and ${this.condition(scope, 1)}`;
    return `update purchase p set qty = coalesce(c.level, 0) + ${this.value('int', scope, 1)}${from} returning p.id, p.qty, c.name`;
  }

  #delete(): string {
    const scope: Scope = { columns: this.columns('p', PURCHASE) };
    if (this.#random.chance(0.2))
      return `delete from purchase p using customer c where c.id = p.customer_id and c.active returning p.id`;
    return `delete from purchase p where ${this.condition(scope, 2)}${this.#returning(scope).replace(', id', ', p.id')}`;
  }
}

function plain(sql: string): Generated {
  return { sql, isOrdered: false };
}
