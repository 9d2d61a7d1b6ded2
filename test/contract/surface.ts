/*
 * What clients rely on, as plain data that a person can review: every operation with its fields, the
 * error codes, the settings and the metrics. A field is one text, such as "optional string: copy | drop".
 */

export interface Surface {
  /** By method and path, then by where the field is: "query.limit", "body.tag", "200[].id". */
  operations: Record<string, Record<string, string>>;
  /** The status of each error code. */
  errors: Record<string, string>;
  /** The flag and the key in the configuration file of each setting. */
  settings: Record<string, string>;
  /** The type of each metric. */
  metrics: Record<string, string>;
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

interface Content {
  schema: Schema;
  examples?: Record<string, unknown>;
}

interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, Response>;
  'x-scope'?: string;
}

interface Response {
  $ref?: string;
  content?: Record<string, Content>;
}

export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses?: Record<string, Response> };
}

const errorRef = '#/components/schemas/Error';

export function operationsOf(document: Document): Surface['operations'] {
  const walk = createWalk(document.components.schemas);
  const operations: Surface['operations'] = {
    'every error': walk({ answer: { schema: { $ref: errorRef }, optional: false } }),
  };
  const { responses: answers = {} } = document.components;
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, declared] of Object.entries(methods)) {
      const responses = Object.entries(declared.responses).map(([status, response]) => {
        const name = response.$ref?.split('/').at(-1);
        return [status, name === undefined ? response : (answers[name] ?? {})];
      });
      const operation = { ...declared, responses: Object.fromEntries(responses) } as Operation;
      operations[`${method.toUpperCase()} ${path}`] = {
        scope: operation['x-scope'] ?? '',
        errors: `codes: ${codesOf(operation).join(' | ')}`,
        ...walk(rootsOf(operation)),
      };
    }
  }
  return operations;
}

type Roots = Record<string, { schema: Schema; optional: boolean }>;

function rootsOf({ parameters = [], requestBody, responses }: Operation): Roots {
  const roots: Roots = {};
  for (const parameter of parameters) {
    const { name, schema, required = false } = parameter;
    roots[`${parameter.in}.${name}`] = { schema, optional: !required };
  }
  for (const [type, { schema }] of Object.entries(requestBody?.content ?? {})) {
    roots[`body${ofType(type)}`] = { schema, optional: !requestBody?.required };
  }
  for (const [status, { content = {} }] of Object.entries(responses)) {
    for (const [type, { schema }] of Object.entries(content)) {
      if (schema.$ref !== errorRef) roots[status + ofType(type)] = { schema, optional: false };
    }
  }
  return roots;
}

function ofType(type: string): string {
  return type === 'application/json' ? '' : `(${type})`;
}

function codesOf({ responses }: Operation): string[] {
  return Object.values(responses)
    .flatMap(({ content = {} }) => Object.values(content))
    .flatMap(({ schema, examples }) =>
      schema.$ref === errorRef ? Object.keys(examples ?? {}) : [],
    )
    .sort();
}

/** Lists the fields below some roots. Names of schemas do not matter, only what they stand for. */
function createWalk(named: Record<string, Schema>) {
  function alternativesOf(schema: Schema): Schema[] {
    const { $ref, anyOf, oneOf, allOf, ...own } = schema;
    let found: Schema[] = [own];
    const join = (parts: Schema[]) => {
      found = found.flatMap((one) => parts.map((part) => merged(one, part)));
    };
    if ($ref !== undefined) join(alternativesOf(named[$ref.split('/').at(-1) ?? ''] ?? {}));
    for (const part of allOf ?? []) join(alternativesOf(part));
    if (anyOf) join(anyOf.flatMap(alternativesOf));
    if (oneOf) join(oneOf.flatMap(alternativesOf));
    return found;
  }

  function visit(
    where: string,
    schema: Schema,
    optional: boolean,
    above: string[],
    fields: Record<string, string>,
  ): void {
    const names = namesIn(schema);
    if (names.some((name) => above.includes(name))) return;
    const below = [...above, ...names];
    const alternatives = alternativesOf(schema);
    fields[where] = textOf(alternatives, optional);
    const objects = alternatives.filter(({ properties }) => properties);
    const properties = new Set(objects.flatMap((one) => Object.keys(one.properties ?? {})));
    for (const name of properties) {
      const parts = objects.flatMap((one) => one.properties?.[name] ?? []);
      const always = objects.every((one) => one.required?.includes(name));
      visit(`${where}.${name}`, oneOrMore(parts), !always, below, fields);
    }
    const items = alternatives.flatMap((one) => one.items ?? []);
    if (items.length > 0) visit(`${where}[]`, oneOrMore(items), false, below, fields);
    const others = alternatives.flatMap(({ additionalProperties: any }) =>
      typeof any === 'object' ? any : [],
    );
    if (others.length > 0) visit(`${where}.*`, oneOrMore(others), false, below, fields);
  }

  return (roots: Roots): Record<string, string> => {
    const fields: Record<string, string> = {};
    for (const [where, { schema, optional }] of Object.entries(roots)) {
      visit(where, schema, optional, [], fields);
    }
    return fields;
  };
}

function namesIn({ $ref, anyOf = [], oneOf = [], allOf = [] }: Schema): string[] {
  return [...($ref ? [$ref] : []), ...[...anyOf, ...oneOf, ...allOf].flatMap(namesIn)];
}

function merged(one: Schema, other: Schema): Schema {
  const properties = { ...one.properties, ...other.properties };
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    required: [...(one.required ?? []), ...(other.required ?? [])],
  };
}

function oneOrMore(parts: Schema[]): Schema {
  return parts.length === 1 ? (parts[0] ?? {}) : { anyOf: parts };
}

function textOf(alternatives: Schema[], optional: boolean): string {
  const types = alternatives.flatMap(typesOf);
  const scalars = alternatives.filter((one) => !typesOf(one).includes('null'));
  const limited = scalars.every((one) => 'const' in one || one.enum);
  const values = limited
    ? scalars.flatMap((one) => ('const' in one ? [one.const] : (one.enum ?? [])))
    : [];
  return fieldText({
    optional,
    types: new Set(types),
    values: new Set(values.map(String)),
  });
}

function typesOf({ type, ...more }: Schema): string[] {
  if (Array.isArray(type)) return type;
  if (type !== undefined) return [type];
  const example = 'const' in more ? more.const : more.enum?.[0];
  return [example === undefined ? 'any' : typeof example];
}

interface Field {
  optional: boolean;
  types: Set<string>;
  /** The only values there are; none: any. */
  values: Set<string>;
}

const or = ' | ';

function fieldText({ optional, types, values }: Field): string {
  const kinds = [...types].sort().join(or);
  return `${optional ? 'optional ' : ''}${kinds}${values.size > 0 ? `: ${[...values].join(or)}` : ''}`;
}

function fieldOf(text: string): Field {
  const [, optional, types = '', values] = /^(optional )?([^:]*)(?:: (.*))?$/.exec(text) ?? [];
  return {
    optional: optional !== undefined,
    types: new Set(types.split(or)),
    values: new Set(values?.split(or)),
  };
}

/** One line for each promise that is no longer kept. What is new is no problem. */
export function brokenPromises(promised: Surface, served: Surface): string[] {
  const problems: string[] = [];
  for (const [operation, fields] of Object.entries(promised.operations)) {
    const now = served.operations[operation];
    if (now) problems.push(...brokenFields(operation, fields, now));
    else problems.push(`${operation} is gone`);
  }
  for (const kind of ['errors', 'settings', 'metrics'] as const) {
    for (const [name, was] of Object.entries(promised[kind])) {
      const is = served[kind][name];
      if (is === undefined) problems.push(`${kind}: ${name} is gone`);
      else if (is !== was) problems.push(`${kind}: ${name} was ${was}, is ${is}`);
    }
  }
  return problems;
}

type Fields = Record<string, string>;

function brokenFields(operation: string, promised: Fields, served: Fields): string[] {
  const problems = Object.entries(promised).flatMap(([where, was]) => {
    const is = served[where];
    const found = is === undefined ? ['is gone'] : changes(where, fieldOf(was), fieldOf(is));
    return found.map((problem) => `${operation}: ${where} ${problem}`);
  });
  for (const [where, is] of Object.entries(served)) {
    const isNew = !(where in promised) && isRequest(where) && parentOf(where) in promised;
    const isChoice = isBody(where) && Object.keys(promised).some(isBody);
    if (isNew && !isChoice && !fieldOf(is).optional)
      problems.push(`${operation}: ${where} is new and required`);
  }
  return problems;
}

function isRequest(where: string): boolean {
  return /^(path|query|header|cookie|body)\b/.test(where);
}

/** The body as a whole, in one of the types it may have. */
function isBody(where: string): boolean {
  return /^body(\(.*\))?$/.test(where);
}

/** Parameters and bodies belong to the operation itself, which always has a scope. */
function parentOf(where: string): string {
  return /^body\b.*[.[]/.test(where) ? where.replace(/(\.[^.[\]]+|\[\])$/, '') : 'scope';
}

function changes(where: string, was: Field, is: Field): string[] {
  const problems: string[] = [];
  const request = isRequest(where);
  const retyped = request ? !within(was.types, is.types) : !sameSet(was.types, is.types);
  if (retyped) problems.push(`was ${[...was.types].join(or)}, is ${[...is.types].join(or)}`);
  const lost = [...was.values].filter((value) => !is.values.has(value));
  // A request that takes anything takes the values too.
  const anyValue = request && is.values.size === 0;
  if (lost.length > 0 && !anyValue) problems.push(`no longer has ${lost.join(', ')}`);
  if (request && was.values.size === 0 && is.values.size > 0) {
    problems.push(`took any value, takes only ${[...is.values].join(', ')}`);
  }
  if (request && was.optional && !is.optional) problems.push('was optional, is required');
  if (!request && !was.optional && is.optional) problems.push('was always there, may be absent');
  return problems;
}

function sameSet(one: Set<string>, other: Set<string>): boolean {
  return one.size === other.size && within(one, other);
}

function within(few: Set<string>, many: Set<string>): boolean {
  return [...few].every((one) => many.has(one));
}

/** The snapshot with what is new added to it. Nothing promised leaves it: that takes an edit by hand. */
export function withAdditions(promised: Surface, served: Surface): Surface {
  const operations = { ...promised.operations };
  for (const [operation, fields] of Object.entries(served.operations)) {
    operations[operation] = grown(promised.operations[operation] ?? {}, fields);
  }
  return {
    operations: sorted(operations),
    errors: sorted({ ...served.errors, ...promised.errors }),
    settings: sorted({ ...served.settings, ...promised.settings }),
    metrics: sorted({ ...served.metrics, ...promised.metrics }),
  };
}

function grown(promised: Fields, served: Fields): Fields {
  const fields: Fields = {};
  for (const [where, is] of Object.entries(served)) {
    const was = promised[where];
    const kept = was === undefined || changes(where, fieldOf(was), fieldOf(is)).length === 0;
    fields[where] = kept ? is : was;
  }
  return {
    ...fields,
    ...Object.fromEntries(Object.entries(promised).filter(([at]) => !(at in served))),
  };
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
