/** Runs something, and answers with the rejections that nobody had handled a turn of the event loop after it. */
export async function unhandledRejections(task: () => Promise<void>): Promise<readonly unknown[]> {
  const unhandled: unknown[] = [];
  const listen = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', listen);
  try {
    await task();
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('unhandledRejection', listen);
  }
  return unhandled;
}
