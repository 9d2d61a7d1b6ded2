import type { ChatRule } from '../../core/access/chat-limits.ts';
import { type Area, rolesWith } from '../../core/access/rights.ts';
import type { ErrorBody, ErrorCode } from '../../errors.ts';
import type { Endpoint } from '../endpoint.ts';
import { statusOf } from '../error-handler.ts';
import { errorExample } from './error-examples.ts';
import { type RecordedCall, recordedExamples } from './recorded-examples.ts';
import { exampleOf, requestExampleOf } from './schema-example.ts';
import { asJsonSchema, type JsonSchema } from '../schemas.ts';

type Json = Record<string, unknown>;

export interface OpenApiOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Json[];
  parameters?: Json[];
  requestBody?: {
    required: boolean;
    content: Record<string, { schema: JsonSchema; example?: unknown }>;
  };
  responses: Record<string, Json>;
  'x-scope': string;
  /** Where the role of a user has to include that scope. */
  'x-area': Area;
  /** How a key that is limited to some chats is kept within them. */
  'x-chats'?: ChatRule;
}

export interface OpenApiDocument {
  openapi: string;
  info: Json;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: Json & { schemas: Record<string, JsonSchema> };
}

const statusWords: Record<number, string> = {
  400: 'The request is invalid; `details` names each field.',
  401: 'No valid key.',
  403: 'The key lacks the scope, or access to the bot.',
  404: 'Not found.',
  405: 'Wrong method; `Allow` names the right one.',
  409: 'The current state does not allow it.',
  413: 'The body is too large.',
  415: 'The body is not `application/json`.',
  422: 'Telegram refused; its error is in `platform`.',
  429: 'Too many requests; `Retry-After` says when to retry.',
  500: 'Internal error. Search the log for the `request_id`.',
  502: 'Telegram cannot be reached; nothing was done.',
  503: 'The service is stopping, or its database cannot be reached; `Retry-After` says when to retry.',
  504: 'Telegram accepted the request but did not answer: the outcome is unknown.',
};

/** Builds the OpenAPI document from the registered endpoints alone. */
export function openapiDocument(endpoints: readonly Endpoint[], version: string): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  const examples = recordedExamples();
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    const recorded = examples[`${endpoint.method} ${path}`] ?? {};
    paths[path][endpoint.method.toLowerCase()] = operationOf(endpoint, recorded);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bot Relay',
      version,
      description:
        'Manage many Telegram bots: store, forward, buffer and route every update. Every success is 200, and all errors have one shape. Unknown fields and parameters are refused. Read-only fields of a resource may be sent back and are ignored.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // A relative address: the service that serves the document.
    servers: [{ url: '/' }],
    tags: tagsOf(endpoints).map((name) => ({ name, description: tagWords[name] ?? '' })),
    paths,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'brs_…',
          description: 'An API key: `Authorization: Bearer brs_…`.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'relay_session',
          description: 'The session of the web UI. POST also needs the header `X-CSRF-Token`.',
        },
      },
      schemas: { Error: errorSchema },
    },
  };
}

const tagWords: Record<string, string> = {
  Bots: 'Add, configure and check bots.',
  Apps: 'Applications connected to a bot, each with its own token, filter and position.',
  Configuration: 'The whole configuration as one document, to export and apply.',
  Routes: 'Forward messages from one bot through another.',
  Desks: 'Support desks: each customer has a topic in the forum of the team.',
  'Language model': 'Settings of the language model that routes by meaning.',
  Messages: 'Read, search, send and edit messages.',
  Questions: 'Ask people in chats, and wait for their answers.',
  Broadcasts: 'Send one message to many chats of a bot.',
  'Saved replies': 'Texts that a team answers with.',
  Tags: 'Labels for people in chats.',
  Deliveries: 'Deliveries to backends: attempts, retries, dead letters.',
  Updates: 'The update log of a bot and its readers.',
  People: 'People in chats: profiles, bans, mutes, warnings, notes.',
  Admins: 'Administrators of chats.',
  'Audit log': 'Who changed what.',
  Statistics: 'Activity of bots and chats.',
  Sandbox: 'The built-in local Telegram, for trying things out and for tests.',
  Alerts: 'Alerts, and the chats and webhooks they are sent to.',
  Chats: 'Chats that bots are in.',
  Events: 'A live stream of events.',
  Keys: 'API keys.',
  Sessions: 'Sign in and out of the web UI.',
  Users: 'Users of the web UI.',
  Operation: 'Health, metrics, alerts and version.',
};

// The main topics come first; access and operation come last.
const lastTags = ['Events', 'Keys', 'Sessions', 'Users', 'Operation'];

function tagsOf(endpoints: readonly Endpoint[]): string[] {
  const tags = [...new Set(endpoints.map((endpoint) => endpoint.tag))];
  return [...tags.filter((tag) => !lastTags.includes(tag)), ...lastTags];
}

const errorSchema = {
  type: 'object',
  required: ['error', 'code', 'reason_code', 'params', 'request_id'],
  properties: {
    error: { type: 'string', description: 'What is wrong and what to do.' },
    code: {
      type: 'string',
      enum: Object.keys(statusOf).sort(),
      description: 'A stable error code.',
    },
    reason_code: {
      type: 'string',
      description: 'A more specific code: one for each sentence of `error`.',
      examples: ['field_wrong'],
    },
    params: {
      type: 'object',
      additionalProperties: true,
      description: 'The values in the sentence, by name.',
    },
    details: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          field: { type: 'string', description: 'The invalid field.' },
          problem: { type: 'string', description: 'What is wrong with it.' },
          reason_code: { type: 'string', description: 'The same as a code.' },
          params: {
            type: 'object',
            additionalProperties: true,
            description: 'The values in `problem`, by name.',
          },
        },
        additionalProperties: true,
      },
      description: 'One entry for each invalid field, or other details.',
    },
    request_id: { type: 'string', description: 'Search the log for this.' },
    platform: {
      type: 'object',
      properties: {
        error_code: { type: 'integer' },
        description: { type: 'string' },
        parameters: {
          type: 'object',
          properties: {
            retry_after: { type: 'integer' },
            migrate_to_chat_id: { type: 'integer' },
          },
          description:
            'How long to wait, or the supergroup that a group became, if Telegram says so.',
        },
      },
      description: 'The error of Telegram, if it refused or failed.',
    },
  },
} satisfies { properties: Record<keyof ErrorBody, JsonSchema> } & JsonSchema;

function operationOf(endpoint: Endpoint, recorded: RecordedCall): OpenApiOperation {
  const parameters = parametersOf(endpoint, recorded);
  return {
    operationId: operationIdOf(endpoint),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: [endpoint.description, rightsWords(endpoint)].filter(Boolean).join('\n\n'),
    security: endpoint.scope === 'public' ? [] : [{ key: [] }, { session: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(endpoint.body ? { requestBody: requestBodyOf(endpoint, recorded) } : {}),
    responses: responsesOf(endpoint, recorded),
    'x-scope': endpoint.scope,
    'x-area': endpoint.area,
    ...(endpoint.chats ? { 'x-chats': endpoint.chats } : {}),
  };
}

function rightsWords({ area, scope }: Endpoint): string {
  if (scope === 'public') return 'Needs no key.';
  const mayCall = rolesWith({ area, scope }).filter((role) => role !== 'user');
  return `Needs the scope \`${scope}\` or ${mayCall.length === 1 ? 'the role' : 'one of the roles'} ${mayCall.map((role) => `\`${role}\``).join(', ')}.`;
}

function operationIdOf({ method, path }: Endpoint): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return [method.toLowerCase(), ...words]
    .map((word, index) => (index === 0 ? word : word[0]?.toUpperCase() + word.slice(1)))
    .join('');
}

function parametersOf(endpoint: Endpoint, { query = {}, headers = {} }: RecordedCall): Json[] {
  const given: Json = { ...query, ...headers };
  const ofSchema = (schema: JsonSchema, where: string) =>
    Object.entries(schema.properties ?? {}).map(([name, property]) => ({
      name,
      in: where,
      required: (schema.required ?? []).includes(name),
      ...(property.description ? { description: property.description } : {}),
      schema: property,
      ...(name in given ? { example: given[name] } : {}),
    }));
  const inPath = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  return [
    ...inPath,
    ...(endpoint.query ? ofSchema(asJsonSchema(endpoint.query), 'query') : []),
    ...(endpoint.headers ? ofSchema(asJsonSchema(endpoint.headers), 'header') : []),
  ];
}

function requestBodyOf(endpoint: Endpoint, recorded: RecordedCall) {
  const { body, consumes, jsonBody } = endpoint;
  const schema = asJsonSchema(body as NonNullable<Endpoint['body']>);
  const inJson = (part: JsonSchema) => ({
    'application/json': { schema: part, example: recorded.body ?? requestExampleOf(part) },
  });
  if (consumes === undefined) {
    // If every field is optional, so is the body.
    return { required: (schema.required ?? []).length > 0, content: inJson(schema) };
  }
  if (!jsonBody) return { required: true, content: { [consumes]: { schema } } };
  // `required` is false, because openapi-python-client generates broken modules for two forms of a
  // required body. The examples are text; the file of a form is its last field.
  const example = recorded.form && { ...recorded.form, file: '(bytes of photo.jpg)' };
  const form = { schema, ...(example ? { example } : {}) };
  const content = { [consumes]: form, ...inJson(asJsonSchema(jsonBody)) };
  return { required: false, content };
}

function responsesOf(endpoint: Endpoint, { response }: RecordedCall): Record<string, Json> {
  const schema = asJsonSchema(endpoint.response);
  const types = [endpoint.produces ?? 'application/json'].flat();
  const responses: Record<string, Json> = {
    '200': {
      description: 'Success.',
      headers: { 'X-Request-Id': { schema: { type: 'string' } } },
      content: Object.fromEntries(
        types.map((type, index) => {
          const example = response ?? exampleOf(schema);
          // With several types, the example belongs to the first; bytes have none.
          const shown = index === 0 && schema.format !== 'binary';
          return [type, { schema, ...(shown ? { example } : {}) }];
        }),
      ),
    },
  };
  const byStatus = Map.groupBy(errorCodesOf(endpoint), (code) => statusOf[code]);
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    responses[String(status)] = errorResponse(status, codes);
  }
  if (endpoint.path === '/readyz') {
    responses['503'] = {
      ...responses['200'],
      description: 'Not ready, with the reasons.',
      content: { 'application/json': { schema } },
    };
  }
  return responses;
}

function errorResponse(status: number, codes: ErrorCode[]): Json {
  const headers: Json = { 'X-Request-Id': { schema: { type: 'string' } } };
  if (status === 429 || status === 503) {
    headers['Retry-After'] = { schema: { type: 'integer', format: 'int32' } };
  }
  if (status === 401) headers['WWW-Authenticate'] = { schema: { type: 'string' } };
  if (status === 405) headers['Allow'] = { schema: { type: 'string' } };
  return {
    description: statusWords[status] ?? 'Refused.',
    headers,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
      },
    },
  };
}

/** Returns the errors that an endpoint declares and those that its shape makes possible. */
function errorCodesOf(endpoint: Endpoint): ErrorCode[] {
  const codes = new Set<ErrorCode>(['invalid_request', 'method_not_allowed', 'internal']);
  if (!endpoint.unlimited) {
    codes.add('rate_limited').add('shutting_down').add('database_unavailable');
  }
  if (endpoint.scope !== 'public') {
    codes.add('unauthorized').add('insufficient_scope');
    if (endpoint.method === 'POST') codes.add('csrf_failed');
    if (endpoint.chats && endpoint.chats !== 'none') codes.add('chat_not_allowed');
  }
  if (endpoint.body || endpoint.method === 'POST') {
    codes.add('malformed_json').add('payload_too_large');
  }
  if (endpoint.body) codes.add('unsupported_media_type');
  for (const code of endpoint.errors ?? []) codes.add(code);
  return [...codes];
}
