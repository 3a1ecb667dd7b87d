/** Generates statements as reports have them: windows, recursion, lateral joins, JSON, lists, patterns, formats; orders are total where they count. */
import type { Random } from '#test/kit/random.ts';
import { CUSTOMER, literalOf, PURCHASE, type Type } from './columns.ts';
import { Statements, type Generated, type Scope } from './statements.ts';

const PATTERNS = [
  "'a'",
  "'^b'",
  "'b$'",
  "'[a-z]+'",
  "'x_y|A'",
  "'(a|b)+'",
  "'^.$'",
  "'ü'",
  "'[^a]'",
  "'\\d{1,2}'",
  "'(.)b?'",
  "'z*'",
];
const DATE_FORMATS = [
  'YYYY-MM-DD HH24:MI:SS.MS',
  'FMDay, FMDDth FMMonth YYYY',
  'IYYY-"W"IW-ID',
  'DY DDD Q WW W',
  'hh:mi:ss pm',
  'MONTH|Mon|RM',
  'SSSS US FF2 CC J',
];
const NUMBER_FORMATS = [
  '9999',
  'FM9,999,990.00',
  '0000.9',
  'S999.9',
  '999MI',
  '999PR',
  'FM99.99',
  '9 9 9',
  'SG99.9',
  'PL9,999',
];
const UNITS = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'decade', 'century'];
const FIELDS = ['week', 'isoyear', 'decade', 'century', 'epoch', 'milliseconds', 'doy', 'quarter'];
const SPANS = ['year', 'month', 'day', 'hour', 'minute', 'second', 'epoch'];

/** The forms, and how a statement of each is made. */
type Form =
  | 'window'
  | 'grouped'
  | 'distinctOn'
  | 'recursive'
  | 'lateral'
  | 'series'
  | 'json'
  | 'pattern'
  | 'format'
  | 'time'
  | 'list'
  | 'correlated';

export interface Report extends Generated {
  readonly form: Form;
}

export class Reports {
  readonly #random: Random;
  readonly #parts: Statements;

  constructor(random: Random) {
    this.#random = random;
    this.#parts = new Statements(random);
  }

  next(): Report {
    const forms: Record<Form, () => string> = {
      window: () => this.#window(),
      grouped: () => this.#grouped(),
      distinctOn: () => this.#distinctOn(),
      recursive: () => this.#recursive(),
      lateral: () => this.#lateral(),
      series: () => this.#series(),
      json: () => this.#json(),
      pattern: () => this.#pattern(),
      format: () => this.#format(),
      time: () => this.#time(),
      list: () => this.#list(),
      correlated: () => this.#correlated(),
    };
    const form = this.#random.pick(Object.keys(forms) as Form[]);
    return { form, sql: forms[form](), isOrdered: false };
  }

  #scope(alias: string, columns = PURCHASE): Scope {
    return { columns: this.#parts.columns(alias, columns) };
  }

  #value(type: Type, scope: Scope, depth = 1): string {
    return this.#parts.value(type, scope, depth);
  }

  /** For functions of any type, which take no text without a type. */
  #typed(type: Type, scope: Scope): string {
    return type === 'txt' ? `(${this.#value(type, scope)})::text` : this.#value(type, scope);
  }

  #where(scope: Scope): string {
    return this.#random.chance(0.5) ? ` where ${this.#parts.condition(scope, 1)}` : '';
  }

  #direction(): string {
    return this.#random.pick(['', ' desc', ' nulls first', ' desc nulls last']);
  }

  // Windows

  #over(scope: Scope, isTotal: boolean): string {
    const r = this.#random;
    const partition = r.chance(0.6) ? `partition by ${this.#value(r.pick(['txt', 'int', 'day', 'bool']), scope)}` : '';
    const key = `${this.#value(r.pick(['int', 'num', 'txt', 'at']), scope)}${this.#direction()}`;
    const isOrdered = isTotal || r.chance(0.6);
    const order = isOrdered ? ` order by ${key}${isTotal || r.chance(0.4) ? ', p.id' : ''}` : '';
    return `${partition}${order}${isOrdered ? this.#frame(isTotal) : ''}`;
  }

  #frame(isTotal: boolean): string {
    const r = this.#random;
    if (r.chance(0.4)) return '';
    const start = r.pick(['unbounded preceding', '2 preceding', 'current row', '1 preceding']);
    const end = r.pick(['unbounded following', 'current row', '2 following']);
    const unit = isTotal ? r.pick(['rows', 'groups']) : 'groups';
    return ` ${unit} between ${start} and ${end}`;
  }

  #window(): string {
    const r = this.#random;
    const scope = this.#scope('p');
    const of = (type: Type): string => this.#typed(type, scope);
    const total = (): string => `over (${this.#over(scope, true)})`;
    const loose = (): string => `over (${this.#over(scope, false)})`;
    const ordered = (): string => `over (order by ${of('int')}${this.#direction()}, p.id)`;
    const type = r.pick<Type>(['int', 'txt', 'num', 'day']);
    const functions = [
      () => `row_number() ${ordered()}`,
      () =>
        `${r.pick(['rank', 'dense_rank', 'percent_rank', 'cume_dist'])}() over (order by ${of('int')}${this.#direction()})`,
      () => `ntile(${1 + r.below(5)}) ${ordered()}`,
      () => `${r.pick(['lag', 'lead'])}(${of(type)}) ${ordered()}`,
      () => `${r.pick(['lag', 'lead'])}(${of(type)}, ${r.below(4)}, ${literalOf(type, r)}) ${ordered()}`,
      () => `${r.pick(['first_value', 'last_value'])}(${of(type)}) ${total()}`,
      () => `nth_value(${of(type)}, ${1 + r.below(3)}) ${total()}`,
      () => `${r.pick(['sum', 'min', 'max', 'avg'])}(${of(r.pick(['int', 'num']))}) ${loose()}`,
      () =>
        `count(${r.pick(['*', of('txt')])}) ${r.chance(0.3) ? `filter (where ${this.#parts.condition(scope, 1)}) ` : ''}${loose()}`,
      () => `string_agg(${of('txt')}, '-') ${total()}`,
      () => `array_agg(${of('int')}) ${total()}`,
      () => `bool_or(${of('bool')}) ${loose()}`,
    ];
    const items = Array.from({ length: 1 + r.below(3) }, (_, i) => `${r.pick(functions)()} as w${i}`);
    if (r.chance(0.15))
      return `select p.status, count(*) as n, sum(count(*)) over (order by p.status${this.#direction()}) as s, rank() over (order by count(*)) as k from purchase p${this.#where(scope)} group by p.status`;
    const inner = `select p.id, p.qty as q, ${items.join(', ')} from purchase p${this.#where(scope)}`;
    return r.chance(0.25) ? `select * from (${inner}) x where x.id % 3 = 0` : inner;
  }

  #grouped(): string {
    const r = this.#random;
    const scope = this.#scope('p');
    const of = (type: Type): string => this.#typed(type, scope);
    const type = (): Type => r.pick<Type>(['int', 'txt', 'day', 'bool']);
    // Beyond 2^53 an exact decimal is a text in JSON, which PostgreSQL shows as a number.
    const shown = (): string => (r.chance(0.3) ? 'p.price' : of(type()));
    const filter = (): string => (r.chance(0.4) ? ` filter (where ${this.#parts.condition(scope, 1)})` : '');
    const order = (): string => `order by ${of(r.pick(['int', 'txt', 'num']))}${this.#direction()}, p.id`;
    const kinds = [
      () => this.#parts.aggregate(scope).text + filter(),
      () => `array_agg(${of(r.pick([type(), 'num']))} ${order()})${filter()}`,
      () => `string_agg(${of('txt')}, ${r.pick(["','", of('txt')])} ${order()})${filter()}`,
      () => `${r.pick(['json_agg', 'jsonb_agg'])}(${shown()} ${order()})${filter()}`,
      () => `jsonb_object_agg(p.id, ${shown()})${filter()}`,
      () => `array_agg(distinct ${of(r.pick(['int', 'txt', 'day']))})${filter()}`,
      () => `string_agg(distinct p.status, ',' order by p.status${r.pick(['', ' desc'])})${filter()}`,
      () => `count(distinct ${of('txt')})${filter()}`,
    ];
    const items = Array.from({ length: 1 + r.below(3) }, (_, i) => `${r.pick(kinds)()} as a${i}`);
    return `select p.customer_id, ${items.join(', ')} from purchase p${this.#where(scope)} group by p.customer_id`;
  }

  #distinctOn(): string {
    const r = this.#random;
    const scope = this.#scope('p');
    const by = r.pick(['p.status', 'p.qty', 'p.placed', 'p.customer_id']);
    const two = r.chance(0.3) ? ', p.weight' : '';
    const order = `${by}${this.#direction()}${two}, ${this.#value('num', scope)} + 0${this.#direction()}, p.id`;
    return `select distinct on (${by}${two}) ${by} as b, p.id, ${this.#value('txt', scope)} as v from purchase p${this.#where(scope)} order by ${order}`;
  }

  #recursive(): string {
    const r = this.#random;
    const scope = this.#scope('p');
    return r.pick([
      `with recursive n(i) as (select ${r.below(3)} union all select i + ${1 + r.below(3)} from n where i < ${5 + r.below(20)}) select i, i % 3 as m from n`,
      `with recursive n(i) as (select 1 union select (i * ${2 + r.below(5)} + 1) % ${7 + r.below(20)} from n) select * from n`,
      `with recursive t(id, depth) as (select p.id, 0 from purchase p where p.id <= ${1 + r.below(4)} union all select p.id, t.depth + 1 from purchase p join t on p.id / ${2 + r.below(2)} = t.id and p.id > ${4 + r.below(4)} where t.depth < 4) select t.depth, count(*) as n, sum(t.id) as s from t group by t.depth`,
      `with recursive d(day) as (select '2026-01-0${1 + r.below(9)}'::date union all select day + 1 from d where day < '2026-01-20'), s as (select count(*) as n from purchase p${this.#where(scope)}) select d.day, s.n from d, s`,
      `with recursive w(a, b) as (select p.status, p.qty from purchase p${this.#where(scope)} union select a, b - 1 from w where b > 0) select a, b from w`,
    ]);
  }

  #lateral(): string {
    const r = this.#random;
    const outer = this.#scope('c', CUSTOMER);
    const inner = this.#scope('p');
    const join = r.pick(['cross join lateral', 'left join lateral', 'join lateral']);
    const on = join.startsWith('cross') ? '' : ` on ${r.chance(0.7) ? 'true' : "x.a is distinct from 'a'"}`;
    const link = r.pick([
      'p.customer_id = c.id',
      'p.qty = c.level',
      'p.qty > c.level',
      'p.customer_id = c.id and p.placed >= c.born',
    ]);
    const of = (type: Type): string => this.#value(type, { columns: [...outer.columns, ...inner.columns] });
    const body = r.pick([
      () =>
        `select ${of('txt')} as a, p.id as b from purchase p where ${link} order by p.price${this.#direction()}, p.id limit ${1 + r.below(3)}`,
      () => `select max(p.status) as a, count(*) as b from purchase p where ${link}`,
      () => `select p.status as a, sum(p.qty) as b from purchase p where ${link} group by p.status`,
      () => `select c.name as a, 1 as b union all select c.city, 2`,
    ])();
    const where = r.chance(0.4) ? ` where ${this.#parts.condition(outer, 1)}` : '';
    if (r.chance(0.15))
      return `select c.id, v.x, v.y from customer c cross join lateral (values (c.level, 'a'), (c.level + 1, c.city)) v(x, y)${where}`;
    return `select c.id, x.a, x.b from customer c ${join} (${body}) x${on}${where}`;
  }

  #series(): string {
    const r = this.#random;
    const scope = this.#scope('p');
    return r.pick([
      `select g, g * 2 as d from generate_series(${r.below(5)}, ${r.below(12)}${r.pick(['', ', 2', ', -1', ', 3'])}) g`,
      `select c.id, g.n, g.o from customer c, generate_series(c.level, ${r.below(4)}) with ordinality as g(n, o)`,
      `select s.day::date as day, count(p.id) as n from generate_series('2024-02-2${r.below(9)}'::timestamptz, '2024-03-03', '${r.pick(['1 day', '12 hours', '36 hours'])}') s(day) left join purchase p on p.placed = s.day::date group by s.day`,
      `select c.id, g from customer c left join lateral generate_series(1, c.level) g on g <> ${r.below(3)}`,
      `select p.id, u from purchase p, unnest(array[p.qty, ${r.below(4)}, ${this.#value('int', scope)}]) u${this.#where(scope)}`,
    ]);
  }

  #json(): string {
    const r = this.#random;
    const name = r.pick(["'a'", "'b'", "'t'", "'none'"]);
    const path = r.pick(["'{a,x}'", "'{t,0}'", "'{b,-1}'", "'{b,c}'", "'{}'"]);
    const part = r.pick(['{"a": 1}', '{"t": ["r"]}', '{"a": {"x": "y"}}', '[]', '["r", 1]', '{"b": [{"c": 1}]}']);
    const items = [
      `c.doc -> ${name}`,
      `c.doc ->> ${name}`,
      `c.doc -> ${r.below(4) - 1}`,
      `c.doc #> ${path}`,
      `c.doc #>> ${path}`,
      `c.doc @> '${part}'`,
      `c.doc <@ '${part}'`,
      `c.doc ? ${name}`,
      `c.doc ?| array[${name}, 'r']`,
      `c.doc ?& array[${name}, 't']`,
      `c.doc::text`,
      `jsonb_typeof(c.doc)`,
      `case when jsonb_typeof(c.doc) = 'array' then jsonb_array_length(c.doc) end`,
      `c.doc || '${part}'`,
      `case when jsonb_typeof(c.doc) in ('object', 'array') then c.doc #- ${path} end`,
      `case when jsonb_typeof(c.doc) = 'object' then jsonb_set(c.doc, ${r.pick(["'{a}'", "'{new}'"])}, '${part}', ${r.pick(['true', 'false'])}) - ${name} end`,
      `jsonb_build_object('id', c.id, 'v', c.level, 'd', c.doc, 'c', c.credit, 'on', c.active)`,
      `jsonb_build_array(c.name, c.level, null, c.born, c.doc)`,
      `jsonb_strip_nulls(jsonb_build_object('x', c.name, 'y', c.level))`,
      `jsonb_extract_path_text(c.doc, 'a', 'x')`,
      `(select string_agg(k, ',') from jsonb_object_keys(case when jsonb_typeof(c.doc) = 'object' then c.doc end) k)`,
      `exists (select 1 from jsonb_array_elements(case when jsonb_typeof(c.doc) = 'array' then c.doc end) e where e ->> 0 = 'r')`,
      `to_jsonb(c.level)`,
    ];
    const shown = Array.from({ length: 1 + r.below(3) }, (_, i) => `${r.pick(items)} as j${i}`);
    if (r.chance(0.25))
      return `select c.id, k.key, k.value from customer c ${r.pick(['cross', 'left'])} join lateral jsonb_each${r.pick(['', '_text'])}(case when jsonb_typeof(c.doc) = 'object' then c.doc end) k`.replace(
        /left join (.*)$/,
        'left join $1 on true',
      );
    if (r.chance(0.15))
      return `select c.id, e.value, e.ordinality from customer c, jsonb_array_elements${r.pick(['', '_text'])}(case when jsonb_typeof(c.doc) = 'array' then c.doc end) with ordinality e`;
    return `select c.id, ${shown.join(', ')} from customer c${r.chance(0.3) ? ` where c.doc ${r.pick(['@>', '<@'])} '${part}'` : ''}`;
  }

  #pattern(): string {
    const r = this.#random;
    const scope = this.#scope('p');
    const text = (): string => this.#value('txt', scope);
    const items = [
      () => `${text()} ${r.pick(['~', '~*', '!~', '!~*'])} ${r.pick(PATTERNS)}`,
      () =>
        `regexp_replace(${text()}, ${r.pick(PATTERNS)}, ${r.pick(["'-'", "'<\\&>'", "''", "'\\1+'"])}, ${r.pick(["'g'", "'i'", "'gi'", "''"])})`,
      () => `regexp_match(${text()}, ${r.pick(PATTERNS)})`,
      () => `(regexp_match(${text()}, ${r.pick(PATTERNS)}))[1]`,
      () => `regexp_count(${text()}, ${r.pick(PATTERNS)})`,
      () => `substring(${text()} from ${r.pick(PATTERNS)})`,
      () => `regexp_split_to_array(${text()}, ${r.pick(PATTERNS)})`,
      () => `regexp_like(${text()}, ${r.pick(PATTERNS)}, 'i')`,
    ];
    const shown = Array.from({ length: 1 + r.below(3) }, (_, i) => `${r.pick(items)()} as t${i}`);
    if (r.chance(0.15)) return `select p.id, m from purchase p, regexp_matches(p.status, ${r.pick(PATTERNS)}, 'g') m`;
    return `select p.id, ${shown.join(', ')} from purchase p${this.#where(scope)}`;
  }

  #format(): string {
    const r = this.#random;
    const scope = this.#scope('p');
    const items = [
      () => `to_char(${this.#value(r.pick(['at', 'day']), scope)}, '${r.pick(DATE_FORMATS)}')`,
      () => `to_char(${this.#value(r.pick(['num', 'int']), scope)}, '${r.pick(NUMBER_FORMATS)}')`,
    ];
    const shown = Array.from({ length: 1 + r.below(3) }, (_, i) => `${r.pick(items)()} as f${i}`);
    return `select p.id, ${shown.join(', ')} from purchase p${this.#where(scope)}`;
  }

  #time(): string {
    const r = this.#random;
    const scope = this.#scope('p');
    const at = (): string => this.#value('at', scope);
    const items = [
      () => `date_trunc('${r.pick(UNITS)}', ${at()})`,
      () =>
        `date_trunc('${r.pick(['day', 'month', 'hour'])}', ${at()}, '${r.pick(['Europe/Berlin', 'America/New_York', 'Asia/Kolkata'])}')`,
      () => `extract(${r.pick(FIELDS)} from ${at()})`,
      () => `extract(${r.pick(SPANS)} from age(${at()}, ${at()}))`,
      () => `extract(${r.pick(['day', 'hour', 'epoch', 'second'])} from ${at()} - ${at()})`,
      () => `date_bin('${r.pick(['15 minutes', '6 hours', '2 days'])}', ${at()}, '2001-01-01')`,
      () => `make_date(20${10 + r.below(20)}, ${1 + r.below(12)}, ${1 + r.below(28)}) - ${this.#value('day', scope)}`,
      () => `(${at()} - ${at()}) ${r.pick(['<', '>', '='])} interval '${r.pick(['30 days', '1 month', '0 seconds'])}'`,
    ];
    const shown = Array.from({ length: 1 + r.below(3) }, (_, i) => `${r.pick(items)()} as d${i}`);
    return `select p.id, ${shown.join(', ')} from purchase p${this.#where(scope)}`;
  }

  #list(): string {
    const r = this.#random;
    const scope = this.#scope('p');
    const int = (): string => this.#value('int', scope);
    const items = [
      () => `${int()} = any(array[${int()}, ${int()}, 2::int8])`,
      () => `${int()} ${r.pick(['<>', '>', '<='])} ${r.pick(['any', 'all'])}(array[${int()}, 1::int8])`,
      () => `(array[${this.#value('txt', scope)}, 'b'])[${r.below(4)}]`,
      () => `array_to_string(array[${this.#value('txt', scope)}, null, 'z'], '|', '?')`,
      () => `array_length(string_to_array(${this.#value('txt', scope)}, ${r.pick(["'_'", "'a'"])}), 1)`,
      () => `array(select q.id from purchase q where q.customer_id = p.customer_id order by q.id limit 3)`,
      () => `cardinality(array[${int()}, ${int()}])`,
      () => `array[${this.#value('txt', scope)}, 'x y', null]::text`,
    ];
    const shown = Array.from({ length: 1 + r.below(3) }, (_, i) => `${r.pick(items)()} as l${i}`);
    return `select p.id, ${shown.join(', ')} from purchase p${this.#where(scope)}`;
  }

  /** Subqueries that read values which many outer rows share, so that results are kept and used again. */
  #correlated(): string {
    const r = this.#random;
    const inner = this.#scope('q');
    const link = r.pick([
      'q.customer_id = p.customer_id',
      'q.status = p.status and q.qty >= p.qty',
      'q.qty > p.qty',
      'q.placed is not distinct from p.placed',
    ]);
    const where = r.chance(0.5) ? ` and ${this.#parts.condition(inner, 1)}` : '';
    return r.pick([
      `select p.id, (select count(*) from purchase q where ${link}${where}) as n, (select max(q.status) from purchase q where ${link}) as m from purchase p`,
      `select p.id from purchase p where p.price >= (select avg(q.price) from purchase q where ${link}${where})`,
      `select p.id, p.qty in (select q.qty from purchase q where ${link}${where}) as i from purchase p`,
      `select p.id, exists (select 1 from purchase q where ${link} and exists (select 1 from purchase r where r.qty = q.qty and r.status = p.status)) as e from purchase p`,
      `select p.status, (select jsonb_agg(q.id order by q.id) from purchase q where q.status = p.status${where}) as j from purchase p group by p.status`,
    ]);
  }
}
