// Runs commands one after the other in this process, and prints the end of each as a line of JSON. The first
// argument is the module of the commands; the second is a list of their words, as JSON.
import type { runCommand } from '../../../src/cli.ts';

const [module = '', list = '[]'] = process.argv.slice(2);
const commands = (await import(module)) as { runCommand: typeof runCommand };
for (const words of JSON.parse(list) as string[][]) {
  let stderr = '';
  const code = await commands.runCommand(words, {
    env: {},
    stdin: (async function* () {})(),
    out() {},
    err(text) {
      stderr += text;
    },
    interactive: false,
    colours: false,
  });
  process.stdout.write(`${JSON.stringify({ code, stderr })}\n`);
}
