/* Makes over REST the call that an action of a tool makes. */
import type { AnyAction } from './support.ts';

interface Schema {
  $ref?: string;
  properties?: Record<string, unknown>;
}
interface Operation {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export type RestCall = (
  action: AnyAction,
  given: Readonly<Record<string, unknown>>,
  key: string | undefined,
) => Promise<{ status: number; text: string }>;

export async function restOf(address: string): Promise<RestCall> {
  const document = (await (await fetch(`${address}/openapi.json`)).json()) as Document;
  const fieldsOf = ({ $ref, properties }: Schema): string[] =>
    $ref === undefined
      ? Object.keys(properties ?? {})
      : fieldsOf(document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});

  return async ({ call, named, set }, given, key) => {
    const [method = '', path = ''] = call.split(' ');
    const { parameters = [], requestBody } = document.paths[path]?.[method.toLowerCase()] ?? {};
    const values: Record<string, unknown> = { ...given, ...set };
    const pick = (names: readonly string[]) =>
      names.flatMap((name): [string, unknown][] => {
        const value = values[named[name] ?? name];
        return value === undefined ? [] : [[name, value]];
      });
    const inQuery = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
    const query = new URLSearchParams(
      pick(inQuery).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const schema = requestBody?.content['application/json'].schema;
    const answer = await fetch(`${address}${path}?${query.toString()}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(schema ? { 'content-type': 'application/json' } : {}),
      },
      ...(schema ? { body: JSON.stringify(Object.fromEntries(pick(fieldsOf(schema)))) } : {}),
    });
    return { status: answer.status, text: await answer.text() };
  };
}
