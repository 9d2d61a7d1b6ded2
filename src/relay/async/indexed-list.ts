/** An item knows its index in the list; -1 if it is not in the list. */
export interface Indexed {
  index: number;
}

/**
 * Lists what has begun and not ended, such as the deliveries of one bot.
 *
 * This is a list in which each item knows its index, not a Set. When a Set grows into a new table,
 * the old table keeps a pointer to the new one and to everything it held. Once one such table is in
 * the old generation, the garbage collector treats all tables after it as alive, and with them
 * nearly every delivery with its request and its answer. Two thirds of what only a full collection
 * freed came from there.
 */
export class IndexedList<Item extends Indexed> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** Adds an item once, even if it is added again. */
  add(item: Item): void {
    if (item.index >= 0) return;
    item.index = this.#items.length;
    this.#items.push(item);
  }

  /** Moves the last item to the free index. */
  remove(item: Item): void {
    const { index } = item;
    if (index < 0) return;
    item.index = -1;
    const last = this.#items.pop();
    if (!last || last === item) return;
    this.#items[index] = last;
    last.index = index;
  }

  /** Copies the items, in no particular order; items may end while a caller walks through them. */
  all(): Item[] {
    return [...this.#items];
  }
}
