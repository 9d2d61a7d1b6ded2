import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkDocuments } from '../../scripts/check-documents.ts';
import { checkBlocks, codeBlocksOf } from '../../scripts/document-blocks.ts';
import { version } from '../../src/version.ts';
import {
  generatedCharts,
  generatedDocuments,
  withActions,
  withGenerated,
} from '../../scripts/write-docs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string) => readFileSync(path.join(root, name), 'utf8');

describe('the documents', () => {
  it('hold what the code says (npm run docs writes it)', () => {
    for (const [name, part] of generatedDocuments()) {
      expect(withGenerated(read(name), part), name).toBe(read(name));
    }
    for (const [name, drawn] of generatedCharts()) expect(drawn, name).toBe(read(name));
  });

  it('get a row for each sandbox action without one, after the action declared before it', () => {
    const document = read('docs/sandbox-reference.md');
    expect(withActions(document)).toBe(document);
    const lines = document.split('\n');
    const row = lines.findIndex((line) => line.startsWith('| `chats/leave` |'));
    const without = lines.filter((_, index) => index !== row).join('\n');
    expect(withActions(without)).toContain(
      '\n| `chats/leave` | Leave a chat | `{"user": "…", "chat": "…"}` |\n',
    );
  });

  it('have release notes for this version', () => {
    const script = path.join(root, 'scripts/release-notes.js');
    const notesOf = (tag: string) =>
      spawnSync(process.execPath, [script, tag], { encoding: 'utf8' });
    const notes = notesOf(`v${version}`);
    expect(notes).toMatchObject({ status: 0, stderr: '' });
    expect(notes.stdout).toMatch(/^\w.+\n\n### /s);
    expect(notes.stdout).not.toMatch(/^## /m);
    expect(notesOf('v0.0.0')).toMatchObject({ status: 1, stdout: '' });
    expect(read('CHANGELOG.md')).toContain(`\n## ${version} - 20`);
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
