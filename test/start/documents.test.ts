import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkDocuments } from '../../scripts/check-documents.ts';
import { generatedDocuments, withGenerated } from '../../scripts/write-docs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string) => readFileSync(path.join(root, name), 'utf8');

describe('the documents', () => {
  it('hold what the code says (npm run docs writes it)', () => {
    for (const [name, part] of generatedDocuments()) {
      expect(withGenerated(read(name), part), name).toBe(read(name));
    }
  });

  it('name only what there is', () => {
    expect(checkDocuments(root)).toEqual([]);
  });

  it('start a service as npm start does', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } };
    const [, command = ''] = /^node (.*start)$/.exec(scripts.start) ?? [];
    expect(command).not.toBe('');
    expect(read('docs/production.md')).toContain(`/node_modules/node/bin/node ${command}\n`);
  });
});
