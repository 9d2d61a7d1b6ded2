import type { OpenApiDocument } from './openapi.ts';

export const docsHeaders: Record<string, string> = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

export function docsPage(document: OpenApiDocument): string {
  const rows = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([method, operation]) =>
        `<li><code>${method.toUpperCase()} ${path}</code> ${operation.summary}</li>`,
    ),
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Bot Relay API</title><ul>${rows.join('')}</ul></html>`;
}
