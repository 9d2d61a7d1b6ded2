import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { JsonSchema } from '../schemas.ts';
import { findHostile, hostileText } from './untrusted-json.ts';
import { check, type Problem, withDefaults } from './validation.ts';

const farthest = 2 ** 52;

export type InputReader = (raw: unknown) => Record<string, unknown>;

/** Converts texts of queries and forms strictly as their schema says, so that `1e3`, ` 7` and `0x7` are refused. */
export function createQueryReader(schema: JsonSchema): InputReader {
  const properties = new Map(Object.entries(schema.properties ?? {}));
  const required = schema.required ?? [];
  const defaults = [...properties].filter(([, property]) => 'default' in property);

  return (raw) => {
    let problems: Problem[] | undefined;
    const value: Record<string, unknown> = {};
    for (const name in raw as Record<string, unknown>) {
      const given = (raw as Record<string, unknown>)[name];
      const property = properties.get(name);
      const found =
        property && typeof given === 'string'
          ? readParameter(name, property, given, value)
          : [
              {
                field: name,
                problem: property ? reason('given_twice') : reason('unknown_parameter'),
              },
            ];
      if (found) (problems ??= []).push(...found);
    }
    for (const name of required) {
      if (!(name in value) && !Object.hasOwn(raw as object, name)) {
        (problems ??= []).push({ field: name, problem: reason('missing') });
      }
    }
    if (problems) throw invalidInput(problems);
    for (const [name, property] of defaults) {
      if (value[name] === undefined) value[name] = property.default;
    }
    return value;
  };
}

/** Puts the parameter into `value`, or returns its problem. */
function readParameter(
  name: string,
  schema: JsonSchema,
  text: string,
  value: Record<string, unknown>,
): Problem[] | undefined {
  const hostile = hostileText(text);
  if (hostile) return [{ field: name, problem: hostile }];
  const read = fromText(schema, text);
  const problems: Problem[] = [];
  if (typeof read === 'object') findHostile(read, name, problems);
  if (problems.length === 0) problems.push(...check(schema, read, name));
  if (problems.length > 0) return problems;
  value[name] = read;
  return undefined;
}

function fromText(schema: JsonSchema, text: string): unknown {
  if (takes(schema, 'integer') && /^-?\d+$/.test(text)) {
    // Beyond this, numbers lose precision. IDs are smaller, so only the sign of the excess matters.
    return Math.max(-farthest, Math.min(farthest, Number(text))) + 0;
  }
  if (takes(schema, 'boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return takes(schema, 'object') || takes(schema, 'array') ? jsonOf(text) : text;
}

/** The text itself if it is no JSON, which the schema then refuses. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function takes(schema: JsonSchema, type: string): boolean {
  return schema.type === type || (schema.anyOf?.some((part) => part.type === type) ?? false);
}

/** Bodies are never coerced. */
export function createBodyReader(schema: JsonSchema): InputReader {
  const ignored = schema['x-ignored'] ?? [];
  return (raw) => {
    if (raw === undefined && (schema.required ?? []).length === 0) {
      return withDefaults(schema, {});
    }
    if (raw === undefined) {
      throw new RelayError('invalid_request', reason('body_needed'), {
        details: (schema.required ?? []).map((field) => ({ field, problem: reason('missing') })),
      });
    }
    const hostile: Problem[] = [];
    findHostile(raw, '', hostile);
    if (hostile.length > 0) throw invalidInput(hostile);
    if (raw !== null && typeof raw === 'object' && !Array.isArray(raw)) {
      for (const name of ignored) delete (raw as Record<string, unknown>)[name];
    }
    const problems = check(schema, raw);
    if (problems.length > 0) throw invalidInput(problems);
    return withDefaults(schema, raw as Record<string, unknown>);
  };
}

/** An endpoint without a body accepts `{}`. */
export function refuseBody(raw: unknown): void {
  if (raw === undefined) return;
  const names =
    raw !== null && typeof raw === 'object' && !Array.isArray(raw) ? Object.keys(raw) : ['body'];
  if (names.length === 0) return;
  throw new RelayError('invalid_request', reason('body_not_taken'), {
    details: names.map((field) => ({ field, problem: reason('not_taken_in_body') })),
  });
}

function invalidInput(problems: readonly Problem[]): RelayError {
  const { field, problem } = problems[0] as Problem;
  const why = reason('input_wrong', { field, problem, more: problems.length - 1 });
  return new RelayError('invalid_request', why, { details: problems.slice(0, 100) });
}
