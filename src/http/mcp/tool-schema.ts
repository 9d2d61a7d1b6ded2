/* Derives the input of tools from the endpoints that they call. */
import type { Caller } from '../../core/access/access.ts';
import { hasRight } from '../../core/access/rights.ts';
import type { Endpoint } from '../endpoint.ts';
import { asJsonSchema, type JsonSchema } from '../schemas.ts';
import { type Tool, type ToolAction, tools } from './tool-table.ts';

/** An action with its endpoint, and where each of its fields goes. */
export interface BoundAction extends ToolAction {
  name: string;
  endpoint: Endpoint;
  /** The fields by their name in the tool. */
  fields: ReadonlyMap<string, BoundField>;
}

interface BoundField {
  name: string;
  in: 'query' | 'body' | 'headers';
  schema: JsonSchema;
  /** The value if the caller leaves it out. */
  byDefault: unknown;
  isRequired: boolean;
}

export interface BoundTool extends Omit<Tool, 'actions'> {
  name: string;
  actions: readonly BoundAction[];
}

const pageLength = 20;

/** A field of the endpoint that would be an object of Telegram, or is only for people. */
const leftOut = new Set(['offset', 'guest']);

export function bindTools(endpoints: readonly Endpoint[]): BoundTool[] {
  const byName = new Map(endpoints.map((one) => [`${one.method} ${one.path}`, one]));
  return Object.entries(tools).map(([name, { actions, ...tool }]) => ({
    ...tool,
    name,
    actions: Object.entries(actions).flatMap(([action, spec]) => {
      const endpoint = byName.get(spec.call);
      return endpoint ? [bind(action, spec, endpoint)] : [];
    }),
  }));
}

function bind(name: string, spec: ToolAction, endpoint: Endpoint): BoundAction {
  const fields = new Map<string, BoundField>();
  for (const place of ['query', 'body', 'headers'] as const) {
    const schema = place === 'body' ? (endpoint.jsonBody ?? endpoint.body) : endpoint[place];
    if (!schema) continue;
    const { properties = {}, required = [] } = asJsonSchema(schema);
    for (const [field, part] of Object.entries(properties)) {
      const isTaken = spec.only === undefined || spec.only.includes(field) || place === 'headers';
      if (!isTaken || leftOut.has(field) || field in (spec.set ?? {})) continue;
      const usual = spec.byDefault?.[field] ?? (field === 'limit' ? pageLength : undefined);
      fields.set(spec.named?.[field] ?? field.replaceAll('-', '_'), {
        name: field,
        in: place,
        schema: usual === undefined ? part : { ...part, default: usual },
        byDefault: usual,
        isRequired: required.includes(field),
      });
    }
  }
  return { ...spec, name, endpoint, fields };
}

/** The tools and actions that a caller may use; a limit of its key may still refuse a call. */
export function toolsOf(all: readonly BoundTool[], caller: Caller): BoundTool[] {
  return all
    .map((tool) => ({ ...tool, actions: tool.actions.filter((one) => mayCall(caller, one)) }))
    .filter(({ actions }) => actions.length > 0);
}

function mayCall(caller: Caller, { call, endpoint }: BoundAction): boolean {
  const { area, chats = 'refused', scope } = endpoint;
  if (scope === 'public' || !hasRight(caller, { area, scope })) return false;
  // The sandbox is for keys of all bots.
  if (caller.botIds !== null && call.includes('/sandbox/')) return false;
  return caller.chats === undefined || chats !== 'refused';
}

/** The tool as clients list it. */
export function listedTool({ name, title, does, actions }: BoundTool) {
  const isReadOnly = actions.every(({ endpoint }) => isReading(endpoint));
  const what = actions.map((one) => `${one.name}: ${one.does ?? one.endpoint.summary}.`);
  return {
    name,
    title,
    description: actions.length === 1 ? does : `${does}\nActions:\n${what.join('\n')}`,
    inputSchema: inputOf(actions),
    annotations: {
      title,
      readOnlyHint: isReadOnly,
      destructiveHint: actions.some(({ destroys }) => destroys === true),
      openWorldHint: !isReadOnly,
    },
  };
}

/** A call that changes nothing but the sandbox is no change. */
export function isReading({ method, audit, path }: Endpoint): boolean {
  return method === 'GET' || (audit === 'none' && !path.startsWith('/api/sandbox/'));
}

function inputOf(actions: readonly BoundAction[]) {
  const names = new Set(actions.flatMap(({ fields }) => [...fields.keys()]));
  const isSingle = actions.length === 1;
  const properties: Record<string, JsonSchema> = isSingle
    ? {}
    : { action: { type: 'string', enum: actions.map(({ name }) => name) } };
  const required = isSingle ? [] : ['action'];
  for (const name of names) {
    const uses = actions.flatMap((action) => {
      const field = action.fields.get(name);
      return field ? [{ action: action.name, ...field }] : [];
    });
    properties[name] = mergedSchema(uses, uses.length < actions.length);
    if (uses.length === actions.length && uses.every(({ isRequired }) => isRequired)) {
      required.push(name);
    }
  }
  return { type: 'object' as const, properties, required, additionalProperties: false };
}

/** Actions share a field of the same name, with the words of all. */
function mergedSchema(
  uses: readonly (BoundField & { action: string })[],
  isPartial: boolean,
): JsonSchema {
  const [first] = uses;
  const { default: usual, description = '', ...rest } = plain(first?.schema ?? {});
  const hasDefault = usual !== undefined && uses.every((one) => one.schema.default === usual);
  const schema = hasDefault ? { ...rest, default: usual } : rest;
  const isSame = uses.every((one) => one.schema.type === first?.schema.type);
  const enums = uses.map((one) => one.schema.enum);
  const merged: JsonSchema = !isSame
    ? {}
    : enums.every((one) => one !== undefined)
      ? { ...schema, enum: [...new Set(enums.flat())] }
      : schema;
  const forActions = uses.map(({ action, isRequired }) => action + (isRequired ? '' : '?'));
  const note = isPartial ? `(${forActions.join(', ')})` : '';
  return { ...merged, description: [description, note].filter(Boolean).join(' ') };
}

/** Models need no examples, and clients know no keywords of ours. */
function plain(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).filter(
    ([keyword]) => keyword !== 'examples' && !keyword.startsWith('x-'),
  );
  const copy = Object.fromEntries(entries) as JsonSchema;
  if (copy.properties) {
    copy.properties = Object.fromEntries(
      Object.entries(copy.properties).map(([name, part]) => [name, plain(part)]),
    );
  }
  return copy.items ? { ...copy, items: plain(copy.items) } : copy;
}
