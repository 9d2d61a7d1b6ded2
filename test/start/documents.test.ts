import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkDocuments } from '../../scripts/check-documents.ts';
import { checkBlocks, codeBlocksOf } from '../../scripts/document-blocks.ts';
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

  it('have only code blocks that a test runs, or that say why none does', () => {
    const { problems, run, marked } = checkBlocks(root);
    expect(problems).toEqual([]);
    expect(run).toBeGreaterThan(60);
    expect(marked).toBeLessThan(run);
  });

  it('are read block by block', () => {
    const text = [
      'Run it:',
      '```sh',
      'npm start',
      '```',
      '<!-- not run: needs Python -->',
      '',
      '  ```python',
      '  if True:',
      '    pass',
      '  ```',
      '',
    ].join('\n');
    expect(codeBlocksOf(text)).toEqual([
      { language: 'sh', code: 'npm start\n', line: 2, notRun: undefined },
      { language: 'python', code: 'if True:\n  pass\n', line: 7, notRun: 'needs Python' },
    ]);
    expect(() => codeBlocksOf('```sh\nnpm start')).toThrow('line 1');
  });
});
