/* Which scene comes when: first a past in a hurry, then life at its own pace. */
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
  /** How much happened in earlier runs of a kept world; 0 when it is new. */
  before: number;
  clock: Clock;
  signal: AbortSignal;
  /** Lets backends fail at times, as they do today. */
  letFail(): void;
}

export interface Script {
  /** Plays enough for every page to have something to show; a kept world has that already. */
  backfill(): Promise<void>;
  /** Goes on, an event every `pauseMs` or so, later fewer, until the signal; never fails. */
  liveOn(pauseMs: number): Promise<void>;
}

const livelyEvents = 150;
const mostCalm = 8;

type Weighted = readonly [weight: number, scene: scenes.Scene];

/** Of the past: what is only said there is told in bulk. */
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
  [1, scenes.sendInvoice],
  [1, scenes.announce],
];

export function createScript(options: ScriptOptions): Script {
  const { setup, seed, clock, signal } = options;
  const memory = scenes.createMemory();
  let played = options.before;

  function nextRandom(): Random {
    // Far apart, as neighbouring seeds begin alike.
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
      // Also where an earlier filling was cut short.
      await backToNow(setup.api);
      await addFaults(setup);
      options.letFail();
      if (options.before === 0) await playOpening({ setup, clock, signal, play });
    },

    async liveOn(pauseMs) {
      for (let lived = 0; !signal.aborted; lived++) {
        // Something happens at once for the user who watches; otherwise today is a day like the others.
        const calm = Math.min(mostCalm, 1 + lived / livelyEvents);
        try {
          await clock.sleep(pauseMs * calm * (0.5 + nextRandom().next()), signal);
          await playOne(everyday);
        } catch (error) {
          // The user may ban people or delete bots; the others go on talking.
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
