/** Starts to measure. Returns a function that returns the seconds since then, to a tenth. */
export function stopwatch(): () => number {
  const begun = Date.now();
  return () => Math.round((Date.now() - begun) / 100) / 10;
}
