import type { Engine, Step } from '../../../src/store/engine.ts';

const watched = new Set<string | symbol>(['read', 'readOne', 'readRaw', 'readHeavy', 'write']);

/**
 * The same engine, and whether it is at work. What takes longer than `heldMs` is held up by the
 * test. `onStatement` gets the text of each statement.
 */
export function watchEngine(
  engine: Engine,
  heldMs = Number.POSITIVE_INFINITY,
  onStatement?: (sql: string) => void,
): { engine: Engine; isBusy(): boolean } {
  const begunAt = new Set<{ at: number }>();

  function watch(one: Engine): Engine {
    return new Proxy(one, {
      get(target, name) {
        if (name === 'reserved') return reserved;
        if (name === 'leases') return leases;
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function' || !watched.has(name)) return value;
        return (...args: unknown[]) => {
          const given = onStatement ? overheard(name, args, onStatement) : args;
          const call = { at: performance.now() };
          const ended = () => begunAt.delete(call);
          begunAt.add(call);
          const work = value.apply(target, given) as Promise<unknown>;
          work.then(ended, ended);
          return work;
        };
      },
    });
  }
  const reserved = watch(engine.reserved);
  const leases = watch(engine.leases);
  const isFresh = ({ at }: { at: number }) => performance.now() - at < heldMs;
  return { engine: watch(engine), isBusy: () => [...begunAt].some(isFresh) };
}

/** Tells the statements of one call of an engine; those of a job are told when it yields them. */
function overheard(name: string | symbol, args: unknown[], tell: (sql: string) => void): unknown[] {
  const [first, ...rest] = args;
  if (name === 'write') return [() => told((first as () => Step<unknown>)(), tell), ...rest];
  if (typeof first === 'string') tell(first);
  return args;
}

function* told(job: Step<unknown>, tell: (sql: string) => void): Step<unknown> {
  try {
    for (let next = job.next(); ; ) {
      if (next.done) return next.value;
      tell(next.value.sql);
      next = job.next(yield next.value);
    }
  } finally {
    job.return(undefined);
  }
}
