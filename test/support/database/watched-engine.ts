import type { Engine } from '../../../src/store/engine.ts';

const watched = new Set<string | symbol>(['read', 'readOne', 'readRaw', 'readHeavy', 'write']);

/** The same engine, and whether it is at work. What takes longer than `heldMs` is held up by the test. */
export function watchEngine(
  engine: Engine,
  heldMs = Number.POSITIVE_INFINITY,
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
          const call = { at: performance.now() };
          const ended = () => begunAt.delete(call);
          begunAt.add(call);
          const work = value.apply(target, args) as Promise<unknown>;
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
