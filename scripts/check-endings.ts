// Checks how messages of the service and the sandbox end: a sentence, which begins with a capital
// letter or follows another one, ends with a full stop or a question mark, or with an example to
// copy. Texts after Telegram's wording are left as Telegram has them.
import { globSync } from 'node:fs';
import path from 'node:path';

type Sentence = string | ((params: unknown, say: () => string) => string);

const catalogues = ['src/core/reasons/*.ts', 'sandbox/src/control-reasons.ts'];
const wordsOfTelegram = /^Conflict: /;
const ending = /[.?]$|\. Example: \S.*$/;
const isSentence = /^[A-Z]|[.?] [A-Z]/;

/** Stands in for any value: every property of it is such a value too. */
const something: unknown = new Proxy(() => 'x', {
  get: (_, name) =>
    name === Symbol.toPrimitive || name === 'join'
      ? () => 'x'
      : name === 'map'
        ? () => ['x']
        : something,
});

export async function checkEndings(root: string): Promise<string[]> {
  const problems: string[] = [];
  let read = 0;
  for (const file of globSync(catalogues, { cwd: root }).filter((f) => !f.endsWith('.test.ts'))) {
    const exported = (await import(path.join(root, file))) as Record<string, unknown>;
    for (const [name, catalogue] of Object.entries(exported)) {
      if (!name.endsWith('Reasons')) continue;
      for (const [code, entry] of Object.entries(catalogue as object)) {
        read += 1;
        const text = textOf(Array.isArray(entry) ? entry[1] : entry);
        if (isSentence.test(text) && !wordsOfTelegram.test(text) && !ending.test(text)) {
          problems.push(`${file} ${code} has no full stop: ${text}`);
        }
      }
    }
  }
  return read < 100 ? [`only ${read} messages were read`] : problems;
}

function textOf(sentence: Sentence): string {
  return typeof sentence === 'string' ? sentence : String(sentence(something, () => 'x'));
}
