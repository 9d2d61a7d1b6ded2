import { RelayError } from '../errors.ts';
import type { JsonSchema } from './schemas.ts';
import { findHostile, hostileText } from './untrusted-json.ts';
import { check, type Problem, withDefaults } from './validation.ts';

export type InputReader = (raw: unknown) => Record<string, unknown>;

/** Query texts become what their schema says; strictly, so that `1e3`, ` 7` and `0x7` are refused. */
export function createQueryReader(schema: JsonSchema): InputReader {
  const properties = schema.properties ?? {};
  return (raw) => {
    const problems: Problem[] = [];
    const value: Record<string, unknown> = {};
    for (const [name, given] of Object.entries((raw ?? {}) as Record<string, unknown>)) {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (!property) {
        problems.push({ field: name, problem: 'is not a known parameter' });
      } else if (typeof given !== 'string') {
        problems.push({ field: name, problem: 'is given more than once' });
      } else {
        const problem = hostileText(given);
        if (problem) problems.push({ field: name, problem });
        else value[name] = fromText(property, given);
      }
    }
    const named = new Set(problems.map((problem) => problem.field));
    problems.push(...check(schema, value).filter((problem) => !named.has(problem.field)));
    if (problems.length > 0) throw refusal(problems);
    return withDefaults(schema, value);
  };
}

function fromText(schema: JsonSchema, text: string): unknown {
  const types = schema.anyOf ? schema.anyOf.map((part) => part.type) : [schema.type];
  if (types.includes('integer') && /^-?\d+$/.test(text)) {
    const number = Number(text);
    // Beyond 2^53 the text and the number differ: left as text it is refused by name.
    if (Number.isSafeInteger(number) && Math.abs(number) <= 2 ** 52) return number + 0;
  }
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** Bodies are taken as they are, never coerced. */
export function createBodyReader(schema: JsonSchema): InputReader {
  const ignored = schema['x-ignored'] ?? [];
  return (raw) => {
    if (raw === undefined) {
      throw new RelayError('invalid_request', 'A JSON body is needed.', {
        details: (schema.required ?? []).map((field) => ({ field, problem: 'is missing' })),
      });
    }
    const hostile: Problem[] = [];
    findHostile(raw, '', hostile);
    if (hostile.length > 0) throw refusal(hostile);
    if (raw !== null && typeof raw === 'object' && !Array.isArray(raw)) {
      for (const name of ignored) delete (raw as Record<string, unknown>)[name];
    }
    const problems = check(schema, raw);
    if (problems.length > 0) throw refusal(problems);
    return withDefaults(schema, raw as Record<string, unknown>);
  };
}

/** `{}` and nothing are the same to an endpoint without a body. */
export function refuseBody(raw: unknown): void {
  if (raw === undefined) return;
  const names =
    raw !== null && typeof raw === 'object' && !Array.isArray(raw) ? Object.keys(raw) : ['body'];
  if (names.length === 0) return;
  throw new RelayError(
    'invalid_request',
    'This endpoint takes no body: give its parameters in the query.',
    { details: names.map((field) => ({ field, problem: 'is not taken in a body' })) },
  );
}

function refusal(problems: Problem[]): RelayError {
  const [firstProblem] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more, see details)` : '';
  return new RelayError(
    'invalid_request',
    `${firstProblem?.field} ${firstProblem?.problem}${more}.`,
    { details: problems.slice(0, 100) },
  );
}
