import { createHash } from 'node:crypto';
import { docsScript, docsStyle } from './docs-assets.ts';
import type { OpenApiDocument, OpenApiOperation } from './openapi.ts';
import type { JsonSchema } from '../schemas.ts';

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing is loaded from anywhere, and only the script and style of the page itself run. */
export const docsHeaders: Record<string, string> = {
  'content-security-policy': `default-src 'none'; script-src ${hashOf(docsScript)}; style-src ${hashOf(docsStyle)}; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

interface Entry {
  method: string;
  path: string;
  operation: OpenApiOperation;
}

/** The reference, made of the same document that programs read. */
export function docsPage(document: OpenApiDocument): string {
  const entries = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  const groups = document.tags.map(({ name }) => ({
    name,
    entries: entries.filter((entry) => entry.operation.tags.includes(name)),
  }));
  const { title, version, description } = document.info as Record<string, string>;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${escape(title)} API reference</title>
<style>${docsStyle}</style>
</head>
<body>
<nav aria-label="Endpoints">
<h1>${escape(title)} <small>${escape(version)}</small></h1>
<label for="search">Search</label>
<input id="search" type="search" placeholder="path, word or error code" autocomplete="off">
<p id="count" role="status"></p>
${groups
  .map(
    (group) =>
      `<section class="group"><h2>${escape(group.name)}</h2><ul>${group.entries
        .map(
          (entry) =>
            `<li data-for="${entry.operation.operationId}"><a href="#${entry.operation.operationId}">${methodBadge(entry.method)} ${escape(entry.path)}</a></li>`,
        )
        .join('')}</ul></section>`,
  )
  .join('\n')}
</nav>
<main>
<header><p>${prose(description)}</p>
<p>Send your key as <code>Authorization: Bearer brs_…</code>. The same description for programs is at <a href="/openapi.json">/openapi.json</a>.</p></header>
${groups
  .map(
    (group) =>
      `<section class="group"><h2>${escape(group.name)}</h2>${group.entries.map(articleOf).join('\n')}</section>`,
  )
  .join('\n')}
</main>
<script>${docsScript}</script>
</body>
</html>
`;
}

function articleOf({ method, path, operation }: Entry): string {
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  const success = Object.entries(
    (operation.responses['200']?.['content'] ?? {}) as Record<string, { example?: unknown }>,
  )[0];
  return `<article id="${operation.operationId}">
<h3>${methodBadge(method)} <code>${escape(path)}</code></h3>
<p><strong>${escape(operation.summary)}.</strong></p>
${(operation.description ?? '')
  .split('\n\n')
  .map((paragraph) => `<p>${prose(paragraph)}</p>`)
  .join('')}
${parameterTable(operation)}
${bodies
  .map(
    ([type, { schema }], index) =>
      `<h4>${index === 0 ? 'Body' : 'Or'} <small>${escape(type)}</small></h4>${propertyTable(schema)}`,
  )
  .join('')}
<h4>Example</h4>
<pre><code>${escape(curlOf(method, path, operation))}</code></pre>
${success ? `<pre><code>${escape(exampleText(success[1].example))}</code></pre>` : ''}
${errorTable(operation)}
</article>`;
}

function parameterTable(operation: OpenApiOperation): string {
  if (!operation.parameters) return '';
  const rows = operation.parameters.map((parameter) => {
    const { name, required } = parameter as { name: string; required: boolean };
    const where = parameter['in'] === 'query' ? '' : ` <small>${String(parameter['in'])}</small>`;
    return propertyRow(name, parameter['schema'] as JsonSchema, required, where);
  });
  return `<h4>Parameters</h4>${table(['Name', 'Type', 'Notes'], rows)}`;
}

function propertyTable(schema: JsonSchema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([name, property]) =>
    propertyRow(name, property, (schema.required ?? []).includes(name), ''),
  );
  const ignored = schema['x-ignored'] ?? [];
  const note =
    ignored.length > 0
      ? `<p>Accepted and ignored: ${ignored.map((name) => `<code>${escape(name)}</code>`).join(', ')}.</p>`
      : '';
  return table(['Field', 'Type', 'Notes'], rows) + note;
}

function propertyRow(name: string, schema: JsonSchema, required: boolean, where: string): string {
  const notes = [
    required ? '<em>required</em>' : '',
    prose(schema.description),
    'default' in schema ? `Default <code>${escape(JSON.stringify(schema.default))}</code>.` : '',
    boundsOf(schema),
  ].filter(Boolean);
  return `<tr><td><code>${escape(name)}</code>${where}</td><td>${escape(typeOf(schema))}</td><td>${notes.join(' ')}</td></tr>`;
}

function typeOf(schema: JsonSchema): string {
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join(' | ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  return [schema.type ?? 'any'].flat().join(' or ');
}

function boundsOf(schema: JsonSchema): string {
  const { minLength, maxLength, pattern } = schema;
  const words = [
    maxLength === undefined ? '' : `${minLength ?? 0} to ${maxLength} characters.`,
    pattern === undefined ? '' : `Form <code>${escape(pattern)}</code>.`,
  ];
  return words.filter(Boolean).join(' ');
}

function errorTable(operation: OpenApiOperation): string {
  const rows = Object.entries(operation.responses)
    .filter(([status]) => status !== '200')
    .map(([status, response]) => {
      const content = (response['content'] ?? {}) as Record<string, { examples?: object }>;
      const codes = Object.keys(content['application/json']?.examples ?? {});
      return `<tr><td>${status}</td><td>${codes.map((code) => `<code>${escape(code)}</code>`).join(' ')}</td><td>${prose(String(response['description']))}</td></tr>`;
    });
  return `<details><summary>Errors</summary>${table(['Status', 'Codes', 'Meaning'], rows)}</details>`;
}

function curlOf(method: string, path: string, operation: OpenApiOperation): string {
  const query = (operation.parameters ?? [])
    .filter((parameter) => parameter['in'] === 'query' && parameter['required'])
    .map((parameter) => {
      const schema = parameter['schema'] as JsonSchema;
      const example = schema.examples?.[0] ?? '…';
      return `${String(parameter['name'])}=${String(example as string | number)}`;
    })
    .join('&');
  const json = operation.requestBody?.content['application/json'];
  const lines = [
    `curl${method === 'POST' ? ' -X POST' : ''} "$RELAY_URL${path}${query ? `?${query}` : ''}"`,
    ...(operation['x-scope'] === 'public' ? [] : ['-H "Authorization: Bearer $RELAY_API_KEY"']),
    ...(json
      ? [
          '-H "Content-Type: application/json"',
          `-d '${JSON.stringify(json.example).replaceAll("'", "'\\''")}'`,
        ]
      : []),
  ];
  return lines.join(' \\\n  ');
}

function exampleText(example: unknown): string {
  return typeof example === 'string' ? example : JSON.stringify(example, null, 2);
}

function table(heads: string[], rows: string[]): string {
  return `<table><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function methodBadge(method: string): string {
  return `<span class="method ${method.toLowerCase()}">${method}</span>`;
}

/** The only markup in descriptions is `code`. */
function prose(text = ''): string {
  return escape(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function escape(text = ''): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
