import { type TProperties, Type } from 'typebox';
import { ControlError } from '../api-error.ts';
import { isTooDeep } from '../nesting.ts';
import { largestId } from './fields.ts';

export type ControlInput = Record<string, unknown>;

/**
 * Checks only these keywords of a schema. Actions check lengths of texts and patterns, because
 * their errors can say more.
 */
interface Schema {
  type?: string;
  anyOf?: Schema[];
  enum?: string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxItems?: number;
}

/** Returns the input with the types that the fields declare, or throws an error that names the wrong field. */
export function checkInput(action: string, fields: TProperties, input: ControlInput): ControlInput {
  if (isTooDeep(input)) throw new ControlError('too_deep');
  const schema = Type.Object(fields, { additionalProperties: false }) as Schema;
  return readObject(schema, input, '');

  function readObject({ properties = {}, ...rest }: Schema, given: object, at: string) {
    const prefix = at && `${at}.`;
    const known = Object.keys(properties);
    const strange = Object.keys(given).find((name) => !known.includes(name));
    if (strange !== undefined && rest.additionalProperties === false) {
      throw new ControlError('field_unknown', { action, field: prefix + strange, known });
    }
    const missing = rest.required?.find((name) => !Object.hasOwn(given, name));
    if (missing !== undefined) throw new ControlError('field_missing', { field: prefix + missing });
    const entries = Object.entries(given).map(([name, value]) => {
      const schema = known.includes(name) ? properties[name] : undefined;
      return [name, schema ? read(schema, value, prefix + name) : (value as unknown)];
    });
    return Object.fromEntries(entries) as ControlInput;
  }

  function read(schema: Schema, value: unknown, field: string): unknown {
    if (schema.enum && !schema.enum.includes(value as string)) {
      throw new ControlError('not_one_of', { field, choices: schema.enum });
    }
    switch (schema.type) {
      case 'string':
        if (typeof value !== 'string') throw new ControlError('not_a_text', { field });
        if (value === '' && schema.minLength) throw new ControlError('field_empty', { field });
        return value;
      case 'boolean':
        // Values of a query are texts, and scripts send texts in bodies too.
        if (value === true || value === 'true') return true;
        if (value === false || value === 'false') return false;
        throw new ControlError('not_a_boolean', { field });
      case 'integer':
      case 'number':
        return readNumber(schema, value, field);
      case 'array':
        if (!Array.isArray(value)) throw new ControlError('not_a_list', { field });
        if (schema.maxItems !== undefined && value.length > schema.maxItems) {
          throw new ControlError('too_many_entries', { field, most: schema.maxItems });
        }
        return value.map((entry) => read(schema.items ?? {}, entry, field));
      case 'object':
        if (typeOf(value) !== 'object') throw new ControlError('not_an_object', { field });
        return readObject(schema, value as object, field);
      default:
        return schema.anyOf ? readEither(schema.anyOf, value, field) : value;
    }
  }

  function readEither(branches: Schema[], value: unknown, field: string): unknown {
    const branch = branches.find(({ type }) => type === typeOf(value));
    if (branch) return read(branch, value, field);
    const isReference = branches.some(({ type }) => type === 'integer');
    throw new ControlError(isReference ? 'not_a_reference' : 'not_an_object', { field });
  }
}

function readNumber(schema: Schema, value: unknown, field: string): number {
  const { type, minimum: least = -largestId, maximum: most = largestId } = schema;
  const isGiven = typeof value === 'number' || (typeof value === 'string' && value !== '');
  const number = isGiven ? Number(value) : Number.NaN;
  const isWhole = type === 'number' || Number.isInteger(number);
  if (isWhole && number >= least && number <= most) return number;
  if (least === 0 && number < 0) throw new ControlError('field_negative', { field });
  // An error that names the largest ID would not help a person.
  if (!isWhole && (number > least || most === largestId)) {
    throw new ControlError('not_an_integer', { field });
  }
  throw new ControlError('not_in_range', { field, least, most });
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
