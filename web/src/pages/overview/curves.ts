import type uPlot from 'uplot';
import type { Static } from 'typebox';
import type { VitalsAnswer } from '../../../../src/http/schemas/vitals.ts';

type Vitals = Static<typeof VitalsAnswer>;
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
    /** Within the last minute. */
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
  const sums = (part: (slice: Slice) => number, most: number) =>
    slices.map((_, index) => {
      const from = Math.max(0, index - most + 1);
      let sum = 0;
      for (let one = from; one <= index; one++) sum += part(slices[one] as Slice);
      return sum;
    });
  const rate = (part: (slice: Slice) => number) =>
    sums(part, smoothed).map((sum, index) => sum / (Math.min(index + 1, smoothed) * seconds));
  // Counted, not extrapolated: of few failures each is one.
  const inMinute = (part: (slice: Slice) => number) => sums(part, Math.round(60 / seconds));
  const incoming = rate(({ received }) => received);
  const outgoing = rate(({ sent }) => sent);
  const failedDeliveries = inMinute((slice) => slice.delivery_failures);
  const failedSends = inMinute((slice) => slice.send_failures);
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
