interface Event {
  readonly at: number;
  /** Breaks ties: what was asked for first happens first. */
  readonly order: number;
  /** Taken away when it is cancelled. */
  run: (() => void) | undefined;
}

/** What is going to happen, in order. A binary heap. */
export interface Timeline {
  /** Answers a function that cancels it. */
  add(at: number, run: () => void): () => void;
  /** The next that happens, no later than `until`, taken out. */
  next(until: number): { readonly at: number; readonly run: () => void } | undefined;
}

export function createTimeline(): Timeline {
  const heap: Event[] = [];
  let orders = 0;

  const before = (one: Event, other: Event) => one.at < other.at || (one.at === other.at && one.order < other.order);

  function add(at: number, run: () => void): () => void {
    const event: Event = { at, order: orders++, run };
    let index = heap.length;
    heap.push(event);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Event;
      if (!before(event, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = event;
    return () => {
      event.run = undefined;
    };
  }

  function removeFirst(): void {
    const last = heap.pop() as Event;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1] as Event, heap[child] as Event)) child++;
      if (!before(heap[child] as Event, last)) break;
      heap[index] = heap[child] as Event;
      index = child;
    }
    heap[index] = last;
  }

  function next(until: number) {
    for (;;) {
      const first = heap[0];
      if (first === undefined || first.at > until) return undefined;
      removeFirst();
      if (first.run !== undefined) return { at: first.at, run: first.run };
    }
  }

  return { add, next };
}
