/*
 * Checks a value against the JSON schema subset of the endpoints and says in plain words which
 * field is wrong and why. Lengths are counted in characters (code points), as in JSON schema. A
 * keyword this file does not know is refused when the endpoint is declared, never ignored.
 */
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { patternProblems } from '../../core/people/plain-text.ts';
import { meantBy } from '../../core/reasons/similar-word.ts';
import type { FieldProblem } from '../../errors.ts';
import type { JsonSchema } from '../schemas.ts';

export interface Problem extends FieldProblem {
  field: string;
  problem: Reason;
}

const annotations = [
  'title',
  'description',
  'default',
  'examples',
  'x-ignored',
  'x-stated',
  'x-alias',
];
const constraints = [
  'type',
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'items',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'enum',
  'const',
  'anyOf',
  'not',
];
const known = new Set([...annotations, ...constraints]);
const formats = new Set(['date-time', 'binary']);

// Nobody reads more problems, and an invalid request should not cost more than a valid one.
const maxProblems = 100;

const patterns = new Map<string, RegExp>();

/** Schemas do not change, so each is examined once, however often its endpoint is registered. */
const supported = new WeakSet<JsonSchema>();

export function assertSupported(schema: JsonSchema, where: string): void {
  if (supported.has(schema)) return;
  for (const keyword of Object.keys(schema)) {
    if (!known.has(keyword)) throw new Error(`${where}: the schema keyword ${keyword} is unknown`);
  }
  if (schema.format !== undefined && !formats.has(schema.format)) {
    throw new Error(`${where}: the format ${schema.format} is unknown`);
  }
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    assertSupported(part, `${where}.${name}`);
  }
  if (schema.items) assertSupported(schema.items, `${where}[]`);
  for (const part of schema.anyOf ?? []) assertSupported(part, where);
  supported.add(schema);
}

export function check(schema: JsonSchema, value: unknown, field = ''): Problem[] {
  const problems: Problem[] = [];
  visit(schema, value, field, problems);
  return problems;
}

function visit(schema: JsonSchema, value: unknown, field: string, problems: Problem[]): void {
  if (schema.anyOf) {
    visitAnyOf(schema.anyOf, value, field, problems);
    return;
  }
  if (schema.enum && !schema.enum.includes(value)) {
    complain(problems, field, oneOf(schema.enum));
    return;
  }
  if ('const' in schema && value !== schema.const) {
    complain(problems, field, reason('other_value', { value: schema.const }));
    return;
  }
  if (schema.type !== undefined && !isOfType(schema.type, value)) {
    complain(problems, field, reason('wrong_type', { types: [schema.type].flat() }));
    return;
  }
  if (typeof value === 'string') visitString(schema, value, field, problems);
  else if (typeof value === 'number') visitNumber(schema, value, field, problems);
  else if (Array.isArray(value)) visitArray(schema, value, field, problems);
  else if (value !== null && typeof value === 'object') {
    visitObject(schema, value as Record<string, unknown>, field, problems);
  }
}

function complain(problems: Problem[], field: string, problem: Reason): void {
  problems.push({ field: field || 'body', problem });
}

/** An empty text means no value, so it is not listed as a choice. */
function oneOf(values: readonly unknown[]): Reason {
  return reason('not_one_of', { choices: values.map(String).filter((choice) => choice !== '') });
}

function isOfType(type: string | string[], value: unknown): boolean {
  if (Array.isArray(type)) return type.some((one) => isOfType(one, value));
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return value !== null && typeof value === 'object' && !Array.isArray(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

function visitAnyOf(
  branches: JsonSchema[],
  value: unknown,
  field: string,
  problems: Problem[],
): void {
  const outcomes = branches.map((branch) => check(branch, value, field));
  if (outcomes.some((outcome) => outcome.length === 0)) return;
  if (branches.every((branch) => 'const' in branch)) {
    complain(problems, field, oneOf(branches.map((branch) => branch.const)));
    return;
  }
  const sameType = branches.findIndex(
    (branch) => branch.type !== undefined && isOfType(branch.type, value),
  );
  if (sameType >= 0) {
    problems.push(...(outcomes[sameType] ?? []));
    return;
  }
  const types = branches.flatMap((branch) => branch.type ?? 'something else');
  complain(problems, field, reason('wrong_type', { types }));
}

function visitString(schema: JsonSchema, value: string, field: string, problems: Problem[]): void {
  const minLength = schema.minLength;
  const maxLength = schema.maxLength;
  if (minLength !== undefined && isShorter(value, minLength)) {
    complain(
      problems,
      field,
      minLength === 1 ? reason('empty') : reason('too_short', { least: minLength }),
    );
  }
  if (maxLength !== undefined && !isShorter(value, maxLength + 1)) {
    complain(problems, field, reason('too_long', { most: maxLength }));
  }
  const pattern = schema.pattern;
  if (pattern !== undefined && !compiled(pattern).test(value)) {
    complain(problems, field, patternProblems.get(pattern) ?? reason('wrong_form', { pattern }));
  }
  if (schema.format === 'date-time' && !isDateTime(value)) {
    complain(problems, field, reason('not_a_moment', { example: '2026-01-31T12:00:00Z' }));
  }
}

/** A character has one or two UTF-16 units, so most texts need no counting. */
function isShorter(text: string, characters: number): boolean {
  if (text.length < characters) return true;
  if (text.length >= 2 * characters) return false;
  let count = text.length;
  // The second unit of a surrogate pair is no character; texts with half a pair were refused before.
  for (let at = 0; at < text.length; at++)
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) count -= 1;
  return count < characters;
}

function compiled(pattern: string): RegExp {
  let expression = patterns.get(pattern);
  if (!expression) {
    expression = new RegExp(pattern, 'u');
    patterns.set(pattern, expression);
  }
  return expression;
}

export const dateTimePattern =
  '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d)$';
const dateTime = new RegExp(dateTimePattern);

export function isDateTime(value: string): boolean {
  return dateTime.test(value) && !Number.isNaN(Date.parse(value));
}

function visitNumber(schema: JsonSchema, value: number, field: string, problems: Problem[]): void {
  const minimum = schema.minimum;
  const maximum = schema.maximum;
  if (minimum !== undefined && value < minimum)
    complain(problems, field, reason('too_small', { least: minimum }));
  else if (maximum !== undefined && value > maximum)
    complain(problems, field, reason('too_large', { most: maximum }));
  const not = schema.not;
  if (not && value === not.const)
    complain(problems, field, reason('not_allowed_value', { value: not.const }));
}

function visitArray(
  schema: JsonSchema,
  value: unknown[],
  field: string,
  problems: Problem[],
): void {
  const minItems = schema.minItems;
  const maxItems = schema.maxItems;
  if (minItems !== undefined && value.length < minItems) {
    complain(
      problems,
      field,
      minItems === 1 ? reason('empty') : reason('too_few', { least: minItems }),
    );
  }
  if (maxItems !== undefined && value.length > maxItems) {
    complain(problems, field, reason('too_many', { most: maxItems }));
    return;
  }
  if (
    schema.uniqueItems &&
    new Set(value.map((item) => JSON.stringify(item))).size < value.length
  ) {
    complain(problems, field, reason('repeated_entry'));
  }
  if (!schema.items) return;
  for (const [index, item] of value.entries()) {
    visit(schema.items, item, `${field}[${index}]`, problems);
    if (problems.length > maxProblems) return;
  }
}

function visitObject(
  schema: JsonSchema,
  value: Record<string, unknown>,
  field: string,
  problems: Problem[],
): void {
  const prefix = field ? `${field}.` : '';
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name))
      problems.push({ field: prefix + name, problem: reason('missing') });
  }
  for (const name in value) {
    const part = value[name];
    const property =
      schema.properties && Object.hasOwn(schema.properties, name)
        ? schema.properties[name]
        : undefined;
    if (property) visit(property, part, prefix + name, problems);
    else if (schema.additionalProperties === false) {
      const meant = meantBy(name, Object.keys(schema.properties ?? {}));
      problems.push({
        field: prefix + shortened(name),
        problem: reason('unknown_field', meant),
      });
    } else if (typeof schema.additionalProperties === 'object') {
      visit(schema.additionalProperties, part, prefix + shortened(name), problems);
    }
    if (problems.length > maxProblems) return;
  }
}

/** An unknown name may have any length. */
function shortened(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100).toWellFormed()}…` : name;
}

/** Fills in defaults of top-level fields. */
export function withDefaults(
  schema: JsonSchema,
  value: Record<string, unknown>,
): Record<string, unknown> {
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    if (value[name] === undefined && 'default' in part) value[name] = part.default;
  }
  return value;
}
