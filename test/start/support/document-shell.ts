// A shell and Node processes that run the code blocks of a document, as a reader would.
import { type ChildProcess, spawn } from 'node:child_process';

export interface Shell {
  /** Runs lines and returns their output; fails when they end the shell. */
  run(code: string): Promise<string>;
  close(): void;
}

/** One shell for a whole page. It ends at the first command that fails, and at an HTTP error of curl. */
export function openShell(cwd: string, env: Record<string, string>): Shell {
  const child = spawn('sh', ['-eu'], { cwd, env, detached: true, stdio: 'pipe' });
  let output = '';
  let errors = '';
  let look = () => {};
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    look();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = new Promise<never>((_, fail) => {
    child.once('close', (code) =>
      fail(new Error(`the shell ended with ${code}\n${output}\n${errors}`)),
    );
  });
  ended.catch(() => {});
  child.stdin.on('error', () => {});
  child.stdin.write('curl() { command curl --fail-with-body "$@"; }\n');
  let blocks = 0;
  return {
    async run(code) {
      const mark = `--- end of block ${(blocks += 1)} ---\n`;
      output = '';
      const seen = new Promise<string>((resolve) => {
        look = () => {
          if (output.includes(mark)) resolve(output.slice(0, output.indexOf(mark)));
        };
      });
      child.stdin.write(`${code}\nprintf '%s\\n' '${mark.trim()}'\n`);
      return await Promise.race([seen, ended]);
    },
    close() {
      try {
        // Also background processes of the page.
        if (child.pid) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    },
  };
}

export interface Script {
  /** Resolves when it prints something or ends well. */
  ready: Promise<string>;
  /** Resolves when it ends well. */
  done: Promise<string>;
  stop(): Promise<void>;
}

/** A block of JavaScript or TypeScript, as a file in another terminal. */
export function startScript(
  code: string,
  { language, cwd, env }: { language: 'js' | 'ts'; cwd: string; env: Record<string, string> },
): Script {
  const type = language === 'ts' ? 'module-typescript' : 'module';
  const child: ChildProcess = spawn(process.execPath, [`--input-type=${type}`, '-e', code], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const printed = new Promise<string>((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      resolve(output);
    });
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const done = new Promise<string>((resolve, reject) => {
    child.once('close', (status) =>
      status === 0 ? resolve(output) : reject(new Error(`it ended with ${status}: ${output}`)),
    );
  });
  done.catch(() => {});
  return {
    ready: Promise.race([printed, done]),
    done,
    async stop() {
      child.kill('SIGKILL');
      await done.catch(() => {});
    },
  };
}
