import { type Engine, first, run, type Step } from '../engine.ts';

/** Stores small facts by name. */
export interface SettingsRepository {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  readStep(name: string): Step<string | undefined>;
  setStep(name: string, value: string): Step<void>;
  /** Returns true for the one caller that added the setting, false if it existed already. */
  addStep(name: string, value: string): Step<boolean>;
  /** Returns true if the setting existed with that value; it is then removed. */
  removeStep(name: string, value: string): Step<boolean>;
}

export function createSettingsRepository(engine: Engine): SettingsRepository {
  const { sql } = engine;
  const selectValue = (name: string) =>
    sql.selectFrom('settings').select('value').where('name', '=', name);

  function* setStep(name: string, value: string): Step<void> {
    yield* run(
      sql
        .insertInto('settings')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value })),
    );
  }

  return {
    get: async (name) => (await engine.readOne(selectValue(name)))?.value,
    set: (name, value) => engine.write(() => setStep(name, value)),
    *readStep(name) {
      return (yield* first(selectValue(name)))?.value;
    },
    setStep,
    *addStep(name, value) {
      const added = yield* run(
        sql
          .insertInto('settings')
          .values({ name, value })
          .onConflict((conflict) => conflict.column('name').doNothing()),
      );
      return added === 1;
    },
    *removeStep(name, value) {
      const removed = yield* run(
        sql.deleteFrom('settings').where('name', '=', name).where('value', '=', value),
      );
      return removed === 1;
    },
  };
}
