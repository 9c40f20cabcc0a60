/** Reads something once for all that ask at the same time, and keeps it for as long as they say. */
export function snapshots<Read extends { readonly at: number }>(readAll: () => Promise<Read>, now: () => number) {
  let last: Read | undefined;
  let reading: Promise<Read> | undefined;
  return {
    /** @param maxAgeMs how old a snapshot may be */
    async read(maxAgeMs: number): Promise<Read> {
      if (last !== undefined && now() - last.at <= maxAgeMs) return last;
      const own = reading ?? readAll();
      reading = own;
      try {
        const read = await own;
        if (reading === own) last = read;
        return read;
      } finally {
        if (reading === own) reading = undefined;
      }
    },
    /** What was read is out of date, and so is what is being read: an act has changed it. */
    forget(): void {
      last = undefined;
      reading = undefined;
    },
  };
}
