/*
 * Finds many phrases in one text. The words are read once, however many phrases there are and
 * however alike they begin (Aho and Corasick's automaton, with words instead of letters).
 */

interface Node {
  /** The phrase that ends here, if any. */
  phrase: string;
  next: Map<string, Node>;
  /** Where to continue if the next word does not follow: the longest suffix that begins a phrase. */
  fallback: Node | undefined;
  /** The orders of everything that looks for this phrase. */
  orders: number[];
}

export interface PhraseIndex {
  readonly size: number;
  add(phrase: readonly string[], order: number): void;
  /** Yields every phrase in the text, once for each order that looks for it. */
  find(words: readonly string[]): Generator<{ order: number; phrase: string }>;
}

export function createPhraseIndex(): PhraseIndex {
  const root: Node = { phrase: '', next: new Map(), fallback: undefined, orders: [] };
  let isLinked = true;
  let size = 0;

  function add(phrase: readonly string[], order: number): void {
    let node = root;
    for (const word of phrase) {
      let next = node.next.get(word);
      if (!next) {
        next = { phrase: '', next: new Map(), fallback: root, orders: [] };
        node.next.set(word, next);
      }
      node = next;
    }
    node.phrase = phrase.join(' ');
    node.orders.push(order);
    size += 1;
    isLinked = false;
  }

  function follow(from: Node, word: string): Node {
    let node: Node | undefined = from;
    while (node) {
      const next = node.next.get(word);
      if (next) return next;
      node = node.fallback;
    }
    return root;
  }

  /** Links shorter phrases first: each fallback is found through a shorter one. */
  function link(): void {
    isLinked = true;
    const waiting = [...root.next.values()];
    for (const node of waiting) {
      for (const [word, next] of node.next) {
        next.fallback = follow(node.fallback ?? root, word);
        waiting.push(next);
      }
    }
  }

  return {
    get size() {
      return size;
    },
    add,
    *find(words) {
      if (!isLinked) link();
      const seen = new Set<Node>([root]);
      let node = root;
      for (const word of words) {
        node = follow(node, word);
        // The fallback chain yields the shorter phrases that end here too; if one was seen, so were
        // all after it.
        for (let end: Node | undefined = node; end && !seen.has(end); end = end.fallback) {
          seen.add(end);
          for (const order of end.orders) yield { order, phrase: end.phrase };
        }
      }
    },
  };
}
