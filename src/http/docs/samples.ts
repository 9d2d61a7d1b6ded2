/*
 * One request in three languages. The values come from the examples of the OpenAPI document; the address
 * and the key come from the environment, so that a copied sample runs unchanged.
 */
import type { OpenApiOperation } from '../openapi/openapi.ts';

export const sampleLanguages = [
  { id: 'sh', title: 'curl', write: curl },
  { id: 'js', title: 'JavaScript', write: javascript },
  { id: 'python', title: 'Python', write: python },
] as const;

export interface SampleRequest {
  method: string;
  path: string;
  query: [string, unknown][];
  headers: [string, string][];
  needsKey: boolean;
  json?: unknown;
  /** The fields of a form; its file is always photo.jpg. */
  form?: [string, unknown][];
  answer: 'json' | 'text' | 'stream' | 'bytes';
}

interface Parameter {
  name: string;
  in: string;
  example?: unknown;
}

export function sampleRequest(
  method: string,
  path: string,
  operation: OpenApiOperation,
): SampleRequest {
  const given = (operation.parameters ?? []) as unknown as Parameter[];
  const shown = given.filter(({ example }) => example !== undefined);
  const inPlace = (place: string) =>
    shown.filter((one) => one.in === place).map(({ name, example }) => [name, example]);
  const content = operation.requestBody?.content ?? {};
  const json = content['application/json'];
  return {
    method,
    path,
    query: inPlace('query') as [string, unknown][],
    headers: inPlace('header').map(([name, value]) => [headerName(String(name)), String(value)]),
    needsKey: operation['x-scope'] !== 'public',
    ...('multipart/form-data' in content
      ? { form: fieldsOf(content['multipart/form-data'].example) }
      : json?.example === undefined
        ? {}
        : { json: json.example }),
    answer: answerKind(operation),
  };
}

/** The fields without the file, which each sample writes in its own form. */
function fieldsOf(example: unknown): [string, unknown][] {
  return Object.entries(example ?? {}).filter(([name]) => name !== 'file');
}

/** Returns the usual spelling, such as Idempotency-Key. */
function headerName(name: string): string {
  return name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

function answerKind(operation: OpenApiOperation): SampleRequest['answer'] {
  const [type = ''] = Object.keys((operation.responses['200']?.['content'] ?? {}) as object);
  if (type.startsWith('application/json')) return 'json';
  if (type === 'text/event-stream') return 'stream';
  return /^text|ndjson/.test(type) ? 'text' : 'bytes';
}

function addressOf({ path, query }: SampleRequest): string {
  const pairs = query.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return pairs.length > 0 ? `${path}?${pairs.join('&')}` : path;
}

function headersOf({ headers, json }: SampleRequest): [string, string][] {
  return [...headers, ...(json === undefined ? [] : [['Content-Type', 'application/json']])] as [
    string,
    string,
  ][];
}

function curl(request: SampleRequest): string {
  const { method, form, json, needsKey, answer } = request;
  const flags = [method === 'POST' && !form ? ' -X POST' : '', answer === 'stream' ? ' -N' : ''];
  const shellText = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    `curl${flags.join('')} "$RELAY_URL${addressOf(request)}"`,
    ...(needsKey ? ['-H "Authorization: Bearer $RELAY_API_KEY"'] : []),
    ...headersOf(request).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(form ?? []).map(([name, value]) => `-F "${name}=${String(value)}"`),
    ...(form ? ['-F "file=@photo.jpg"'] : []),
    ...(json === undefined ? [] : [`-d ${shellText(indented(jsonText(json)))}`]),
    ...(answer === 'bytes' ? ['-o file'] : []),
  ].join(' \\\n  ');
}

function javascript(request: SampleRequest): string {
  const { method, form, json, needsKey, answer } = request;
  const headers = [
    ...(needsKey ? ['Authorization: `Bearer ${RELAY_API_KEY}`'] : []),
    ...headersOf(request).map(([name, value]) => `'${name}': '${value}'`),
  ];
  const options = [
    ...(method === 'POST' ? [`method: 'POST'`] : []),
    ...(headers.length > 0 ? [`headers: ${indented(inBraces(headers, 2, ' '))}`] : []),
    ...(form ? ['body: form'] : []),
    ...(json === undefined ? [] : [`body: JSON.stringify(${indented(literal(json, 'js'))})`]),
  ];
  const fields = (form ?? []).map(([name, value]) => `form.set('${name}', '${String(value)}');`);
  const read = {
    json: ['console.log(await response.json());'],
    text: ['console.log(await response.text());'],
    stream: [
      'const text = response.body.pipeThrough(new TextDecoderStream());',
      'for await (const chunk of text) console.log(chunk);',
    ],
    bytes: ['const bytes = await response.arrayBuffer();'],
  }[answer];
  return [
    ...(form ? [`import { openAsBlob } from 'node:fs';`, ''] : []),
    `const { RELAY_URL${needsKey ? ', RELAY_API_KEY' : ''} } = process.env;`,
    ...(form
      ? [
          'const form = new FormData();',
          ...fields,
          `form.set('file', await openAsBlob('photo.jpg'), 'photo.jpg');`,
        ]
      : []),
    `const response = await fetch(\`\${RELAY_URL}${addressOf(request)}\`${
      options.length > 0 ? `, {\n${options.map((one) => `  ${one},\n`).join('')}}` : ''
    });`,
    ...read,
  ].join('\n');
}

function python(request: SampleRequest): string {
  const { method, form, json, needsKey, answer, query, headers } = request;
  const named = [
    ...(needsKey ? [`"Authorization": f"Bearer {os.environ['RELAY_API_KEY']}"`] : []),
    ...headers.map(([name, value]) => `"${name}": "${value}"`),
  ];
  const lines = [
    `os.environ["RELAY_URL"] + "${request.path}"`,
    ...(named.length > 0 ? [`headers=${inBraces(named, 4)}`] : []),
    ...(query.length > 0 ? [`params=${literal(Object.fromEntries(query), 'python')}`] : []),
    ...(form ? [`data=${literal(Object.fromEntries(form), 'python')}`] : []),
    ...(form ? ['files={"file": open("photo.jpg", "rb")}'] : []),
    ...(json === undefined ? [] : [`json=${literal(json, 'python')}`]),
    ...(answer === 'stream' ? ['stream=True'] : []),
  ];
  const read = {
    json: ['print(response.json())'],
    text: ['print(response.text)'],
    stream: ['for line in response.iter_lines():', '    print(line.decode())'],
    bytes: ['content = response.content'],
  }[answer];
  return [
    'import os',
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    ...lines.map((line) => `    ${indented(line, 4)},`),
    ')',
    ...read,
  ].join('\n');
}

const lineLength = 76;

function inBraces(parts: readonly string[], gap: number, space = ''): string {
  const flat = `{${space}${parts.join(', ')}${space}}`;
  if (flat.length <= lineLength) return flat;
  return `{\n${parts.map((part) => `${' '.repeat(gap)}${part},\n`).join('')}}`;
}

function jsonText(value: unknown): string {
  const flat = JSON.stringify(value);
  return flat.length <= lineLength ? flat : JSON.stringify(value, null, 2);
}

/** Writes a value in the syntax of the language, on one line if it fits. */
function literal(value: unknown, language: 'js' | 'python', room = 60): string {
  const flat = flatLiteral(value, language);
  if (flat.length <= room || value === null || typeof value !== 'object') return flat;
  const gap = language === 'js' ? 2 : 4;
  const inner = Array.isArray(value)
    ? value.map((one) => literal(one, language, room))
    : Object.entries(value).map(
        ([name, one]) => `${keyOf(name, language)}: ${literal(one, language, room)}`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const lines = inner.map((one) => `${' '.repeat(gap)}${indented(one, gap)},\n`);
  return `${open}\n${lines.join('')}${close}`;
}

function flatLiteral(value: unknown, language: 'js' | 'python'): string {
  if (Array.isArray(value)) return `[${value.map((one) => flatLiteral(one, language)).join(', ')}]`;
  if (value !== null && typeof value === 'object') {
    const pairs = Object.entries(value).map(
      ([name, one]) => `${keyOf(name, language)}: ${flatLiteral(one, language)}`,
    );
    if (language === 'python') return `{${pairs.join(', ')}}`;
    return pairs.length > 0 ? `{ ${pairs.join(', ')} }` : '{}';
  }
  if (typeof value === 'string') return textLiteral(value, language);
  const text = JSON.stringify(value);
  if (language === 'js') return text;
  return { null: 'None', true: 'True', false: 'False' }[text] ?? text;
}

function textLiteral(text: string, language: 'js' | 'python'): string {
  const quoted = JSON.stringify(text);
  if (language === 'python' || /['\\]/.test(quoted)) return quoted;
  return `'${quoted.slice(1, -1)}'`;
}

function keyOf(name: string, language: 'js' | 'python'): string {
  if (language === 'python') return `"${name}"`;
  return /^\w+$/.test(name) ? name : `'${name}'`;
}

function indented(text: string, by = 2): string {
  return text.replaceAll('\n', `\n${' '.repeat(by)}`);
}
