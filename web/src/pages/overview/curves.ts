import type uPlot from 'uplot';
import type { Vitals } from '../../api/vitals.ts';

type Slice = Vitals['slices'][number];

/** Rates are taken over so many slices: calm enough to read, and still live. */
const smoothed = 5;
/** Just after a start the axis already has some length. */
const fewestSlices = 60;

export interface Curves {
  traffic: uPlot.AlignedData;
  latency: uPlot.AlignedData;
  backlog: uPlot.AlignedData;
  errors: uPlot.AlignedData;
  now: {
    in: number;
    out: number;
    /** Of the last deliveries; undefined when there were none. */
    usualMs: number | undefined;
    slowMs: number | undefined;
    backlog: number;
    /** A minute. */
    failedDeliveries: number;
    failedSends: number;
  };
}

export function curvesOf({ slice_seconds: seconds, slices }: Vitals): Curves {
  const end = slices.at(-1)?.at ?? 0;
  const missing = Math.max(0, fewestSlices - slices.length);
  const first = slices[0]?.at ?? end;
  const before = Array.from({ length: missing }, (_, index) => first - (missing - index) * seconds);
  const nothing = before.map(() => null);
  const at = [...before, ...slices.map((slice) => slice.at)];
  const line = (values: (number | null)[]) => [...nothing, ...values];
  const rate = (part: (slice: Slice) => number, per = 1) =>
    slices.map((_, index) => {
      const from = Math.max(0, index - smoothed + 1);
      let sum = 0;
      for (let one = from; one <= index; one++) sum += part(slices[one] as Slice);
      return (sum / ((index - from + 1) * seconds)) * per;
    });
  const incoming = rate(({ received }) => received);
  const outgoing = rate(({ sent }) => sent);
  const failedDeliveries = rate((slice) => slice.delivery_failures, 60);
  const failedSends = rate((slice) => slice.send_failures, 60);
  const lastTimed = slices.findLast(({ p50_ms }) => p50_ms !== undefined);
  return {
    traffic: [at, line(incoming), line(outgoing)],
    latency: [
      at,
      line(slices.map(({ p50_ms }) => p50_ms ?? null)),
      line(slices.map(({ p95_ms }) => p95_ms ?? null)),
    ],
    backlog: [at, line(slices.map(({ backlog }) => backlog))],
    errors: [at, line(failedDeliveries), line(failedSends)],
    now: {
      in: incoming.at(-1) ?? 0,
      out: outgoing.at(-1) ?? 0,
      usualMs: lastTimed?.p50_ms,
      slowMs: lastTimed?.p95_ms,
      backlog: slices.at(-1)?.backlog ?? 0,
      failedDeliveries: failedDeliveries.at(-1) ?? 0,
      failedSends: failedSends.at(-1) ?? 0,
    },
  };
}
