/* The order of scenes: first the past at high speed, then live events. */
import type { Clock } from '../clock.ts';
import { RelayError } from '../errors.ts';
import { createRandom, type Random } from '../../sandbox/src/index.ts';
import { addFaults } from './house-rules.ts';
import { playOpening } from './opening.ts';
import { backToNow, playPast } from './history.ts';
import * as scenes from './scenes.ts';
import type { DemoSetup } from './setup.ts';

export interface ScriptOptions {
  setup: DemoSetup;
  seed: number;
  /** Number of events in earlier runs; 0 in a new world. */
  before: number;
  clock: Clock;
  signal: AbortSignal;
  /** Lets backends fail at times. */
  letFail(): void;
}

export interface Script {
  /** Plays enough for every page to have something to show; an existing world has that already. */
  backfill(): Promise<void>;
  /** Plays an event about every `pauseMs`, later fewer, until the signal; never rejects. */
  liveOn(pauseMs: number): Promise<void>;
}

const livelyEvents = 150;
const mostCalm = 8;

type Weighted = readonly [weight: number, scene: scenes.Scene];

/** In the past, plain messages come in batches instead. */
const small: readonly Weighted[] = [
  [12, scenes.chat],
  [6, scenes.reply],
  [12, scenes.photo],
  [8, scenes.sticker],
  [6, scenes.edit],
  [15, scenes.react],
  [2, scenes.remove],
  [4, scenes.comeAndGo],
];

const everyday: readonly Weighted[] = [
  ...small,
  [48, scenes.chat],
  [24, scenes.reply],
  [16, scenes.ask],
  [3, scenes.askWithPhoto],
  [2, scenes.advertise],
  [18, scenes.answer],
  [8, scenes.press],
  [4, scenes.thank],
  [10, scenes.pay],
  [6, scenes.report],
  [6, scenes.discuss],
  [1, scenes.sendInvoice],
  [1, scenes.announce],
];

export function createScript(options: ScriptOptions): Script {
  const { setup, seed, clock, signal } = options;
  const memory = scenes.createMemory();
  let played = options.before;

  function nextRandom(): Random {
    // Spread the seeds, because neighbouring seeds start with similar numbers.
    return createRandom(seed + Math.imul(++played, 0x9e3779b1));
  }

  async function play(scene: scenes.Scene, random = nextRandom()): Promise<void> {
    signal.throwIfAborted();
    await scene({ setup, memory, random });
  }

  async function playOne(choice: readonly Weighted[]): Promise<void> {
    const random = nextRandom();
    await play(drawn(random, choice), random);
  }

  return {
    async backfill() {
      if (options.before === 0) {
        const playSmall = () => playOne(small);
        await playPast({ setup, seed, clock, signal, playSmall });
      }
      // An earlier run may have been cut short, so do this at every start.
      await backToNow(setup.api);
      await addFaults(setup);
      options.letFail();
      if (options.before === 0) await playOpening({ setup, clock, signal, play });
    },

    async liveOn(pauseMs) {
      for (let lived = 0; !signal.aborted; lived++) {
        // The first events come quickly, so that the user sees something; later they slow down.
        const calm = Math.min(mostCalm, 1 + lived / livelyEvents);
        try {
          await clock.sleep(pauseMs * calm * (0.5 + nextRandom().next()), signal);
          await playOne(everyday);
        } catch (error) {
          // The user may ban people or delete bots; the rest continues.
          if (!signal.aborted && !(error instanceof RelayError)) throw error;
        }
      }
    },
  };
}

function drawn(random: Random, choice: readonly Weighted[]): scenes.Scene {
  const total = choice.reduce((sum, [weight]) => sum + weight, 0);
  let left = random.next() * total;
  for (const [weight, scene] of choice) {
    left -= weight;
    if (left < 0) return scene;
  }
  return scenes.chat;
}
