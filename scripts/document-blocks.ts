// Reads the code blocks of the guides. A test runs each block, unless a comment above it says why
// not: <!-- not run: needs Python -->
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface CodeBlock {
  language: string;
  code: string;
  /** The line where it begins, counted from 1. */
  line: number;
  /** Why no test runs it; undefined if one does. */
  notRun: string | undefined;
}

/**
 * How a test runs a block of each language: `sh` in one shell from the top of a page to its end, `js` and
 * `ts` with Node, `yaml` as a settings file. `json` is the expected output of the shell block before it.
 */
export const runLanguages: readonly string[] = ['sh', 'js', 'ts', 'yaml', 'json'];

/** The README and the guides, by path. docs/architecture.md has drawings, not examples. */
export function guides(root: string): Map<string, string> {
  const files = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/*.md', { cwd: root })]
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file !== 'docs/architecture.md');
  return new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
}

export function codeBlocksOf(text: string): CodeBlock[] {
  const lines = text.split('\n');
  const blocks: CodeBlock[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const [, indent = '', fence, language = ''] =
      /^(\s*)(`{3,})(\S*)/.exec(lines[index] ?? '') ?? [];
    if (!fence) continue;
    const end = lines.findIndex((line, at) => at > index && line.trim() === fence);
    if (end < 0) throw new Error(`line ${index + 1}: the code block has no end`);
    const code = lines.slice(index + 1, end).map((line) => `${line.slice(indent.length)}\n`);
    blocks.push({
      language,
      code: code.join(''),
      line: index + 1,
      notRun: markerAbove(lines, index),
    });
    index = end;
  }
  return blocks;
}

function markerAbove(lines: readonly string[], index: number): string | undefined {
  const above = lines.slice(0, index).findLast((line) => line.trim() !== '') ?? '';
  return /^\s*<!-- not run: (.*\S) -->$/.exec(above)?.[1];
}

/** Finds blocks that no test can run and no comment explains, and counts the others. */
export function checkBlocks(root: string): { problems: string[]; run: number; marked: number } {
  const problems: string[] = [];
  let run = 0;
  let marked = 0;
  for (const [file, text] of guides(root)) {
    if (/<!-- not run:? *-->/.test(text)) problems.push(`${file}: "not run" needs a reason`);
    let before: CodeBlock | undefined;
    for (const block of codeBlocksOf(text)) {
      const output = block.language === 'json' && before?.language === 'sh' && !before.notRun;
      if (block.language === 'sh' && /(?:^|\s)#\s/m.test(block.code)) {
        problems.push(
          `${file}:${block.line}: a pasted comment is an error in zsh: move it to the text`,
        );
      }
      if (block.notRun) marked += 1;
      else if (runLanguages.includes(block.language) && (block.language !== 'json' || output))
        run += 1;
      else {
        problems.push(
          `${file}:${block.line}: no test runs this block: write <!-- not run: reason --> above it`,
        );
      }
      before = block;
    }
  }
  return { problems, run, marked };
}
