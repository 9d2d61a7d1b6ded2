/*
 * The API reference, made from the document at /openapi.json.
 */
import type { OpenApiDocument, OpenApiOperation } from '../openapi/openapi.ts';
import type { JsonSchema } from '../schemas.ts';
import { codeBlock, escapeHtml, prose } from './html.ts';
import { sampleLanguages, sampleRequest } from './samples.ts';
import type { SearchEntry } from './search.ts';

interface Entry {
  method: string;
  path: string;
  operation: OpenApiOperation;
}

interface Group {
  name: string;
  description: string;
  entries: Entry[];
}

interface ErrorCase {
  status: string;
  code: string;
  text: string;
}

function groupsOf(document: OpenApiDocument): Group[] {
  const entries = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  return document.tags.map(({ name, description }) => ({
    name,
    description,
    entries: entries.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

/** `intro` is the guide to the API, in HTML. */
export function referenceHtml(document: OpenApiDocument, intro: string): string {
  const groups = groupsOf(document);
  const common = commonErrors(groups);
  const isCommon = new Set(common.map(({ code }) => code));
  return `<header class="intro">${intro}</header>
<section class="group" id="samples"><h2>Samples</h2>
<p>Every endpoint has a sample in curl, JavaScript and Python. Set two variables to run them:</p>
${codeBlock('export RELAY_URL=http://127.0.0.1:8080\nexport RELAY_API_KEY=brs_your-key', 'sh')}</section>
<section class="group" id="common-errors"><h2>Common errors</h2>
<p>Any endpoint can return these. Each endpoint lists only its own errors.</p>
${errorList(common)}</section>
${groups
  .map(
    ({ name, description, entries }) =>
      `<section class="group" id="${idOf(name)}"><h2>${escapeHtml(name)}</h2><p>${prose(description)}</p>
${entries.map((entry) => articleOf(entry, isCommon)).join('\n')}</section>`,
  )
  .join('\n')}`;
}

export function referenceNavigation(document: OpenApiDocument): string {
  const groups = groupsOf(document)
    .map(({ name, entries }) => {
      const links = entries.map(
        ({ method, operation }) =>
          `<li><a href="#${operation.operationId}">${badge(method)}${escapeHtml(operation.summary)}</a></li>`,
      );
      return `<details class="endpoints"><summary>${escapeHtml(name)}</summary><ul>${links.join('')}</ul></details>`;
    })
    .join('\n');
  return `<h2>Endpoints</h2>${groups}`;
}

export function referenceEntries(document: OpenApiDocument): SearchEntry[] {
  return groupsOf(document).flatMap(({ entries }) =>
    entries.map(({ method, path, operation }) => ({
      id: `/docs/api#${operation.operationId}`,
      page: `${method} ${path}`,
      heading: operation.summary,
      text: plainDescription(operation),
      keywords: [
        ...(operation.parameters ?? []).map(({ name }) => String(name)),
        ...Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
          Object.keys(schema.properties ?? {}),
        ),
        ...errorsOf(operation).map(({ code }) => code),
      ].join(' '),
    })),
  );
}

/** The description without its last paragraph, which has the scope. */
function plainDescription({ description = '' }: OpenApiOperation): string {
  return description.split('\n\n').slice(0, -1).join(' ').replaceAll('`', '');
}

function articleOf({ method, path, operation }: Entry, isCommon: Set<string>): string {
  const id = operation.operationId;
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  const [success] = Object.values(
    (operation.responses['200']?.['content'] ?? {}) as Record<
      string,
      { schema: JsonSchema; example?: unknown }
    >,
  );
  const own = errorsOf(operation).filter(({ code }) => !isCommon.has(code));
  const example = success?.example;
  return `<article id="${id}">
<div class="about">
<h3>${escapeHtml(operation.summary)} <a class="anchor" href="#${id}" aria-label="Link to “${escapeHtml(operation.summary)}”">#</a></h3>
<p class="address">${badge(method)} <code>${escapeHtml(path)}</code></p>
${(operation.description ?? '')
  .split('\n\n')
  .filter(Boolean)
  .map((paragraph) => `<p>${prose(paragraph)}</p>`)
  .join('')}
${parameterList(operation)}
${bodies
  .map(
    ([type, { schema }], index) =>
      `<h4>${index === 0 ? 'Body' : 'Or'}${bodies.length > 1 ? ` <small>${escapeHtml(type)}</small>` : ''}</h4>${propertyList(schema)}`,
  )
  .join('')}
${success ? responseFields(success.schema) : ''}
${own.length > 0 ? `<details><summary>Errors</summary>${errorList(own)}</details>` : ''}
</div>
<div class="samples">
${samplesOf({ method, path, operation })}
${example === undefined ? '' : `<h4>Response</h4>${codeBlock(exampleText(example), 'json')}`}
</div>
</article>`;
}

/** The choice works without a script; with it, a choice applies to all endpoints. */
function samplesOf({ method, path, operation }: Entry): string {
  const request = sampleRequest(method, path, operation);
  const name = `language-${operation.operationId}`;
  const parts = sampleLanguages.map(
    ({ id, title, write }, index) =>
      `<input type="radio" name="${name}" id="${name}-${id}" value="${id}"${index === 0 ? ' checked' : ''}><label for="${name}-${id}">${title}</label>${codeBlock(write(request), id)}`,
  );
  return `<fieldset class="languages"><legend>Request</legend>${parts.join('')}</fieldset>`;
}

function parameterList(operation: OpenApiOperation): string {
  if (!operation.parameters) return '';
  const rows = operation.parameters.map((parameter) => {
    const { name, required } = parameter as { name: string; required: boolean };
    const where = parameter['in'] === 'query' ? '' : String(parameter['in']);
    return propertyRow(name, parameter['schema'] as JsonSchema, required, where);
  });
  return `<h4>Parameters</h4><dl>${rows.join('')}</dl>`;
}

function propertyList(schema: JsonSchema): string {
  const { properties = {}, required = [] } = schema;
  const rows = Object.entries(properties).map(([name, property]) =>
    propertyRow(name, property, required.includes(name)),
  );
  const ignored = (schema['x-ignored'] ?? []).map((name) => `<code>${escapeHtml(name)}</code>`);
  const note = ignored.length > 0 ? `<p>Accepted and ignored: ${ignored.join(', ')}.</p>` : '';
  return `<dl>${rows.join('')}</dl>${note}`;
}

function propertyRow(name: string, schema: JsonSchema, required: boolean, where = ''): string {
  const notes = [
    prose(schema.description),
    'default' in schema
      ? `Default <code>${escapeHtml(JSON.stringify(schema.default))}</code>.`
      : '',
    boundsOf(schema),
  ].filter(Boolean);
  const marks = [
    `<span>${escapeHtml(typeOf(schema))}</span>`,
    where === '' ? '' : `<span>${where}</span>`,
    required ? '<em>required</em>' : '',
  ];
  return `<dt><code>${escapeHtml(name)}</code> ${marks.filter(Boolean).join(' ')}</dt><dd>${notes.join(' ')}</dd>`;
}

/** The fields of a response and of its nested objects. */
function responseFields(schema: JsonSchema): string {
  const item = itemOf(schema);
  if (!item.properties) return '';
  return `<details><summary>Response fields</summary><dl>${fieldRows(item, '').join('')}</dl></details>`;
}

function fieldRows({ properties = {} }: JsonSchema, prefix: string): string[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const inner = itemOf(property);
    return [
      propertyRow(`${prefix}${name}`, property, false),
      ...(inner.properties ? fieldRows(inner, `${prefix}${name}.`) : []),
    ];
  });
}

function itemOf(schema: JsonSchema): JsonSchema {
  if (schema.type === 'array' && schema.items) return itemOf(schema.items);
  const object = schema.anyOf?.find(({ properties }) => properties);
  return object ?? schema;
}

function typeOf(schema: JsonSchema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join(' | ');
  if (schema.type === 'array') {
    const inner = typeOf(schema.items ?? {});
    return inner.includes(' ') ? `(${inner})[]` : `${inner}[]`;
  }
  return [schema.type ?? 'any'].flat().join(' or ');
}

function boundsOf(schema: JsonSchema): string {
  const { minLength, maxLength, pattern } = schema;
  const words = [
    maxLength === undefined ? '' : `${minLength ?? 0} to ${maxLength} characters.`,
    pattern === undefined ? '' : `Format <code>${escapeHtml(pattern)}</code>.`,
  ];
  return words.filter(Boolean).join(' ');
}

function errorsOf(operation: OpenApiOperation): ErrorCase[] {
  return Object.entries(operation.responses).flatMap(([status, response]) => {
    const content = (response['content'] ?? {}) as Record<
      string,
      { examples?: Record<string, { value: { error: string } }> }
    >;
    const examples = Object.entries(content['application/json']?.examples ?? {});
    return examples.map(([code, { value }]) => ({ status, code, text: value.error }));
  });
}

/** Errors of most endpoints with the same input, by status. */
function commonErrors(groups: readonly Group[]): ErrorCase[] {
  const operations = groups.flatMap(({ entries }) => entries.map(({ operation }) => operation));
  const cases = new Map<string, ErrorCase>();
  const counts = new Map<string, number>();
  for (const one of operations.flatMap(errorsOf)) {
    cases.set(one.code, one);
    counts.set(one.code, (counts.get(one.code) ?? 0) + 1);
  }
  return [...cases.values()]
    .filter(({ code }) => (counts.get(code) ?? 0) > operations.length / 3)
    .sort((a, b) => Number(a.status) - Number(b.status));
}

function errorList(cases: readonly ErrorCase[]): string {
  const rows = cases.map(
    ({ status, code, text }) =>
      `<dt><code>${escapeHtml(code)}</code> <span>${status}</span></dt><dd>${prose(text)}</dd>`,
  );
  return `<dl>${rows.join('')}</dl>`;
}

function exampleText(example: unknown): string {
  return typeof example === 'string' ? example : JSON.stringify(example, null, 2);
}

function badge(method: string): string {
  return `<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function idOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}
