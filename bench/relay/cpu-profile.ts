/* Takes samples of the main thread of a process, and groups them by what it does. */
import type { ChildProcess } from 'node:child_process';
import type { Profiler } from 'node:inspector';
import { freePort } from '../../test/support/local-server.ts';
import type { RunFacts } from '../../test/support/run-facts.ts';
import { pause } from './parts.ts';

const sampleMicros = 300;

export const profileParts = [
  'HTTP, sockets and drivers',
  'SQLite',
  'own code',
  'garbage collection',
  'native code outside JavaScript',
  'waiting',
] as const;
type ProfilePart = (typeof profileParts)[number];

/** Microseconds of processor time. */
export type Profile = Record<ProfilePart, number>;

/** Figures per update. */
export interface ProfileResult extends RunFacts {
  cases: { name: string; relay: Profile; limit: Profile }[];
}

export interface Profiling {
  /** Variables for the environment of the process. */
  env: { NODE_OPTIONS: string };
  /** Starts profiling and returns a function that ends it. */
  begin(child: ChildProcess): Promise<() => Promise<Profile>>;
}

export async function prepareProfiling(): Promise<Profiling> {
  const port = await freePort();
  return {
    env: { NODE_OPTIONS: `--inspect-port=127.0.0.1:${port}` },
    async begin(child) {
      // The signal makes the process open its inspector.
      child.kill('SIGUSR1');
      const inspector = await connectTo(port);
      await inspector.ask('Profiler.enable');
      await inspector.ask('Profiler.setSamplingInterval', { interval: sampleMicros });
      await inspector.ask('Profiler.start');
      return async () => {
        const { profile } = await inspector.ask<{ profile: Profiler.Profile }>('Profiler.stop');
        inspector.close();
        return spentOn(profile);
      };
    },
  };
}

interface Answer {
  id: number;
  result?: unknown;
  error?: { message: string };
}

async function connectTo(port: number) {
  const socket = new WebSocket(await inspectorUrl(port));
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error('the inspector cannot be reached'));
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  socket.onmessage = ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as Answer;
    if (error) waiting.get(id)?.reject(new Error(error.message));
    else waiting.get(id)?.resolve(result);
  };
  socket.onclose = () => {
    for (const { reject } of waiting.values()) reject(new Error('the inspector went away'));
  };
  return {
    ask<T>(method: string, params: object = {}): Promise<T> {
      const id = waiting.size + 1;
      const answer = Promise.withResolvers<unknown>();
      waiting.set(id, answer);
      socket.send(JSON.stringify({ id, method, params }));
      return answer.promise as Promise<T>;
    },
    close: () => socket.close(),
  };
}

async function inspectorUrl(port: number): Promise<string> {
  for (let tries = 0; ; tries++) {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
      const [target] = (await answer.json()) as [{ webSocketDebuggerUrl: string }];
      return target.webSocketDebuggerUrl;
    } catch (error) {
      if (tries === 50) throw error;
      await pause(100);
    }
  }
}

function spentOn({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile) {
  const parents = new Map<number, Profiler.ProfileNode>();
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node);
  const partOfNode = new Map<number, ProfilePart>();
  for (const node of nodes) partOfNode.set(node.id, partOf(node, parents));
  const spent = Object.fromEntries(profileParts.map((part) => [part, 0])) as Profile;
  for (const [index, id] of samples.entries()) {
    const part = partOfNode.get(id);
    if (part) spent[part] += timeDeltas[index] ?? 0;
  }
  return spent;
}

/** Files that run statements of SQLite, whose own functions have no address. */
const sqliteCallers = /\/(store\/sqlite\/|limit\/sqlite\.ts$)/;
const ofSqlite = new Set(['run', 'all', 'get', 'exec', 'iterate']);

function partOf(
  node: Profiler.ProfileNode,
  parents: Map<number, Profiler.ProfileNode>,
): ProfilePart {
  const { functionName, url } = node.callFrame;
  if (functionName === '(idle)') return 'waiting';
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(program)') return 'native code outside JavaScript';
  if (url === '') {
    const parent = parents.get(node.id);
    const isSqlite = ofSqlite.has(functionName) && sqliteCallers.test(parent?.callFrame.url ?? '');
    if (isSqlite) return 'SQLite';
    // A built-in function of JavaScript, such as JSON.parse, counts with its caller.
    return parent ? partOf(parent, parents) : 'native code outside JavaScript';
  }
  const isLibrary = url.startsWith('node:') || url.includes('/node_modules/');
  return isLibrary ? 'HTTP, sockets and drivers' : 'own code';
}
