/** Knows its index among those in flight; -1 while it is none of them. */
export interface Indexed {
  index: number;
}

/**
 * What was begun and has not ended yet, such as the deliveries of one bot.
 *
 * A list in which each knows its index, not a Set: when a Set makes itself a new table, the old one
 * keeps a pointer to it and to everything it held. As soon as one such table has become old, the
 * garbage collector takes all that follow it for alive, and with them nearly every delivery with its
 * request and its answer: two thirds of what then only a full collection took away.
 */
export class InFlightList<Item extends Indexed> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** Once, also when it is added again. */
  add(item: Item): void {
    if (item.index >= 0) return;
    item.index = this.#items.length;
    this.#items.push(item);
  }

  /** The last one takes the free index. */
  remove(item: Item): void {
    const { index } = item;
    if (index < 0) return;
    item.index = -1;
    const last = this.#items.pop();
    if (!last || last === item) return;
    this.#items[index] = last;
    last.index = index;
  }

  /** In no order; may be gone through while some of them end. */
  all(): Item[] {
    return [...this.#items];
  }
}
