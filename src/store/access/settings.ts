import { changes, type Engine, raw, type Step } from '../engine.ts';

/** Stores small facts by name. */
export interface SettingsRepository {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  setStep(name: string, value: string): Step<void>;
  /** Returns true for the one caller that added the setting, false if it existed already. */
  addStep(name: string, value: string): Step<boolean>;
  /** Returns true if the setting existed with that value; it is then removed. */
  removeStep(name: string, value: string): Step<boolean>;
}

const readValue = 'select value from settings where name = $1';

export function createSettingsRepository(engine: Engine): SettingsRepository {
  function* setStep(name: string, value: string): Step<void> {
    yield* raw(
      `insert into settings (name, value) values ($1, $2)
       on conflict (name) do update set value = excluded.value`,
      [name, value],
    );
  }

  return {
    async get(name) {
      const [row] = await engine.readRaw<{ value: string }>(readValue, [name]);
      return row?.value;
    },
    set: (name, value) => engine.write(() => setStep(name, value)),
    setStep,
    *addStep(name, value) {
      const added = yield* changes(
        'insert into settings (name, value) values ($1, $2) on conflict (name) do nothing',
        [name, value],
      );
      return added === 1;
    },
    *removeStep(name, value) {
      const removed = yield* changes('delete from settings where name = $1 and value = $2', [
        name,
        value,
      ]);
      return removed === 1;
    },
  };
}
